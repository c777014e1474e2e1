"""The contest of mechanisms agrees with the measure of one mechanism, and says what cannot run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import compared
from workbench.baselines.alternatives import ProtectedValues
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.products import registry
from workbench.products.employment_tables.product import SPEC as PRODUCT
from workbench.products.employment_tables.usefulness import contest, l1_error, ranking


def _of(name: str) -> Any:
    return next(mechanism for mechanism in PRODUCT.mechanisms if mechanism.id == name)


@pytest.mark.parametrize(
    "name", ["log-laplace", "smooth-gamma", "smooth-laplace", "block-gamma", "block-laplace", "log-staircase"]
)
def test_that_a_mechanism_has_the_same_error_in_the_contest_as_alone(name: str) -> None:
    comparison = compared(PRODUCT, _of(name))
    [found] = contest.SPEC.run(comparison, contest.ContestParams(), QUIET)
    alone = l1_error.SPEC.run(comparison, l1_error.SPEC.params(), QUIET)[0].values["ratio"]
    titles = [row[0] for row in found.tables[0].rows]
    mine = next(row for row in found.tables[0].rows if str(row[0]).startswith(_of(name).title))
    assert len(titles) == len(set(titles)) == 9
    assert mine[2] == pytest.approx(alone, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("smooth-gamma", {"tail_exponent": Decimal(5), "worker_floor": Decimal(2)}),
        ("log-laplace", {"unbiased": True}),
        ("laplace", {"jobs_per_worker": 3}),
        ("node-truncation", {"theta": 40}),
    ],
)
def test_that_the_release_has_one_error_with_its_own_settings_and_beside_suppressed_cells(name: str, own: Any) -> None:
    """Two places that show the error of this release show the same number, whatever was set or left out."""
    comparison = compared(PRODUCT, _of(name))
    values = comparison.baseline.reveal().astype(np.float64).copy()
    values[:3] = np.nan
    params = replace(comparison.mechanism_params, epsilon=Epsilon("3"), **own)
    rival = replace(comparison.rivals[0], gives=ProtectedValues(values=Confidential(values)))
    comparison = replace(comparison, mechanism_params=params, rivals=(rival,))
    [found] = contest.SPEC.run(comparison, contest.ContestParams(), QUIET)
    alone = l1_error.SPEC.run(comparison, l1_error.SPEC.params(), QUIET)[0].values["ratio"]
    mine = next(row for table in found.tables for row in table.rows if str(row[0]).startswith(_of(name).title))
    assert mine[2] == pytest.approx(alone, rel=1e-6)


def test_that_rejected_mechanisms_say_what_they_leave_open() -> None:
    [found] = contest.SPEC.run(compared(PRODUCT, _of("block-gamma")), contest.ContestParams(), QUIET)
    rows = {str(row[0]): row for row in found.tables[1].rows}
    assert "Employers' sizes" in str(rows["Laplace, worker level"][3])
    assert len(rows) == 4
    assert all(row[3] for row in rows.values())
    assert float(rows["Truncation, establishment level"][2]) > float(rows["Laplace, worker level"][2])


def test_that_what_cannot_run_says_from_which_epsilon_it_could() -> None:
    comparison = compared(PRODUCT, _of("laplace"))
    params = replace(comparison.mechanism_params, epsilon=Epsilon("0.1"))
    [found] = contest.SPEC.run(replace(comparison, mechanism_params=params), contest.ContestParams(), QUIET)
    obstacles = {str(row[0]): str(row[3]) for row in found.tables[0].rows if row[2] is None}
    # Feasible above 3·ln(1+α) for each worker cell, and the worker cells of a workplace share ε.
    least = 3 * math.log(1.1) * comparison.prepared.domain.worker_combinations
    assert obstacles["Smooth Gamma (tight)"] == f"needs ε of at least {least:.4g}"
    assert all(words.startswith(("needs", "not possible")) for words in obstacles.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnotherAlpha:
    """Params of another product's mechanism: its α has nothing to do with employers."""

    alpha: int = 1
    epsilon: Epsilon = field(default_factory=lambda: Epsilon("1"))


def test_that_a_mechanism_of_another_product_takes_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = replace(PRODUCT, id="other_tables", mechanisms=(replace(_of("laplace"), params=_AnotherAlpha),))
    monkeypatch.setattr(registry, "PRODUCTS", (*registry.PRODUCTS, stranger))
    comparison = compared(PRODUCT, _of("log-laplace"))
    assert comparison.mechanisms == PRODUCT.mechanisms
    [found] = contest.SPEC.run(comparison, contest.ContestParams(), QUIET)
    assert len(found.tables[0].rows) == 9


def test_that_a_table_of_one_stratum_shows_each_figure_once() -> None:
    comparison = compared(PRODUCT, _of("block-gamma"))
    domain = comparison.prepared.domain
    plain = tuple(replace(attribute, populations=()) for attribute in domain.workplace)
    cells = replace(comparison.prepared, domain=replace(domain, workplace=plain))
    [several] = contest.SPEC.run(comparison, contest.ContestParams(), QUIET)
    [one] = contest.SPEC.run(replace(comparison, prepared=cells), contest.ContestParams(), QUIET)
    assert len(one.figures) == 1 < len(several.figures)


def test_that_beside_exact_values_no_mechanism_is_called_impossible() -> None:
    """Cell suppression prints exact values: its error is zero, and every mechanism runs all the same."""
    comparison = compared(PRODUCT, _of("block-gamma"))
    exact = comparison.prepared.count.reveal().astype(np.float64)
    exact[:3] = np.nan
    rival = replace(comparison.rivals[0], title="Cell suppression", gives=ProtectedValues(values=Confidential(exact)))
    beside = replace(comparison, rivals=(rival,))
    [found] = contest.SPEC.run(beside, contest.ContestParams(), QUIET)
    assert found.sentence == "The error of cell suppression is zero on these data, so no ratio to it exists."
    assert found.tables[1].rows[-1][2] is None
    assert "factor" not in str(found.tables[1].rows[-1][3])
    [ranked] = ranking.SPEC.run(beside, ranking.SPEC.params(), QUIET)
    assert "not defined" not in ranked.sentence
