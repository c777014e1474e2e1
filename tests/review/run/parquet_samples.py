"""Samples of the products as Parquet, with plans that read them there: for engines that take nothing else."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.core.params import Rows
from workbench.microdata.roles import Role
from workbench.products import registry
from workbench.products.area_estimates.params import COMPARISON, EstimatorKind
from workbench.review.plan.plan import Choice, Plan
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import SAMPLES

VARIABLES = ("age", "sex", "region", "q01", "pct1", "pct2")  # of the survey: its other 35 are alike


EFFECTS = ("difference-in-differences", "regression-discontinuity")


def parquet_plan(product: str, folder: Path, *, rows: int | None = None) -> Plan:
    """The plan of a sample, its files stored as Parquet beneath a folder."""
    home = SAMPLES[product]
    plan = read_plan(home / "plan.toml")
    data = plan.data
    numbers = {name for name, role in data.roles.items() if role.numbers}
    path = _stored(home / data.path, folder / "data", numbers, rows)
    linked = {n: str(_stored(home / p, folder / n, numbers, None)) for n, p in data.linked.items()}
    companions = {n: str(home / p) for n, p in data.companions.items() if p}
    words = str(home / data.dictionary) if data.dictionary else ""
    made = replace(
        plan, data=replace(data, path=str(path), linked=linked, companions=companions, dictionary=words)
    )  # fmt: skip
    if product != "survey_microdata":
        return made
    params = made.product.params
    few = replace(params, variables=Rows({n: v for n, v in params.variables.items() if n in VARIABLES}))
    roles = {n: r for n, r in made.data.roles.items() if n in (*VARIABLES, "respondent")}
    return replace(made, product=replace(made.product, params=few), data=replace(made.data, roles=roles))


def plan_of_case(case: str, folder: Path, *, rows: int | None = None) -> Plan:
    """The plan of a product, of “weighted” one, or of an effect."""
    if case in EFFECTS:
        return with_effect(parquet_plan("area_estimates", folder, rows=rows), folder / "effect", case)
    product = case.removeprefix("weighted ")
    plan = parquet_plan(product, folder, rows=rows)
    return plan if product == case else with_weights(plan, folder / "weighted")


def with_weights(plan: Plan, folder: Path) -> Plan:
    """The same plan with survey weights up to ten: some negative, some beyond that, one in fifty missing."""
    [path] = Path(plan.data.path).glob("*.parquet")
    table = pq.read_table(path)
    weights = np.random.default_rng(1).uniform(-0.5, 12, table.num_rows)
    weights[::50] = np.nan
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table.append_column("weight", pa.array(weights, pa.float64(), from_pandas=True)), folder / path.name)
    more: dict[str, object] = {"weight": "weight", "most_weight": 10}
    if plan.product.id == "survey_microdata":
        more["planned"] = 5_000
    return _changed(replace(plan, data=replace(plan.data, path=str(folder))), {"weight": Role.WEIGHT}, more)


def with_effect(plan: Plan, folder: Path, estimator: str) -> Plan:
    """The plan of area estimates with an effect in the place of its line."""
    [path] = Path(plan.data.path).glob("*.parquet")
    table, random = pq.read_table(path), np.random.default_rng(2)
    for name in ("treated", "after"):
        told = random.choice([0.0, 1.0, 2.0, -1.0, np.nan], table.num_rows, p=[0.48, 0.48, 0.01, 0.01, 0.02])
        table = table.append_column(name, pa.array(told, pa.float64(), from_pandas=True))
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / path.name)
    there = replace(plan, data=replace(plan.data, path=str(folder)))
    if estimator == "difference-in-differences":
        both = {"treated": COMPARISON, "after": COMPARISON}
        return _changed(there, both, {"estimator": EstimatorKind(estimator), "treated": "treated", "after": "after"})
    return _changed(there, {}, {"estimator": EstimatorKind(estimator), "cutoff": Decimal("0.4")})


def _changed(plan: Plan, roles: dict[str, Role], settings: dict[str, object]) -> Plan:
    params = replace(plan.product.params, **settings)
    mechanism = plan.mechanism
    if "estimator" in settings:
        mechanism = Choice.of(next(each for each in registry.product("area_estimates").mechanisms if each.id == "mos"))
    data = replace(plan.data, roles={**plan.data.roles, **roles})
    return replace(plan, product=replace(plan.product, params=params), data=data, mechanism=mechanism)


def _stored(file: Path, folder: Path, numbers: set[str], rows: int | None) -> Path:
    frame = pd.read_csv(file, dtype=str, nrows=rows)
    folder.mkdir(parents=True, exist_ok=True)
    columns = {
        name: pa.array(pd.to_numeric(frame[name]), pa.float64(), from_pandas=True)
        if name in numbers
        else pa.array(frame[name].where(frame[name].notna(), None).tolist(), pa.string())
        for name in frame.columns
    }
    pq.write_table(pa.table(columns), folder / f"{file.stem}.parquet")
    return folder
