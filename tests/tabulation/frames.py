"""Small microdata of every kind of column, in any order of rows, and the same rows as a table in DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from workbench.core.confidential import Confidential
from workbench.microdata.table import MISSING, CodedColumn, Column, Fingerprint, Microdata, NumericColumn

Frame = dict[str, list[Any]]
REGIONS = ("N", "E", "S", "W")
NUMBERS = ("pay", "x", "y")


def people(rows: int, seed: int) -> Frame:
    """Persons at institutions in years, many of them several times; pay to the cent with many ties and some gaps."""
    rng = np.random.default_rng(seed)
    region = rng.choice(["N", "E", "S", "W", "?"], rows, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    return {
        "person": [f"p{n:03}" for n in rng.integers(0, max(rows // 3, 1), rows)],
        "institution": [f"i{n}" for n in rng.integers(0, 5, rows)],
        "year": [str(2020 + n) for n in rng.integers(0, 3, rows)],
        "title": [f"t{n}" for n in rng.integers(0, 4, rows)],
        "region": [None if rng.random() < 0.04 else str(value) for value in region],
        "pay": [None if rng.random() < 0.05 else float(n) / 4 for n in rng.integers(-8, 60, rows)],
        "x": [float(value) for value in rng.normal(0, 50, rows)],
        "y": [float(value) for value in rng.normal(10, 3, rows)],
    }


def shuffled(frame: Frame, seed: int) -> Frame:
    order = np.random.default_rng(seed).permutation(len(next(iter(frame.values()))))
    return {name: [column[row] for row in order] for name, column in frame.items()}


def coded(name: str, texts: Sequence[str | None], labels: Mapping[str, str] | None = None) -> CodedColumn:
    values = sorted({text for text in texts if text is not None})
    place = {text: code for code, text in enumerate(values)}
    codes = np.array([MISSING if text is None else place[text] for text in texts], dtype=np.int32)
    missing = int(np.count_nonzero(codes < 0))
    return CodedColumn(name=name, codes=Confidential(codes), values=tuple(values), labels=labels or {}, missing=missing)


def microdata(frame: Frame) -> Microdata:
    columns: dict[str, Column] = {}
    for name, values in frame.items():
        if name in NUMBERS:
            numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
            missing = int(np.count_nonzero(np.isnan(numbers)))
            columns[name] = NumericColumn(name=name, numbers=Confidential(numbers), missing=missing)
        else:
            columns[name] = coded(name, values)
    rows = len(next(iter(frame.values())))
    return Microdata(name="rows.csv", rows=rows, columns=columns, fingerprint=Fingerprint(file="", content=""))


def sql(frame: Frame, query: str) -> list[tuple[Any, ...]]:
    """What DuckDB says about the table `t`; a cell without a value is NULL."""
    kinds = {name: "float64" if name in NUMBERS else "string" for name in frame}
    table = pd.DataFrame(
        {name: pd.array(values, dtype=kinds[name].replace("float", "Float")) for name, values in frame.items()}
    )
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET threads = 1")
        connection.register("t", table)
        return connection.execute(query).fetchall()


def on_grid(column: str, lower: int, upper: int, decimals: int) -> str:
    """The same grid in SQL. DuckDB's least and greatest pass over NULL, so it is kept by hand."""
    cut = f"greatest(least(round_even({column} * {10**decimals}::DOUBLE, 0), {upper}), {lower})::BIGINT"
    return f"(CASE WHEN {column} IS NOT NULL THEN {cut} END)"
