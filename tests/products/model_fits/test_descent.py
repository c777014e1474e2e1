"""Private gradient descent: the source's algorithm 1, step by step."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.contexts import CancelAt, Listener
from tests.products.model_fits import hand_made
from workbench.core.errors import Cancelled
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.model_fits.mechanisms import dp_sgd, step_accounting
from workbench.products.model_fits.mechanisms.dp_sgd import DpSgdParams, Schedule, Tuning
from workbench.products.model_fits.mechanisms.fit_random import FitRandom, study
from workbench.products.model_fits.mechanisms.neighbours import nobody

QUICK = DpSgdParams(steps=20, people=400)


def silent(seed: int = 1) -> FitRandom:
    return FitRandom(StudyRandom(seed), lambda sums, _: sums)


def test_that_the_start_follows_from_the_recorded_seed() -> None:
    data = hand_made.prepared()
    first, again, other = (
        dp_sgd.descent(data, replace(QUICK, seed=seed), study(StudyRandom(5)), QUIET)[0, 0] for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.array_equal(first, dp_sgd.start(2, 1))


def test_that_the_learning_rate_is_a_schedule() -> None:
    falling = replace(QUICK, schedule=Schedule.FALLING)
    assert [QUICK.rate_at(step, 2) for step in (0, 19)] == [4.0, 4.0]
    assert [falling.rate_at(step, 2) for step in (0, 10, 19)] == pytest.approx([4.0, 2.0, 0.2])
    own = replace(falling, tuning=Tuning.OWN, rate=Decimal(10))
    assert own.rate_at(10, 2) == pytest.approx(5.0)


def test_that_the_averaged_iterate_is_the_mean_of_the_second_half() -> None:
    data = hand_made.prepared()
    path = dp_sgd.descent(data, QUICK, study(StudyRandom(5)), QUIET)
    averaged, last = (
        dp_sgd.SPEC.drawn(data, replace(QUICK, averaged=each), study(StudyRandom(5)), QUIET).beta
        for each in (True, False)
    )
    assert averaged == pytest.approx(path[10:].mean(axis=0))
    assert last == pytest.approx(path[-1])


def test_that_one_step_is_that_of_the_source() -> None:
    """By a loop over people: sample, clip each gradient, add up, move by η over qN."""
    data = hand_made.prepared()
    params = replace(QUICK, sampling=Decimal(1), steps=1, tuning=Tuning.OWN, clip=Decimal("0.4"), rate=Decimal(3))
    theta, moved = dp_sgd.descent(data, params, silent(), QUIET)[:, 0]
    design, outcome = data.people.reveal()
    total = np.zeros(2)
    for x, y in zip(design, outcome, strict=True):
        gradient = x * (y - 1 / (1 + np.exp(-x @ theta)))
        total += gradient / max(1.0, np.linalg.norm(gradient) / 0.4)
    assert moved == pytest.approx(theta + 3 * total / 400, abs=1e-4)


def test_that_every_step_draws_noise_of_its_own() -> None:
    """With nobody in the data a step moves by its noise alone."""
    asked: list[int] = []
    random = study(StudyRandom(2))

    def rounded(sums: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        asked.append(len(sums))
        return random.rounded(sums, sigma)

    path = dp_sgd.descent(nobody(hand_made.prepared()), QUICK, FitRandom(random.uniform, rounded), QUIET)
    assert sum(asked) == 2 * QUICK.steps
    moves = np.diff(path[:, 0], axis=0)
    assert len(np.unique(moves)) == 2 * QUICK.steps
    sigma = 4.0 * dp_sgd.noise_of(QUICK) * QUICK.clip_for(2) / (0.05 * 400)
    assert 0.6 < moves.std() / sigma < 1.5


def test_that_every_step_can_be_the_last_and_tells_how_far_it_is() -> None:
    listener = Listener()
    dp_sgd.SPEC.release(hand_made.prepared(), QUICK, ReleaseRandom(), listener)
    assert f"step {QUICK.steps} of {QUICK.steps}" in listener.sentences
    with pytest.raises(Cancelled):
        dp_sgd.SPEC.release(hand_made.prepared(), QUICK, ReleaseRandom(), CancelAt(QUICK.steps))


def test_that_settings_of_ones_own_must_be_declared_not_to_be_tuned() -> None:
    usual = dp_sgd.SPEC.claim(None, DpSgdParams())
    for changed in (
        DpSgdParams(tuning=Tuning.OWN),
        DpSgdParams(steps=100),
        DpSgdParams(sampling=Decimal("0.1")),
    ):
        claim = dp_sgd.SPEC.claim(None, changed)
        assert set(claim.provided) - set(usual.provided) == {dp_sgd._NOT_TUNED}


@pytest.mark.parametrize(("sampling", "steps", "pld", "renyi"), [(0.05, 400, 4.376, 4.690), (0.01, 500, 1.251, 1.370)])
def test_that_both_accountings_ask_for_the_published_noise(
    sampling: float, steps: int, pld: float, renyi: float
) -> None:
    assert step_accounting.sigma_for(sampling, steps, 1.0, 1e-6) == pytest.approx(pld, rel=0.002)
    assert step_accounting.sigma_by_renyi(sampling, steps, 1.0, 1e-6) == pytest.approx(renyi, rel=0.002)


def test_that_the_loss_is_rounded_up_and_stays_within_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    loss = dp_sgd.SPEC.exact_loss(hand_made.prepared(), QUICK, QUIET)
    bare = step_accounting.epsilon_by_pld(0.05, dp_sgd.noise_of(QUICK), QUICK.steps, 1e-6)
    assert bare < loss.epsilon <= 1.0
    asked: list[Any] = []
    monkeypatch.setattr(step_accounting.pld, "epsilon_at", lambda *call: asked.append(call) or 1.0)
    dp_sgd.SPEC.exact_loss(hand_made.prepared(), QUICK, QUIET)
    assert not asked, "accounting is worked out once"


def test_that_other_claims_are_compared_at_their_epsilon_and_delta() -> None:
    claim = dp_sgd.SPEC.claim(None, DpSgdParams(epsilon=Epsilon(3)))
    assert dp_sgd.settings_for(claim, 70).epsilon == 3
    assert dp_sgd.settings_for(claim, 70).people == 70
    assert dp_sgd.settings_for(replace(claim, epsilon=Decimal("0.01"), delta=Decimal(0)), 0).people == 1
