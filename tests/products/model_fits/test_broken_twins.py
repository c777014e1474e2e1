"""Fits that claim what the original claims and do something worse. Each is caught by a check or a rule of the contract.

A twin is the original with one part replaced, so that everything else is what is released.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.mechanism_contract import MechanismContract
from tests.contract.twins import UnderNoised
from tests.products.model_fits import hand_made
from workbench.audit import black_box
from workbench.audit.contract import Subject
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom, UniformWords
from workbench.products.model_fits import logit
from workbench.products.model_fits.audit import membership
from workbench.products.model_fits.audit.membership_findings import most_success
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import dp_newton, dp_sgd, gradients, table_logit
from workbench.products.model_fits.mechanisms.dp_sgd import DpSgd, DpSgdParams, Tuning
from workbench.products.model_fits.mechanisms.fit_random import FitRandom
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits
from workbench.products.model_fits.product import SPEC

EVERYBODY = DpSgdParams(sampling=Decimal(1), steps=10, tuning=Tuning.OWN, clip=Decimal("0.1"), people=10)
SAMPLED = DpSgdParams(steps=20, people=20)
NOISE_OF_STEPS = dp_sgd._noise_of_steps
DRAWS = black_box.BlackBoxParams(draws=20_000, release_draws=0, seed=3)


def watched(mechanism: Any, params: Any) -> Finding:
    subject = Subject(words=SPEC.words, prepared=hand_made.prepared(), mechanism=mechanism, params=params)
    (finding,) = black_box.SPEC.run(subject, DRAWS, QUIET)
    return finding


def attacked(mechanism: Any, params: Any) -> Finding:
    subject = Subject(words=SPEC.words, prepared=hand_made.prepared(), mechanism=mechanism, params=params)
    draws = 1000 if mechanism.id == "dp-sgd" else 100  # its own attack, or only for comparison
    (finding,) = membership.SPEC.run(subject, membership.MembershipParams(source_draws=draws), QUIET)
    return finding


@pytest.mark.parametrize("params", [EVERYBODY, SAMPLED])
def test_that_the_original_passes(params: DpSgdParams) -> None:
    assert watched(dp_sgd.SPEC, params).status is Status.PASS


def unclipped(prepared: FitData) -> gradients.GradientSums:
    sums = gradients.gradient_sums(prepared)
    return replace(sums, reach=1e6 * sums.reach)


def test_that_gradients_that_are_not_clipped_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dp_sgd, "gradient_sums", unclipped)
    finding = watched(dp_sgd.SPEC, EVERYBODY)
    assert finding.status is Status.FAIL, finding.sentence


def test_that_the_canary_finds_gradients_that_are_not_clipped_among_hundreds_of_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    params = replace(EVERYBODY, clip=Decimal("0.001"), people=400)
    assert attacked(dp_sgd.SPEC, params).status is Status.PASS
    monkeypatch.setattr(dp_sgd, "gradient_sums", unclipped)
    finding = attacked(dp_sgd.SPEC, params)
    assert finding.status is Status.FAIL, finding.sentence


def reusing(shape: tuple[int, int, int], sigma: float, random: FitRandom) -> Iterator[np.ndarray]:
    """Study draws are honest; a release draws noise once and adds the same to every batch."""
    steps, copies, d = shape
    if isinstance(random.uniform, StudyRandom):
        yield from NOISE_OF_STEPS(shape, sigma, random)
    else:
        yield from [next(NOISE_OF_STEPS((1, copies, d), sigma, random))] * steps


def test_that_noise_that_is_reused_for_every_batch_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    contract, data = MechanismContract(), hand_made.prepared()
    contract.test_that_study_and_release_have_the_same_distribution(dp_sgd.SPEC, SAMPLED, data)
    monkeypatch.setattr(dp_sgd, "_noise_of_steps", reusing)
    with pytest.raises(AssertionError):
        contract.test_that_study_and_release_have_the_same_distribution(dp_sgd.SPEC, SAMPLED, data)


def without_replacement(
    people: int, sampling: float, samples: int, rng: UniformWords, *, copies: int
) -> Iterator[np.ndarray]:
    """Batches of a fixed size, at least one person."""
    size = max(1, round(sampling * people))
    for _ in range(samples):
        order = rng.words(copies * people).reshape(copies, people).argsort(axis=1).argsort(axis=1)
        yield np.flatnonzero(order < size)


def test_that_batches_of_a_fixed_size_claimed_as_poisson_samples_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dp_sgd, "poisson_samples", without_replacement)
    finding = watched(dp_sgd.SPEC, SAMPLED)
    assert finding.status is Status.FAIL, finding.sentence


class Tuned(DpSgd):
    """Tries two learning rates and publishes the fit that suits the true rows better, without paying for the look."""

    __slots__ = ()

    def drawn(self, prepared: FitData, params: DpSgdParams, random: FitRandom, context: Context) -> DrawnFits:
        tried = [
            dp_sgd.SPEC.drawn(prepared, replace(params, rate=rate), random, context).beta
            for rate in (Decimal("0.01"), Decimal(4))
        ]
        design, outcome = prepared.people.reveal()
        fits = [len(outcome) * logit.log_loss(design, outcome, beta) if len(outcome) else 0.0 for beta in tried]
        better = np.broadcast_to(np.asarray(fits[1]) < np.asarray(fits[0]), (prepared.copies,))
        return DrawnFits(beta=np.where(better[:, None], tried[1], tried[0]))


def test_that_a_learning_rate_chosen_on_the_data_is_caught() -> None:
    finding = watched(Tuned(), EVERYBODY)
    assert finding.status is Status.FAIL, finding.sentence


def test_that_the_canary_sees_a_release_of_far_too_little_noise() -> None:
    """Its power on the sample's own rows: ε = 1 claimed and 16 spent."""
    twin = UnderNoised(table_logit.SPEC)
    twin._doubled = lambda params: replace(params, epsilon=Epsilon(16))  # type: ignore[method-assign]
    assert attacked(twin, table_logit.TableLogitParams()).status is Status.FAIL
    honest = attacked(table_logit.SPEC, table_logit.TableLogitParams())
    assert honest.status is Status.PASS
    assert float(str(honest.values["visible_epsilon"])) > 4
    assert honest.values["success_exact"] == honest.values["success_coarse"] == 1.0


def test_that_the_attack_never_beats_what_the_claim_allows_where_noise_is_honest() -> None:
    """In one dimension: two normal laws at the distance of the claim, and the attack at its best."""
    assert most_success(0.0, 0.0) == 0.5
    assert most_success(1.0, 0.0) == pytest.approx(np.e / (1 + np.e))
    assert most_success(1.0, 0.5) == pytest.approx((np.e + 0.5) / (1 + np.e))
    for mechanism in (dp_newton.SPEC, table_logit.SPEC):
        finding = attacked(mechanism, mechanism.params())
        assert float(str(finding.values["success_release"])) < float(str(finding.values["most_success"]))
