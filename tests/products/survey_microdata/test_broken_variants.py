"""Further broken variants, each with the check that sees it: bounds of the data, missing answers, √2, chosen pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.contract.twins import Twin
from tests.products.survey_microdata.test_audit import FILE, PARAMS, judged, subject, survey
from workbench.audit import completeness, exact_loss
from workbench.audit.declared_law import check as declared_law
from workbench.core.confidential import Confidential
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Release
from workbench.products.survey_microdata.audit import noise_barrier, table_sampler
from workbench.products.survey_microdata.central import measurement, pairs_gaussian
from workbench.products.survey_microdata.central import params as central
from workbench.products.survey_microdata.central.params import Neighbours, PairsParams
from workbench.products.survey_microdata.local import krr_laplace


class Changed(Twin):
    """Draws other answers than those that were read."""

    def other(self, prepared: Any) -> Any:
        raise NotImplementedError

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        answers = self.other(prepared.answers.reveal().copy())
        return self.original.release(replace(prepared, answers=Confidential(answers)), params, rng, context)


class BoundsOfTheData(Changed):
    """Clips a percentage before the noise, at bounds that the file has: everybody at the first bound is at another."""

    def other(self, answers: Any) -> Any:
        answers[:, -1] = np.clip(answers[:, -1], 5, 95)
        return answers


class FloatNoise(Twin):
    """Laplace noise in floating point on the last percentage."""

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        made = self.original.release(prepared, params, rng, context)
        last = made.answers[-1]
        floats = last.exact.reveal() + np.random.default_rng(1).laplace(0.0, 100 / 7, len(last.drawn))
        return replace(made, answers=(*made.answers[:-1], replace(last, drawn=floats)))


class FromAProtectedTotal(Twin):
    """A percentage worked out again from one protected total: all records share its noise."""

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        made = self.original.release(prepared, params, rng, context)
        last = made.answers[-1]
        exact = last.exact.reveal()
        shared = exact + int(last.drawn[0] - exact[0])
        return replace(made, answers=(*made.answers[:-1], replace(last, drawn=shared)))


@pytest.mark.parametrize("broken", [BoundsOfTheData, FloatNoise, FromAProtectedTotal])
def test_that_the_declared_law_catches_noise_that_is_not_the_methods(broken: type[Twin]) -> None:
    settings = declared_law.DeclaredLawParams(law_draws=60_000, turns=1)
    found = declared_law.SPEC.run(subject(broken(krr_laplace.SPEC), PARAMS), settings, QUIET)
    assert found[-1].status is Status.FAIL  # honest noise passes: tests/audit/test_laws_of_products.py


class MissingPassedThrough(Twin):
    """Missing answers, the last category, are published as they are; all others honestly."""

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Any) -> Any:
        drawn = self.original.study(prepared, params, rng, context).reveal()
        if (prepared.answers.reveal()[:, 0] == prepared.variables[0].categories - 1).all():
            last = replace(drawn.columns[0], codes=np.full_like(drawn.columns[0].codes, 5))
            drawn = replace(drawn, columns=(last, *drawn.columns[1:]))
        return Confidential(drawn)


def test_that_missing_answers_that_pass_the_noise_barrier_are_seen() -> None:
    assert survey().variables[0].categories == 6
    found = judged(noise_barrier.SPEC, subject(MissingPassedThrough(krr_laplace.SPEC), PARAMS), copies=20_000)
    assert found.status is Status.FAIL
    assert "“age” came through unchanged" in found.sentence


REPLACED = PairsParams(epsilon=Epsilon(4), neighbours=Neighbours.REPLACED)


def test_that_the_noise_of_presence_under_a_claim_of_replacement_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """σ smaller by √2 or more: by the γ in use, and by draws."""
    honest = measurement.planned

    def too_small(variables: Any, rho: float, *, replaced: bool, **public: Any) -> Any:
        found = honest(variables, rho, replaced=False, **public)
        return replace(found, total=None) if replaced else found

    assert watched(REPLACED, 60_000).status is Status.PASS
    monkeypatch.setattr(central, "planned", too_small)
    central._planned.cache_clear()
    try:
        assert judged(exact_loss.SPEC, subject(pairs_gaussian.SPEC, REPLACED)).status is Status.FAIL
        assert watched(REPLACED, 60_000).status is Status.FAIL
    finally:
        central._planned.cache_clear()


def watched(params: PairsParams, draws: int = 15_000) -> Any:
    settings = table_sampler.TableSamplerParams(draws=draws, release_draws=1000)
    return table_sampler.SPEC.run(subject(pairs_gaussian.SPEC, params), settings, QUIET)[0]


@pytest.mark.parametrize("way", ["half", "one integer without", "not multiplied by the categories"])
def test_that_draws_of_the_tables_show_noise_that_is_too_small(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = measurement.scales

    def broken(measured: Any) -> Any:
        found = honest(measured).copy()
        if way == "half":
            return found / 2
        if way == "one integer without":
            found[3] = 1e-3
            return found
        return found / 4

    params = PairsParams(epsilon=Epsilon(4))
    assert watched(params).status is Status.PASS
    monkeypatch.setattr(measurement, "scales", broken)
    assert watched(params).status is Status.FAIL


def test_that_what_chances_show_of_rho_is_never_more_than_two_gaussians_have() -> None:
    """Any event of N(μ, 1) against N(0, 1), which has ρ = μ²/2; in the middle most of it shows."""
    from scipy.special import ndtr

    for rho in (0.01, 0.3, 2.0):
        shift = np.sqrt(2.0 * rho)
        edges = np.linspace(-4.0, 4.0 + shift, 400)
        shown = table_sampler.divergence_bound(1.0 - ndtr(edges - shift), 1.0 - ndtr(edges))
        assert shown.max() <= rho
        assert shown.max() > 0.6 * rho


def test_that_pairs_left_out_by_what_the_data_say_are_seen() -> None:
    made = pairs_gaussian.SPEC.release(survey(), FILE, ReleaseRandom(), QUIET)
    kept = np.ones(made.rows, dtype=bool)
    kept[100:112] = False
    columns = tuple(
        replace(each, codes=each.codes[kept]) if hasattr(each, "codes") else replace(each, integers=each.integers[kept])
        for each in made.columns
    )
    fewer = Release(columns=columns, mechanism=made.mechanism, version=made.version)
    assert judged(completeness.SPEC, subject(pairs_gaussian.SPEC, FILE, made)).status is Status.PASS
    assert judged(completeness.SPEC, subject(pairs_gaussian.SPEC, FILE, fewer)).status is Status.FAIL
