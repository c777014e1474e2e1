"""A million records of forty answers: packed, stored, read back and written, against one draw per value.

One numpy draw per value is `Generator.integers(0, 256, dtype=uint8)`, measured in the same run: whoever draws a record
file must not wait longer for what is done with it afterwards.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from workbench.core.claims import Claim, Definition
from workbench.core.published import Coded, ColumnRole, Published
from workbench.outputs.csv_file import csv_bytes
from workbench.project.records import DatasetRecord, RunRecord
from workbench.project.store import create
from workbench.project.tables import runs
from workbench.project.tables.values import PackedValues, packed_values

ROWS, VARIABLES = 1_000_000, 40
LEVELS = (2, 2, 2, 3, 4, 5, 5, 7, 10, 12, 16, 20, 50, 100, 200)  # of one variable after another
ROUNDS = 7


def main() -> int:
    table = _records()
    spelt = pa.table({column.name: pa.array(column.texts()) for column in table.columns})
    with tempfile.TemporaryDirectory() as folder:
        rounds = [_round(table, spelt, Path(folder) / f"{number}.dwb") for number in range(ROUNDS)]
    least = {name: min(each[name] for each in rounds) for name in rounds[0]}
    print(f"one numpy draw per value, {ROWS:,} × {VARIABLES}: {least['draw']:.3f} s")
    told = (
        ("packing", least["packing"], least["draw"], 3.0, "draws"),
        ("storing what is packed, commit included", least["storing"], least["draw"], 3.0, "draws"),
        ("reading back, checked against its SHA-256", least["reading"], least["draw"], 3.0, "draws"),
        ("CSV", least["csv"], least["arrow"], 2.0, "times pyarrow.csv.write_csv"),
    )
    missed = False
    for name, seconds, unit, most, words in told:
        missed |= seconds > most * unit
        print(f"{name}: {seconds:.3f} s, {seconds / unit:.2f} {words} (at most {most:g})")
    return 1 if missed else 0


def _round(table: Published, spelt: pa.Table, path: Path) -> dict[str, float]:
    """Everything once, one after the other: what else the machine does then falls on all of it alike."""
    storing, reading, packing = _stored(path, table)
    return {
        "draw": _seconds(_drawn),
        "packing": packing,
        "storing": storing,
        "reading": reading,
        "arrow": _seconds(lambda: pyarrow.csv.write_csv(spelt, io.BytesIO())),
        "csv": _seconds(lambda: csv_bytes(table)),
    }


def _records() -> Published:
    rng = np.random.default_rng(7)
    columns = []
    for place in range(VARIABLES):
        levels = LEVELS[place % len(LEVELS)]
        shares = rng.dirichlet(np.ones(levels))
        codes = rng.choice(levels, ROWS, p=shares).astype(np.int32)
        values = tuple(f"{code:02d}" for code in range(levels))
        columns.append(Coded(name=f"answer {place + 1}", codes=codes, values=values, role=ColumnRole.VALUE))
    return Published(columns=tuple(columns), records=True)


def _drawn() -> None:
    rng = np.random.default_rng(1)
    for _ in range(VARIABLES):
        rng.integers(0, 256, ROWS, dtype=np.uint8)


def _stored(path: Path, table: Published) -> tuple[float, float, float]:
    """Seconds to store packed values in a project file, to read them back, and to pack them."""
    claim = Claim(
        definition=Definition.LOCAL, unit="one person", epsilon=Decimal(1), formal=True, sentence="A benchmark.",
        assumptions=("None.",),
    )  # fmt: skip
    packing: list[float] = []

    def packed(values: Published) -> PackedValues:
        begun = time.perf_counter()
        made = packed_values(values)
        packing.append(time.perf_counter() - begun)
        return made

    runs.packed_values = packed
    with create(path, person="Benchmark") as project:
        data = project.save_dataset(DatasetRecord(content="c" * 64, file="f" * 64, name="records.csv", rows=ROWS))
        release = project.save_release(title="Records", product="records", plan_text="", preparer="Benchmark")
        begun = time.perf_counter()
        run = project.add_run(release.id, RunRecord(dataset_id=data, claim=claim), published=table)
        stored = time.perf_counter()
        found = project.published(run.id)
        read = time.perf_counter()
    if found is None or any(
        not np.array_equal(table.coded(name).codes, found.coded(name).codes) for name in table.names
    ):  # fmt: skip
        raise RuntimeError("what was stored did not come back")
    return stored - begun - packing[0], read - stored, packing[0]


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
