"""Estimators of quasi-experiments: estimates by hand, sensitivities by fitting again, and χ over pretended changes."""

from __future__ import annotations

import dataclasses
from itertools import product

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.products.area_estimates.estimators.contract import Estimator, StudyRows, estimates, sides_of
from workbench.products.area_estimates.estimators.differences import Differences
from workbench.products.area_estimates.estimators.discontinuity import Discontinuity
from workbench.products.area_estimates.estimators.error_moves import error_moves
from workbench.products.area_estimates.estimators.line_at_rank import LineAtRank
from workbench.products.area_estimates.estimators.quasi_experiment import pretended
from workbench.products.area_estimates.estimators.study import QuasiExperimentParams, run_study, study_rows


def one_cell(seed: int, people: int = 24) -> StudyRows:
    random = np.random.default_rng(seed)
    treated = np.arange(people) % 2 == 0
    after = np.arange(people) % 4 >= 2
    return StudyRows(
        cell=np.zeros(people, np.int64), x=random.random(people), y=random.random(people), cells=1,
        treated=treated, after=after,
    )  # fmt: skip


def added(rows: StudyRows, x: float, y: float, treated: bool, after: bool) -> StudyRows:
    assert rows.treated is not None
    assert rows.after is not None
    return dataclasses.replace(
        rows,
        cell=np.append(rows.cell, 0),
        x=np.append(rows.x, x),
        y=np.append(rows.y, y),
        treated=np.append(rows.treated, treated),
        after=np.append(rows.after, after),
    )


@pytest.mark.parametrize(
    "estimator", [LineAtRank(), Differences(), Discontinuity(cutoff=0.4)], ids=lambda each: each.id
)
@pytest.mark.parametrize("seed", range(2))
def test_that_no_added_person_moves_the_error_further(estimator: Estimator, seed: int) -> None:
    """The same of the standard error, estimated again from the rows; between the searched places by hardly more."""
    rows = one_cell(seed)
    before = estimates(estimator, rows).error[0]
    most = 0.0
    for x, y in product(np.linspace(0, 1, 41), np.linspace(0, 1, 21)):
        for treated, after in product((False, True), repeat=2):
            if estimator.id != "difference-in-differences" and (treated or after):
                continue
            again = estimates(estimator, added(rows, x, y, treated, after)).error[0]
            most = max(most, abs(again - before))
    found = error_moves(estimator, sides_of(estimator, rows))[0]
    assert most <= found * 1.002
    assert most >= 0.9 * found


@pytest.mark.parametrize("estimator", [Differences(), Discontinuity(cutoff=0.4)], ids=lambda each: each.id)
def test_that_errors_of_effects_cover_what_they_say(estimator: Estimator) -> None:
    """Where nothing happened: 4,000 cells whose effect is zero, by nine intervals in ten."""
    random, cells, each = np.random.default_rng(5), 4000, 60
    cell = np.repeat(np.arange(cells), each)
    x = random.random(cells * each)
    rows = StudyRows(
        cell=cell, x=x, y=np.clip(0.3 + 0.3 * x + random.normal(0, 0.1, cells * each), 0, 1), cells=cells,
        treated=np.tile(np.arange(each) % 2 == 0, cells), after=np.tile(np.arange(each) % 4 >= 2, cells),
    )  # fmt: skip
    found = estimates(estimator, rows)
    assert np.mean(np.abs(found.value) <= 1.645 * found.error) == pytest.approx(0.9, abs=0.02)


def test_that_a_group_of_one_has_an_effect_and_no_error() -> None:
    rows = one_cell(3, people=7)  # one person after treatment
    sides = sides_of(Differences(), rows)
    assert min(side.size[0] for side in sides) == 1
    assert np.isfinite(estimates(Differences(), rows).value[0])
    assert np.isnan(Differences().error(sides)[0])
    assert error_moves(Differences(), sides)[0] == 0.0


@pytest.mark.parametrize(
    "estimator", [LineAtRank(), Differences(), Discontinuity(cutoff=0.4)], ids=lambda each: each.id
)
@pytest.mark.parametrize("seed", range(4))
def test_that_no_added_person_moves_the_estimate_further(estimator: Estimator, seed: int) -> None:
    """A second route: estimate again with a person at every place of a fine lattice, in every group."""
    rows = one_cell(seed)
    found = estimates(estimator, rows)
    most = 0.0
    for x in (*np.linspace(0, 1, 201), 0.4 - 1e-9):
        for y in (0.0, 0.5, 1.0):
            for treated in (False, True):
                for after in (False, True):
                    if estimator.id != "difference-in-differences" and (treated or after):
                        continue
                    again = estimates(estimator, added(rows, x, y, treated, after))
                    most = max(most, abs(again.value[0] - found.value[0]))
    assert most <= found.sensitivity[0] * (1 + 1e-9)
    assert most == pytest.approx(found.sensitivity[0], rel=2e-3)


def test_that_estimates_are_what_a_person_works_out() -> None:
    rows = one_cell(9)
    assert rows.treated is not None
    assert rows.after is not None
    means = {
        (t, a): rows.y[(rows.treated == t) & (rows.after == a)].mean() for t in (False, True) for a in (False, True)
    }
    by_hand = means[True, True] - means[True, False] - means[False, True] + means[False, False]
    assert estimates(Differences(), rows).value[0] == pytest.approx(by_hand)
    low, high = rows.x < 0.5, rows.x >= 0.5
    jump = [np.polyval(np.polyfit(rows.x[side], rows.y[side], 1), 0.5) for side in (low, high)]
    assert estimates(Discontinuity(), rows).value[0] == pytest.approx(jump[1] - jump[0])


def test_that_a_cell_without_a_group_or_a_side_has_no_estimate() -> None:
    rows = one_cell(1)
    alone = dataclasses.replace(rows, after=np.zeros(24, np.bool_))
    assert np.isnan(estimates(Differences(), alone).value[0])
    assert np.isnan(estimates(Discontinuity(cutoff=0.0001), rows).value[0])
    with pytest.raises(UserProblem):
        pretended(Differences(), rows, 0)


def test_that_the_sample_has_its_expected_values() -> None:
    """The simulated quasi-experiment of the sample, by the estimators one cell at a time."""
    params = QuasiExperimentParams()
    rows = study_rows(params)
    for estimator, value, chi in (
        (Differences(), EXPECTED[0][0], EXPECTED[0][1]),
        (Discontinuity(), EXPECTED[1][0], EXPECTED[1][1]),
    ):
        found = pretended(estimator, rows, 0)
        assert found.value == pytest.approx(value, rel=1e-6)
        assert found.chi == pytest.approx(chi, rel=1e-6)
        products = []
        for cell in range(params.cells):
            here = rows.cell == cell
            one = StudyRows(
                cell=np.zeros(here.sum(), np.int64), x=rows.x[here], y=rows.y[here], cells=1,
                treated=rows.treated[here], after=rows.after[here],
            )  # fmt: skip
            products.append(here.sum() * estimates(estimator, one).sensitivity[0])
        assert np.nanmax(products) == pytest.approx(found.chi)
        assert found.scale(8.0) == pytest.approx(found.chi / (8 * found.people))


EXPECTED = ((0.0798623034, 15.8952), (-0.183310529, 23.33063))


def test_that_the_study_tells_every_estimator_and_what_is_wrong_in_a_file() -> None:
    told = run_study({"experiment": {"cells": 20, "people": 80}}, "mine.toml", QUIET)
    judge_findings(told.findings)
    assert len(told.findings) == 3
    for wrong in ({"experiment": {"cell": 99}}, {"experiment": 3}, {"experimnt": {}}):
        with pytest.raises(UserProblem):
            run_study(wrong, "mine.toml", QUIET)
