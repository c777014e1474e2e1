"""Events fixed beforehand: golden probabilities, and the smallest breach that is promised is the one that is seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.contract import twins
from tests.products.employment_tables import hand_made
from workbench.audit.black_box import SPEC, BlackBoxParams
from workbench.audit.contract import Subject
from workbench.audit.law_loss import grid_of
from workbench.audit.pooled_events import DIRECTIONS, TESTS, Hits, WatchedPair, critical, met, watched_pairs
from workbench.audit.visible_breach import chances, event, expected_z, possible_tests, smallest_visible, step_of
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.noise.declared.pairs import shifted
from workbench.noise.declared.shapes import PowerShape
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma, smooth_gamma_loss
from workbench.products.employment_tables.words import JOBS

SHAPE = PowerShape(4.0)


def test_that_events_and_their_chances_are_the_published_ones(golden: Any) -> None:
    table = golden("audit_events")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        epsilon, ratio = inputs["eps"], inputs["scale_ratio"]
        kappa = smooth_gamma_loss.tight_kappa(epsilon, inputs["alpha"], 4.0)
        known = {"shift": 1.0 / kappa, "ratio": ratio, "grown": inputs["likelier"] == "grown"}
        found = event(SHAPE, suspected=inputs["suspected_factor"], epsilon=epsilon, **known)
        assert kappa * np.array(found) == pytest.approx(np.array(expected["interval_in_units_of_S"]), rel=table["rtol"])
        p, q = chances(SHAPE, found, true=inputs["true_factor"], **known)
        assert (p, q) == pytest.approx((expected["p"], expected["q"]), rel=table["rtol"])
        z = expected_z(p, q, epsilon, inputs["draws_each_side"])
        assert z == pytest.approx(expected["expected_z"], rel=table["rtol"])
        steps = np.full(2, 1.0 / (kappa * inputs["true_factor"]))
        losses, _ = shifted(SHAPE, steps, (np.ones(2), np.array([1.0, 1.1])), epsilon)
        assert losses.max() == pytest.approx(expected["true_loss"], rel=table["rtol"])


def _pairs(epsilon: str, copies: int) -> tuple[WatchedPair, ...]:
    """Those of the claim's neighbours that the black box watches."""
    params = smooth_gamma.SmoothGammaParams(epsilon=Epsilon(epsilon))
    prepared = hand_made.cells(worker=False)
    claim = smooth_gamma.SPEC.claim(prepared, params)
    grid = grid_of(prepared, claim)
    assert grid is not None
    return watched_pairs(grid, smooth_gamma.SPEC, params, claim, copies)


@pytest.mark.parametrize(("epsilon", "limit"), [("0.5", 1.08), ("1", 1.05), ("2", 1.05), ("4", 1.05)])
def test_that_the_smallest_visible_breach_is_within_reach(epsilon: str, limit: float) -> None:
    """At 95 % confidence with 733,000 draws a side, the share of the grid in what the default study costs."""
    kappa, tests = (
        smooth_gamma_loss.tight_kappa(float(epsilon), 0.1, 4.0),
        possible_tests(_pairs(epsilon, 1), float(epsilon)),
    )
    risk = 0.95 * 0.05 / len(tests)
    found = smallest_visible(SHAPE, shift=1.0 / kappa, ratio=1.1, epsilon=float(epsilon), draws=733_000, risk=risk)
    assert found is not None
    assert 1.0 < found <= limit


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_that_every_pair_adds_what_the_formula_counts_on(epsilon: str) -> None:
    """The formula takes all draws to be of one kind, so a pair turned the other way would make its promise false."""
    epsilon_, rng, copies = float(epsilon), StudyRandom(5), 20_000
    pairs = _pairs(epsilon, copies)
    params = smooth_gamma.SmoothGammaParams(epsilon=Epsilon(epsilon))
    assert len({pair.description for pair in pairs}) == 3
    for pair in pairs:
        shape, shift, ratio = step_of(pair) or (SHAPE, 0.0, 1.0)
        told = event(shape, shift=shift, ratio=ratio, suspected=0.97, epsilon=epsilon_, grown=True)
        p, q = chances(shape, told, shift=shift, ratio=ratio, true=1.0, grown=True)
        for side, chance in ((pair.first, p), (pair.second, q)):
            drawn = smooth_gamma.SPEC.study(side.reveal(), params, rng, QUIET).reveal().values.ravel()
            seen = met(pair, drawn, (DIRECTIONS[0], 0.97), epsilon_)
            assert seen == pytest.approx(copies * chance, abs=5.0 * (copies * chance) ** 0.5 + 0.05 * copies * chance)


def test_that_events_which_nothing_can_meet_take_no_share_of_the_risk() -> None:
    """At ε 0.5 values tell by more than ε on one side only; a test of the other side could never fail."""
    pairs = _pairs("0.5", 1000)
    tests = possible_tests(pairs, 0.5)
    assert [direction for direction, _ in tests] == [DIRECTIONS[0]] * 3
    values = np.arange(-20_000, 20_000, dtype=np.int64)[:, None]
    for pair in pairs:
        for test in set(TESTS) - set(tests):
            wide = replace(pair, laws=tuple(_tiled(law, len(values)) for law in pair.laws), copies=len(values))
            assert met(wide, values.ravel(), test, 0.5) == 0


def _tiled(law: Any, times: int) -> Any:
    return replace(law, center=np.repeat(law.center[:1], times), scale=np.repeat(law.scale[:1], times))


@pytest.mark.parametrize("epsilon", ["1", "2"])
def test_that_the_black_box_sees_the_breach_it_promises(epsilon: str) -> None:
    """Noise × 0.9 loses about 1.1 ε or more, above the smallest visible breach; the honest sampler passes beside it."""
    params = smooth_gamma.SmoothGammaParams(epsilon=Epsilon(epsilon))
    draws = BlackBoxParams(draws=1000, release_draws=100_000, seed=3)
    for mechanism, status in ((_Tenth(smooth_gamma.SPEC), Status.FAIL), (smooth_gamma.SPEC, Status.PASS)):
        subject = Subject(words=JOBS, prepared=hand_made.cells(worker=False), mechanism=mechanism, params=params)  # type: ignore[arg-type]
        _, release = SPEC.run(subject, draws, QUIET)
        assert release.status is status, release.sentence
        assert 1.0 < float(str(release.values["visible_breach"])) < 1.12
        assert "smallest breach this would have seen" in release.sentence


class _Tenth(twins.LessNoise):
    share = 0.88


def test_that_a_pooled_bound_is_wrong_no_more_often_than_its_risk() -> None:
    """True loss exactly 1: p = e·q. At risk 0.05 at most about one bound in twenty may exceed it."""
    rng, q, draws = np.random.Generator(np.random.PCG64(4)), 0.01, 100_000
    likely, unlikely = rng.binomial(draws, np.e * q, 2000), rng.binomial(draws, q, 2000)
    above = [
        Hits(direction="", suspected=1.0, likely=int(x), unlikely=int(y), draws=draws).lower(0.0, 0.05) > 1.0
        for x, y in zip(likely, unlikely, strict=True)
    ]
    assert np.mean(above) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 2000)
    assert critical(0.05) == pytest.approx(1.645, abs=1e-3)
