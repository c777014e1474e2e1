"""Every product from aggregates alone: the integers that single rows would give, on whichever engine reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.review.run.parquet_samples import EFFECTS, parquet_plan, plan_of_case
from workbench.core.errors import Refused
from workbench.core.progress import QUIET
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import PreparedTable, prepare
from workbench.review.run.protect import protect
from workbench.review.run.tabulated import tabulate
from workbench.tabulation.watched import watch

PRODUCTS = ("model_fits", "survey_microdata", "outcome_reports", "area_estimates")
WEIGHTED = ("weighted survey_microdata", "weighted area_estimates")
CASES = (*PRODUCTS, *WEIGHTED, *EFFECTS)


@pytest.fixture(scope="module", params=CASES)
def plan(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return plan_of_case(request.param, tmp_path_factory.mktemp("plan"))


@pytest.fixture(scope="module")
def made(plan: Plan) -> Callable[..., PreparedTable]:
    """The table of this plan on an engine, made once for all that is asked of it."""
    return cache(partial(prepared, plan))


def prepared(plan: Plan, kind: str, *, aggregates: bool) -> PreparedTable:
    """From aggregates alone where the door is watched; from records otherwise."""
    loaded = load_data(replace(plan, engine=plan.engine.of_kind(kind)), base=Path(), context=QUIET)
    if aggregates:
        watch(loaded.microdata.kept)
    return prepare(loaded, plan, QUIET)


def integers_of(value: Any) -> list[np.ndarray]:
    """Whatever the release of this product adds noise to, and what its reviewers see beside it."""
    match type(value).__name__:
        case "FitData":
            rows = np.concatenate([value.grid.reveal(), value.outcome.reveal()[:, None]], axis=1)
            return [rows[np.lexsort(rows.T[::-1])], np.array([value.left_out.reveal(), value.beyond.reveal()])]
        case "SurveyData":
            from workbench.products.survey_microdata.central.measurement import exact_integers, squared_sums

            total, *parts = exact_integers(value, QUIET)
            squared = squared_sums(value) if value.weighing.weighted else []
            return [np.array(total), *(each for part in (*parts, squared) for each in part), value.settled.reveal()]
        case "Outcomes":
            edges = np.array([0.0, 10_000.0, 25_000.4, 25_000.7, 90_000.0, float(value.cap)])
            told = value.bounding.reveal()
            return [value.truth.reveal(), value.histogram(edges), np.array([told.unlisted, told.repeated, told.read])]
    table, facts = value.table.reveal(), value.facts.reveal()
    told = np.array([facts.rows, facts.unlisted, facts.outside, facts.repeated])
    return [table.sums, table.x_moment, table.y_moment, value.lines.reveal()[0].size, told]


def lines_of(value: Any) -> list[np.ndarray]:
    """The exact lines of area estimates, and those of the sides of an effect, which only reviewers see."""
    lines = [*value.lines.reveal()]
    if value.sides is not None:
        lines += [side for sides in value.sides.reveal() for side in sides]
    return [np.asarray(getattr(line, field.name)) for line in lines for field in fields(line)]


@pytest.mark.parametrize("kind", ["memory", "duckdb"])
def test_that_aggregates_give_the_integers_that_rows_give(made: Callable[..., PreparedTable], kind: str) -> None:
    wanted = integers_of(made("memory", aggregates=False).value)
    found = integers_of(made(kind, aggregates=True).value)
    assert len(wanted) == len(found)
    for one, other in zip(wanted, found, strict=True):
        assert np.array_equal(one, other)


def test_that_exact_lines_follow_from_sums(plan: Plan, made: Callable[..., PreparedTable]) -> None:
    if plan.product.id == "area_estimates":
        wanted, found = (made("memory", aggregates=each).value for each in (False, True))
        for one, other in zip(lines_of(wanted), lines_of(found), strict=True):
            assert np.allclose(one, other, rtol=1e-9, atol=1e-9)


def test_that_a_digest_compares_the_engines(plan: Plan) -> None:
    told = [
        tabulate(replace(plan, engine=plan.engine.of_kind(kind)), base=Path(), context=QUIET)
        for kind in ("memory", "duckdb")
    ]
    assert told[0].digest == told[1].digest
    assert told[0].fingerprint == told[1].fingerprint


def test_that_a_release_is_drawn_described_and_laid_beside_the_truth_without_rows(
    plan: Plan, made: Callable[..., PreparedTable]
) -> None:
    table = made("duckdb", aggregates=True)
    drawn = protect(table, plan, QUIET)
    assert drawn.release.rows
    with_rows = made("memory", aggregates=False)
    ours = table.product.side_by_side(table.value, drawn.table, ())
    theirs = with_rows.product.side_by_side(with_rows.value, drawn.table, ())
    for one, other in zip(ours, theirs, strict=True):
        for mine, his in zip(one.compared, other.compared, strict=True):
            for column, same in zip(mine.columns, his.columns, strict=True):
                assert np.allclose(column.values.reveal(), same.values.reveal(), rtol=1e-9, atol=1e-12, equal_nan=True)


def test_that_what_needs_single_people_is_refused_in_a_sentence(tmp_path: Path) -> None:
    plan = parquet_plan("area_estimates", tmp_path)
    value = prepared(plan, "duckdb", aggregates=True).value
    with pytest.raises(Refused, match=r"needs the single rows, which stay with DuckDB.*memory"):
        value.people.reveal()
