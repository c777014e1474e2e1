"""Jobs with gaps, a register of plants and a dictionary of parents: every step of shaping, on whichever engine."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.core.errors import UserProblem
from workbench.core.findings import Finding
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.microdata.content import of_columns
from workbench.microdata.dictionary import ColumnWords, DataDictionary
from workbench.microdata.load import Besides, besides_of, load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import (
    Comparison,
    Gap,
    Link,
    MissingRule,
    Recoding,
    RowRule,
    Shaping,
    Unmatched,
)  # fmt: skip
from workbench.microdata.shaping.shape import shape
from workbench.microdata.table import CodedColumn, Microdata
from workbench.tabulation.aggregates import Count, Sum
from workbench.tabulation.door import rows_of
from workbench.tabulation.engines.opening import open_duckdb
from workbench.tabulation.keys import Beyond, Key, Scale

DICTIONARY = DataDictionary(
    columns={
        "sector": ColumnWords(labels={"a1": "A", "a2": "B", "b1": "C"}, parents={"a1": "a", "a2": "a", "b1": "b"}),
        "sex": ColumnWords(labels={"f": "Women", "m": "Men"}),
    }
)
ROLES = {
    "worker": Role.WORKER, "plant": Role.ESTABLISHMENT, "sex": Role.PERSON, "county": Role.GEOGRAPHY,
    "owner": Role.WORKPLACE, "band": Role.PERSON, "branch": Role.WORKPLACE, "pay": Role.EARNINGS,
    "listed": Role.PREDICTOR,
}  # fmt: skip
BY_YEAR = {**{name: role for name, role in ROLES.items() if name != "plant"}, "plant_year": Role.ESTABLISHMENT}


@dataclass(frozen=True)
class Case:
    shaping: Shaping
    roles: dict[str, Role]
    missing: tuple[str, ...] = ()


def _link(**settings: Any) -> Rows[Link]:
    return Rows({"register": Link(key=("plant",), their_key=("id",), **settings)})


_RECODE = {
    "county": Recoding(of="place", prefix=2),
    "band": Recoding(of="age", edges=("25", "40.5")),
    "branch": Recoding(of="sector", parents=True),
}
CASES: dict[str, Case] = {
    "all steps": Case(
        Shaping(
            links=_link(unmatched=Unmatched.LEAVE_OUT, pad=True),
            recode=Rows({**_RECODE, "plant_year": Recoding(of="plant", keyed="year")}),
            missing=Rows({"sex": MissingRule(rows=Gap.OWN), "owner": MissingRule(rows=Gap.LEAVE_OUT)}),
            keep=Rows(
                {
                    "grown": RowRule(column="age", comparison=Comparison.AT_LEAST, values=("18",)),
                    "years": RowRule(column="year", comparison=Comparison.IN, values=("2024", "2025")),
                    "not": RowRule(column="sector", comparison=Comparison.NOT_EQUAL, values=("b1",)),
                    "paid": RowRule(column="pay", comparison=Comparison.PRESENT),
                }
            ),
        ),
        BY_YEAR,
    ),
    "kept without a match": Case(Shaping(links=_link(unmatched=Unmatched.KEEP), recode=Rows(_RECODE)), ROLES),
    "codes for nothing": Case(
        Shaping(recode=Rows({"county": _RECODE["county"]})),
        {n: r for n, r in ROLES.items() if n in ("worker", "plant", "sex", "county")},
        ("m", "p007"),
    ),
}


def write(folder: Path, rows: int = 400) -> None:
    rng = random.Random(3)
    plants = [f"{number:03}" if number % 2 else str(number) for number in range(30)]

    def some(value: str, share: float = 0.05) -> str | None:
        return None if rng.random() < share else value

    jobs = {
        "worker": [f"p{number:03}" for number in range(rows)],
        "plant": [some(rng.choice(plants)) for _ in range(rows)],
        "place": [rng.choice(["0101", "0102", "0201", "ä301"]) for _ in range(rows)],
        "sector": [some(rng.choice(["a1", "a2", "b1", "c9"])) for _ in range(rows)],
        "sex": [some(rng.choice(["f", "m", " m "]), 0.1) for _ in range(rows)],
        "year": [rng.choice(["2023", "2024", "2025"]) for _ in range(rows)],
        "age": [rng.choice([None, 17, 18, 25, 40, 41, 60]) for _ in range(rows)],
        "pay": [rng.choice([None, 10.25, float("nan"), 99.5]) for _ in range(rows)],
    }
    for part in range(2):
        (folder / "jobs").mkdir(parents=True, exist_ok=True)
        own = {name: values[part::2] for name, values in jobs.items()}
        pq.write_table(pa.table(own), folder / "jobs" / f"{part}.parquet")
    ids = ["1", "03", "005", "7", "7", "9", "9", "12", "0014", *plants[16:], None]
    owner = ["public", "private", None, "public", "public", "public", "private"]
    register = {
        "id": ids,
        "owner": [*owner, *("private" for _ in ids[len(owner) :])],
        "listed": [float(n % 3) if n % 5 else None for n in range(len(ids))],
    }
    register["listed"][3] = register["listed"][4] = 2.0
    (folder / "register").mkdir(exist_ok=True)
    pq.write_table(pa.table(register), folder / "register" / "register.parquet")


def in_memory(folder: Path, case: Case) -> tuple[Microdata, tuple[Finding, ...]]:
    linked = linked_tables(folder, case)
    besides = besides_of(case.shaping, {name: tuple(table.columns) for name, table in linked.items()})
    options = ReadOptions(missing=case.missing)
    loaded = load(folder / "jobs", options, case.roles, DICTIONARY, QUIET, besides)
    return shape(loaded, case.shaping, roles=case.roles, linked=linked, dictionary=DICTIONARY, context=QUIET)


def linked_tables(folder: Path, case: Case) -> dict[str, Microdata]:
    if not case.shaping.links:
        return {}
    roles = {name: role for name, role in case.roles.items() if name in ("owner", "listed")}
    needed = Besides(needed=frozenset(("id", *roles)))
    return {"register": load(folder / "register", ReadOptions(), roles, None, QUIET, needed)}


def in_duckdb(folder: Path, case: Case) -> Microdata:
    return open_duckdb(
        folder / "jobs", case.roles, DICTIONARY, QUIET, shaping=case.shaping, linked=linked_tables(folder, case),
        missing=case.missing,
    )  # fmt: skip


def said(data: Microdata) -> Any:
    """Everything that is known of the columns, and a table of all attributes with pay added up."""
    held = {
        name: (
            len(column.values) if data.columns[name].missing is not None else 0, column.missing, dict(column.labels),
            column.title,
        )
        for name, column in sorted(data.columns.items())
        if isinstance(column, CodedColumn)
    }  # fmt: skip
    coded = [name for name in held if name not in ("worker", "plant", "plant_year")]
    units = [name for name in ("plant", "plant_year") if name in data.columns]
    rows = rows_of(data)
    asked: dict[str, Any] = {"n": Count()}
    if "pay" in data.columns:
        asked["pay"] = Sum(Scale(column="pay", lower=0, upper=10_000, decimals=2, beyond=Beyond.OWN))
        asked["listed"] = Sum(Scale(column="listed", lower=0, upper=9, beyond=Beyond.OWN))
    found = rows.grouped([Key.met(name, Beyond.OWN) for name in coded], asked, QUIET)
    facts = [rows.units(unit, coded, QUIET) for unit in units]
    return (
        data.rows, held, found.keys.reveal().tolist(), {n: found.column(n).tolist() for n in asked},
        {n: list(t.reveal()) for n, t in found.met.items()},
        [(f.units.reveal(), f.most_rows.reveal(), {n: v.reveal() for n, v in f.varying.items()}) for f in facts],
    )  # fmt: skip


def content(data: Microdata) -> str:
    return data.fingerprint.content if data.elsewhere is not None else of_columns(data.columns, data.rows, QUIET)


def told(work: Any) -> str:
    """The problem that some work ends with."""
    try:
        work()
    except UserProblem as wrong:
        return str(wrong)
    return ""


BROKEN: dict[str, Case] = {
    "no match": Case(Shaping(links=_link(), recode=Rows(_RECODE)), ROLES),
    "no such column": Case(Shaping(recode=Rows({"county": Recoding(of="plaec", prefix=2)})), ROLES),
    "no number": Case(
        Shaping(keep=Rows({"r": RowRule(column="place", comparison=Comparison.BELOW, values=("3",))})),
        {"worker": Role.WORKER, "place": Role.GEOGRAPHY},
    ),
    "no parent": Case(Shaping(recode=Rows({"county": Recoding(of="place", parents=True)})), {"county": Role.GEOGRAPHY}),
    "no row": Case(
        Shaping(keep=Rows({"r": RowRule(column="year", comparison=Comparison.EQUAL, values=("1999",))})),
        {"worker": Role.WORKER, "year": Role.WORKPLACE},
    ),
    "gaps refused": Case(
        Shaping(missing=Rows({"sex": MissingRule(rows=Gap.REFUSE)})), {"worker": Role.WORKER, "sex": Role.PERSON}
    ),
    "code taken": Case(
        Shaping(missing=Rows({"sex": MissingRule(rows=Gap.OWN, code="f")})), {"worker": Role.WORKER, "sex": Role.PERSON}
    ),
    "keyed with numbers": Case(
        Shaping(recode=Rows({"plant_year": Recoding(of="plant", keyed="pay")})),
        {"plant_year": Role.ESTABLISHMENT, "pay": Role.EARNINGS},
    ),
    "role of nothing": Case(Shaping(recode=Rows({"county": _RECODE["county"]})), {**ROLES, "none": Role.WORKPLACE}),
}
