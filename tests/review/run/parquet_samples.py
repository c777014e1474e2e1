"""Samples of the products as Parquet, with plans that read them there: for engines that take nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.core.params import Rows
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import SAMPLES

VARIABLES = ("age", "sex", "region", "q01", "pct1", "pct2")  # of the survey: its other 35 are alike


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
