"""Targets in words, and the smallest ε that meets them, against sums made here."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tests.products.employment_tables.usefulness.test_grid import workload
from workbench.baselines.alternatives import error_of
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma import SmoothGammaParams
from workbench.products.employment_tables.usefulness.contenders import Contender
from workbench.products.employment_tables.usefulness.solving import Judge, Solved, solve
from workbench.products.employment_tables.usefulness.targets import Kind, target_from
from workbench.products.employment_tables.words import JOBS


@pytest.mark.parametrize(
    ("words", "kind", "share", "limit", "stratum"),
    [
        ("half within 5%", Kind.WITHIN, 0.5, 0.05, ""),
        ("90% within 20%", Kind.WITHIN, 0.9, 0.2, ""),
        ("90 % of cells within 20 % in 10k_100k", Kind.WITHIN, 0.9, 0.2, "10k_100k"),
        ("0.75 within 0.1 in every stratum", Kind.WITHIN, 0.75, 0.1, "every"),
        ("mean error <= 5 jobs", Kind.MEAN, 1.0, 5.0, ""),
        ("mean error at most 2.5", Kind.MEAN, 1.0, 2.5, ""),
        ("L1 <= 1.0 x baseline", Kind.L1, 1.0, 1.0, ""),
        ("L1 ≤ 0.8 times today in 100k_plus", Kind.L1, 1.0, 0.8, "100k_plus"),
    ],
)
def test_that_targets_are_read_as_meant(words: str, kind: Kind, share: float, limit: float, stratum: str) -> None:
    target = target_from(words)
    assert (target.kind, target.share, target.stratum) == (kind, share, stratum)
    assert target.limit == pytest.approx(limit)
    assert target.sentence(JOBS)


@pytest.mark.parametrize("words", ["", "good", "L1 <= 0 x baseline", "0% within 5%", "101% within 5%", "mean error 5"])
def test_that_a_target_nobody_understands_comes_back_with_examples(words: str) -> None:
    with pytest.raises(UserProblem, match=r"half within 5%"):
        target_from(words)


def test_that_an_unknown_stratum_is_named() -> None:
    with pytest.raises(UserProblem, match="10k_100k"):
        target_from("half within 5% in cities")


def solved(words: str, mechanism: AnyMechanism = smooth_gamma.SPEC) -> Solved:
    contender = Contender(name=mechanism.title, mechanism=mechanism, params=mechanism.params())
    return solve(Judge(workload(), target_from(words), seed=1), contender, QUIET)


def share_within(epsilon: Decimal, limit: float, trials: int = 800) -> float:
    """By drawing, cell by cell."""
    cells = workload().cells
    true, params = cells.count.reveal(), SmoothGammaParams(epsilon=Epsilon(epsilon), alpha=Alpha("0.1"))
    rng = StudyRandom(3)
    filled = true > 0
    inside = [
        np.mean(
            (np.abs(smooth_gamma.SPEC.study(cells, params, rng, QUIET).reveal().values - true) <= limit * true)[filled]
        )
        for _ in range(trials)
    ]
    return float(np.mean(inside))


def test_that_the_smallest_epsilon_meets_the_target_and_a_smaller_one_does_not() -> None:
    answer = solved("70% within 20%")
    assert answer.epsilon is not None
    assert share_within(answer.epsilon, 0.2) >= 0.7 - 0.01
    assert share_within(answer.epsilon * Decimal("0.9"), 0.2) < 0.7


def test_that_mean_and_l1_targets_are_met_in_closed_form() -> None:
    load = workload()
    today = float(error_of(load.baseline, load.cells.count.reveal()).mean.sum())
    for words, limit in (
        ("mean error <= 900 jobs", 900 * load.cells.domain.cells),
        ("L1 <= 0.9 x baseline", 0.9 * today),
    ):
        answer = solved(words)
        assert answer.epsilon is not None
        for epsilon, good in ((answer.epsilon, True), (answer.epsilon * Decimal("0.98"), False)):
            params = SmoothGammaParams(epsilon=Epsilon(epsilon))
            total = smooth_gamma.SPEC.expected_error(load.cells, params).reveal().sum()
            assert bool(total <= limit * (1 + 1e-5)) is good


def test_that_a_round_epsilon_is_found_exactly() -> None:
    """The error of integer Laplace noise at ε = 0.5 is the same in every cell, so that ε is the answer."""
    error = laplace.SPEC.calibrate(laplace.LaplaceParams(epsilon=Epsilon("0.5")), CellCase()).expected_absolute_error
    assert solved(f"mean error <= {error:.12f} jobs", laplace.SPEC).epsilon == Decimal("0.5")


def test_that_every_stratum_asks_for_at_least_what_each_one_asks_for() -> None:
    whole = solved("half within 10% in every stratum").epsilon
    parts = [solved(f"half within 10% in {key}").epsilon for key in ("0_100", "100_10k", "10k_100k", "100k_plus")]
    assert whole is not None
    assert whole == max(part for part in parts if part is not None)


def test_that_a_mechanism_that_never_reaches_the_target_says_so() -> None:
    answer = solved("all within 0.0001%", node_truncation.SPEC)
    assert not answer.reached
    assert answer.why == "no ε up to 50 meets the target"
    assert answer.by_draws
