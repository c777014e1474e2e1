"""The four products that are made of people, from a cluster: the digests of memory, and nothing but aggregates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.review.run.parquet_samples import parquet_plan, plan_of_case
from workbench.core.errors import Refused
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import prepare
from workbench.review.run.tabulated import Tabulated, tabulate
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.in_spark import SparkEngine


def tabulated(plan: Plan, engine: EngineParams) -> Tabulated:
    return tabulate(replace(plan, engine=engine), base=Path(), context=QUIET)


CASES = (
    "model_fits", "weighted survey_microdata", "outcome_reports", "weighted area_estimates",
    "difference-in-differences", "regression-discontinuity",
)  # fmt: skip


@pytest.mark.parametrize("product", CASES)
def test_that_a_cluster_tabulates_every_product_with_the_digits_of_memory(
    product: str, one_session: EngineParams, engine: SparkEngine, tmp_path: Path
) -> None:
    plan = plan_of_case(product, tmp_path, rows=1_500)
    before = len(engine.results)
    found, wanted = tabulated(plan, one_session), tabulated(plan, plan.engine.of_kind("memory"))
    assert (found.rows, found.cells, found.fingerprint) == (wanted.rows, wanted.cells, wanted.fingerprint)
    assert found.digest == wanted.digest
    assert max(engine.results[before:]) < 1_500  # fewer than rows: listed cells, combinations, values


def test_that_a_fit_with_continuous_predictors_is_refused_with_the_engine_that_can(
    one_session: EngineParams, tmp_path: Path
) -> None:
    plan = parquet_plan("model_fits", tmp_path, rows=200)
    params = plan.product.params
    free = Rows({name: replace(row, levels=0) for name, row in params.predictors.items()})
    continuous = replace(
        plan, product=replace(plan.product, params=replace(params, predictors=free)), engine=one_session
    )
    loaded = load_data(continuous, base=Path(), context=QUIET)
    with pytest.raises(Refused, match=r"one record for each person, which cannot leave the Spark cluster.*duckdb"):
        prepare(loaded, continuous, QUIET)
    few = Rows({name: replace(row, levels=2) for name, row in params.predictors.items()})
    coarse = replace(continuous, product=replace(plan.product, params=replace(params, predictors=few)))
    with pytest.raises(Refused, match=r"more than the 4 combinations that the plan declares.*duckdb"):
        prepare(load_data(coarse, base=Path(), context=QUIET), coarse, QUIET)
