"""The door's questions beside DuckDB and pandas on the same codes: ratios of one run, best of several turns.

Everybody has the rows in memory, as integers of codes and cents. DuckDB may use all cores. Answers are compared where
both give the same columns: a quick answer that is wrong is none.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.microdata.table import CodedColumn, Column, Fingerprint, Microdata, NumericColumn
from workbench.tabulation.aggregates import Count, Distinct, Largest, Product, Sum, TotalOfLargest
from workbench.tabulation.contract import Highest
from workbench.tabulation.keys import Bins, Key, Scale
from workbench.tabulation.memory import Memory

ROWS = 4_000_000
TURNS = 3
SIZES = {"region": 50, "sector": 20, "title": 400, "institution": 2_000, "year": 20}
PERSONS = 1_500_000
PAY = Scale(column="pay", lower=0, upper=20_000_000, decimals=2)
HOURS = Scale(column="hours", lower=0, upper=8_000, decimals=1)
EDGES = tuple(range(1_000_000, 20_000_000, 1_000_000))


class Question(NamedTuple):
    """A question to the door, the same in SQL and, where it is fair, in pandas; and how much of DuckDB it may take."""

    title: str
    ours: Callable[[Memory], object]
    sql: str
    pandas: Callable[[Any], object] | None
    most: float


def made() -> tuple[Microdata, dict[str, Any]]:
    """Persons with several rows, most of them small; pay and hours on their grids."""
    rng = np.random.default_rng(1)
    person = np.minimum(rng.zipf(1.6, ROWS) * 37 + rng.integers(0, PERSONS, ROWS), PERSONS - 1).astype(np.int32)
    arrays: dict[str, Any] = {"person": person}
    arrays |= {name: rng.integers(0, size, ROWS).astype(np.int16) for name, size in SIZES.items()}
    arrays["pay"] = np.round(rng.lognormal(10, 0.8, ROWS), 2)
    arrays["hours"] = np.round(rng.uniform(0, 800, ROWS), 1)
    columns: dict[str, Column] = {}
    for name, values in arrays.items():
        if values.dtype.kind == "f":
            columns[name] = NumericColumn(name=name, numbers=Confidential(values))
        else:
            texts = np.array([f"{code:07}" for code in range(int(values.max()) + 1)])
            columns[name] = CodedColumn(name=name, codes=Confidential(values), values=texts)
    data = Microdata(name="rows", rows=ROWS, columns=columns, fingerprint=Fingerprint(file="", content=""))
    return data, arrays


KEYS = [Key.met("region"), Key.met("sector"), Key.met("year")]
PAY_SQL = "least(round_even(pay * 100, 0), 20000000)::BIGINT"
HOURS_SQL = "least(round_even(hours * 10, 0), 8000)::BIGINT"
QUESTIONS = (
    Question(
        "count by region × sector × year (20,000)",
        lambda rows: rows.grouped(KEYS, {"n": Count()}, QUIET),
        "SELECT region, sector, year, count(*) FROM t GROUP BY ALL",
        lambda frame: frame.groupby(["region", "sector", "year"], sort=False).size(),
        1.0,
    ),
    Question(
        "… with Σ pay, Σ pay², Σ pay·hours on grids",
        lambda rows: rows.grouped(
            KEYS, {"n": Count(), "x": Sum(PAY), "xx": Product(PAY, PAY), "xy": Product(PAY, HOURS)}, QUIET
        ),
        f"""SELECT region, sector, year, count(*), sum(x)::BIGINT, sum(x::HUGEINT * x), sum(x::HUGEINT * y)
            FROM (SELECT *, {PAY_SQL} AS x, {HOURS_SQL} AS y FROM t) GROUP BY ALL""",
        None,
        1.5,
    ),
    Question(
        "count by institution × title (800,000)",
        lambda rows: rows.grouped([Key.met("institution"), Key.met("title")], {"n": Count()}, QUIET),
        "SELECT institution, title, count(*) FROM t GROUP BY ALL",
        lambda frame: frame.groupby(["institution", "title"], sort=False).size(),
        0.5,
    ),
    Question(
        "histogram of pay by region (20 bins)",
        lambda rows: rows.grouped([Key.met("region"), Bins(of=PAY, edges=EDGES)], {"n": Count()}, QUIET),
        f"""SELECT region, CASE WHEN x < {EDGES[0]} THEN 0 ELSE least(x // 1000000, 19) END AS bin, count(*)
            FROM (SELECT region, {PAY_SQL} AS x FROM t) GROUP BY ALL""",
        None,
        2.0,
    ),
    Question(
        "persons, largest person and its total by sector",
        lambda rows: rows.grouped(
            [Key.met("sector")],
            {"units": Distinct("person"), "most": Largest("person"), "total": TotalOfLargest("person")},
            QUIET,
        ),
        """WITH held AS (SELECT sector, person, count(*) AS n FROM t GROUP BY ALL),
                whole AS (SELECT person, count(*) AS n FROM t GROUP BY ALL)
           SELECT sector, count(*), max(struct_pack(a := held.n, b := whole.n)) FROM held JOIN whole USING (person)
           GROUP BY sector""",
        None,
        1.5,
    ),
    Question(
        "all 10 two-way tables of 5 columns",
        lambda rows: rows.two_way([Key.met(name) for name in SIZES], QUIET),
        " UNION ALL ".join(
            f"SELECT {i}{j}, {a}, {b}, count(*) FROM t GROUP BY {a}, {b}"
            for i, a in enumerate(SIZES)
            for j, b in enumerate(SIZES)
            if i < j
        ),
        None,
        0.4,
    ),
    Question(
        "one row per person, institution, year by pay",
        lambda rows: rows.bounded(("person", "institution", "year"), Highest(PAY), QUIET),
        f"""SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY person, institution, year
            ORDER BY {PAY_SQL} DESC, hours, region, sector, title) AS n FROM t) WHERE n = 1""",
        None,
        2.0,
    ),
    Question(
        "rows that repeat person and institution",
        lambda rows: rows.repeated(("person", "institution"), QUIET),
        "SELECT sum(n - 1) FROM (SELECT count(*) AS n FROM t GROUP BY person, institution)",
        lambda frame: frame.duplicated(["person", "institution"]).sum(),
        1.0,
    ),
)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> bool:
    """Measure and print; true where every ratio to DuckDB holds."""
    import duckdb
    import pandas as pd

    print(f"Questions at the door about {ROWS:,} rows")
    data, arrays = made()
    frame = pd.DataFrame(arrays)
    connection = duckdb.connect(":memory:")
    connection.register("codes", arrays)
    connection.execute("CREATE TABLE t AS SELECT * FROM codes")
    rows = Memory(data)
    same_digits(rows, connection)
    print(f"  {'question':50} {'ours ms':>8} {'/DuckDB':>8} {'at most':>8} {'/pandas':>8}")
    good = True
    for question in QUESTIONS:
        turns: dict[str, Callable[[], object]] = {
            "ours": lambda question=question: question.ours(rows),  # type: ignore[misc]
            "duckdb": lambda question=question: connection.execute(question.sql).fetchnumpy(),  # type: ignore[misc]
        }
        if question.pandas is not None:
            turns["pandas"] = lambda question=question: question.pandas(frame)  # type: ignore[misc]
        taken: dict[str, float] = dict.fromkeys(turns, float("inf"))
        for _ in range(TURNS):
            for name, work in turns.items():
                taken[name] = min(taken[name], seconds(work))
        ratio = taken["ours"] / taken["duckdb"]
        good &= ratio <= question.most
        pandas = f"{taken['ours'] / taken['pandas']:8.2f}" if "pandas" in taken else ""
        print(f"  {question.title:50} {taken['ours'] * 1000:8.0f} {ratio:8.2f} {question.most:8.2f} {pandas}")
    print(f"  {'all targets hold' if good else 'NOT all targets hold'}")
    connection.close()
    return good


def same_digits(rows: Memory, connection: Any) -> None:
    """The second question in both: every sum to the last digit."""
    answer = rows.grouped(
        KEYS, {"n": Count(), "x": Sum(PAY), "xx": Product(PAY, PAY), "xy": Product(PAY, HOURS)}, QUIET
    )
    theirs = sorted(tuple(int(value) for value in row) for row in connection.execute(QUESTIONS[1].sql).fetchall())
    columns = [*answer.keys.reveal().T.tolist(), *(answer.column(name).tolist() for name in answer.values)]
    if list(zip(*columns, strict=True)) != theirs:
        raise SystemExit("door and DuckDB do not agree")
    print(f"  {len(theirs):,} groups agree with DuckDB to the last digit")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
