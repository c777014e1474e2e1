"""The route that needs no copy of the rows: DuckDB reads the loaded codes in place and aggregates on all cores.

Nothing is ever spilled to disk: intermediate results are confidential too. Where memory does not suffice even so,
that is said.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import Defect, UserProblem
from workbench.core.progress import Context
from workbench.tabulation.units.arrangement import Contents, Placed
from workbench.tabulation.units.tally import Counted, Tally

LOOK_EVERY = 0.05  # seconds between two questions whether to go on


def tabulate_duckdb(contents: Contents, placed: Placed, *, tally: Tally, context: Context) -> None:
    """Fill the tally from two queries at most: one row per cell, and one per contribution where asked for."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        connection.execute("SET temp_directory = ''")
        connection.execute("SET enable_progress_bar = false")
        _register(connection, contents, placed)
        who = _who(placed)
        cells = f"""
            SELECT cell, sum(held)::BIGINT AS held, count(*)::BIGINT AS units,
                   max((held << {tally.bits}) + rank)::BIGINT AS best
            FROM ({who}) GROUP BY cell"""
        found = _answer(connection, cells, context)
        tally.add(
            Counted(
                cells=found["cell"],
                count=found["held"],
                units=found["units"],
                best=found["best"],
            )
        )
        if tally.entries is not None:
            each = _answer(connection, who, context)
            tally.entries.append((each["cell"], each["code"].astype(np.int32), each["held"]))


def _register(connection: Any, contents: Contents, placed: Placed) -> None:
    """Views on the arrays themselves: rows as loaded, units with their cell, positions of row attributes."""
    of_row = placed.grid.crossed
    codes_of = {f"w{number}": contents.raw_row[name] for number, name in enumerate(of_row)}
    connection.register("records", {"unit": contents.raw_unit, **codes_of})
    sizes = np.diff(np.append(contents.group_start, len(contents.total)))
    units = {
        "code": contents.identifier,
        "cell": np.repeat(placed.place_of_group, sizes),
        "rank": contents.total_rank,
    }
    connection.register("units", units)
    for number, name in enumerate(of_row):
        positions = contents.positions[name]
        codes = np.arange(len(positions), dtype=np.int32)
        connection.register(f"value{number}", {"code": codes, "position": positions.astype(np.int64)})


def _who(placed: Placed) -> str:
    """The query for one row per unit and cell with at least one row."""
    combination, joins = "0::BIGINT", ""
    for number, size in enumerate(placed.grid.crossed_sizes):
        combination = f"({combination} * {size} + value{number}.position)"
        joins += f" JOIN value{number} ON records.w{number} = value{number}.code"
    return f"""
        SELECT units.cell * {placed.grid.crossings} + {combination} AS cell,
               units.code AS code, units.rank AS rank, count(*)::BIGINT AS held
        FROM records JOIN units ON records.unit = units.code{joins}
        GROUP BY 1, 2, 3"""


def _answer(connection: Any, query: str, context: Context) -> dict[str, Integers]:
    """Run the query aside and keep asking leave; a cancel interrupts it at once."""
    import duckdb

    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["columns"] = connection.execute(query).fetchnumpy()
        except duckdb.Error as wrong:
            outcome["wrong"] = wrong

    work = threading.Thread(target=run, name="tabulation in DuckDB", daemon=True)
    work.start()
    try:
        while work.is_alive():
            context.step(0.5, "counting rows in DuckDB")
            work.join(LOOK_EVERY)
    finally:
        if work.is_alive():
            connection.interrupt()
            work.join()
    if isinstance(outcome.get("wrong"), duckdb.OutOfMemoryException):
        raise UserProblem("There is not enough memory for this table", do="Choose fewer attributes or coarser ones")
    if "wrong" in outcome:
        raise Defect(f"tabulating in DuckDB failed: {type(outcome['wrong']).__name__}")
    columns: dict[str, Integers] = outcome["columns"]
    return columns
