"""The content's fingerprint forgets order and format, and nothing else."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.microdata.places import JOB_ROLES, JOBS, loaded, written
from workbench.core.confidential import Confidential
from workbench.core.plain import digest
from workbench.core.progress import QUIET
from workbench.microdata import fingerprint
from workbench.microdata.dictionary import ColumnWords
from workbench.microdata.encode import ColumnEncoder
from workbench.microdata.fingerprint import of_content
from workbench.microdata.numbers import Notation
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Column, Microdata

Rows = list[tuple[str | None, str | None]]


def content(rows: Rows, names: tuple[str, str] = ("a", "b")) -> str:
    columns = {}
    for position, name in enumerate(names):
        encoder = ColumnEncoder(name)
        encoder.add(pa.array([row[position] for row in rows], pa.string()))
        columns[name] = encoder.finish(ColumnWords(), numbers=False, notation=Notation(), context=QUIET)
    return of_content(columns, len(rows), QUIET)


CELLS = st.sampled_from([None, "1", "2", "01", "x"])
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8)


@settings(max_examples=300, deadline=None)
@given(ROWS, ROWS)
def test_that_contents_agree_exactly_where_their_sorted_rows_do(one: Rows, other: Rows) -> None:
    def bag(rows: Rows) -> list[tuple[str, str]]:
        return sorted((str(a), str(b)) for a, b in rows)

    assert (content(one) == content(other)) == (bag(one) == bag(other))


MIXED = "sex,place,pay\nf,01,1.5\nm,01,\n,02,-0.0\nf,01,1.5\nm,,2\n"
MIXED_PRINT = "457fdeac8f6a7738e070506ccda028f727326ebc405421e1947216c332f9a350"


@pytest.mark.parametrize(("table", "shared"), [(1 << 16, 1 << 13), (1 << 16, 1), (1, 1), (3, 1 << 13)])
def test_that_it_is_the_formula_on_the_page_and_the_print_older_projects_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: int, shared: int
) -> None:
    """Whether columns share a table, have one of their own or are mixed cell by cell is a matter of speed only."""
    monkeypatch.setattr(fingerprint, "_TABLE", table)
    monkeypatch.setattr(fingerprint, "_SHARED", shared)
    roles = {"sex": Role.PERSON, "place": Role.GEOGRAPHY, "pay": Role.WEIGHT}
    microdata = loaded(written(tmp_path, MIXED), roles=roles)
    assert microdata.fingerprint.content == MIXED_PRINT == _by_hand(microdata)


def _by_hand(microdata: Microdata) -> str:
    """Row by row in Python's own integers, as the module's page says."""
    columns = [microdata.columns[name] for name in sorted(microdata.columns)]
    total = [0, 0]
    for row in range(microdata.rows):
        for lane in (0, 1):
            total[lane] += _finalised(sum(_cell(column, row, lane) for column in columns))
    described = [
        [c.name, hashlib.sha256("".join(f"\0{v}" for v in c.values).encode()).hexdigest()]
        if isinstance(c, CodedColumn)
        else [c.name, "numbers"]
        for c in columns
    ]
    sums = [f"{lane % 2**64:016x}" for lane in total]
    return digest({"version": 1, "rows": microdata.rows, "columns": described, "sum": sums})


def _cell(column: Column, row: int, lane: int) -> int:
    salt = int.from_bytes(hashlib.sha256(column.name.encode()).digest()[8 * lane : 8 * lane + 8], "little")
    if isinstance(column, CodedColumn):
        return _finalised((int(column.codes.reveal()[row]) + 1) * 0x9E3779B97F4A7C15 + salt)
    bits = int.from_bytes(struct.pack("<d", column.numbers.reveal()[row] + 0.0), "little")
    return _finalised(bits ^ salt)


def _finalised(number: int) -> int:
    mixed = (number + 0x9E3779B97F4A7C15) % 2**64
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
    return mixed ^ (mixed >> 31)


def test_that_exchanging_cells_between_rows_changes_it() -> None:
    assert content([("1", "x"), ("2", "y")]) != content([("1", "y"), ("2", "x")])


def test_that_exchanging_two_columns_changes_it_but_reordering_does_not() -> None:
    rows: Rows = [("1", "2"), ("2", "1"), ("1", "1")]
    turned: Rows = [(b, a) for a, b in rows]
    assert content(rows, ("a", "b")) == content(turned, ("b", "a"))
    assert content([("1", "2")], ("a", "b")) != content([("2", "1")], ("a", "b"))


def test_that_repeating_a_row_twice_does_not_cancel_out() -> None:
    once = content([("1", "2")])
    assert len({once, content([("1", "2")] * 2), content([("1", "2")] * 3)}) == 3


def test_that_the_format_does_not_matter(tmp_path: Path) -> None:
    csv = written(tmp_path, JOBS)
    table = pcsv.read_csv(csv, convert_options=pcsv.ConvertOptions(
        column_types={name: pa.string() for name in ("estab", "worker", "place", "sex")}, strings_can_be_null=True
    ))  # fmt: skip
    shuffled = table.take([2, 0, 3, 1]).select(["weight", "sex", "place", "estab", "worker"])
    pq.write_table(shuffled, tmp_path / "jobs.parquet", row_group_size=1)
    pyreadstat.write_sav(shuffled.to_pandas(), str(tmp_path / "jobs.sav"))
    shuffled.to_pandas().to_excel(tmp_path / "jobs.xlsx", index=False)
    prints = [
        loaded(tmp_path / name, roles=JOB_ROLES).fingerprint
        for name in ("jobs.csv", "jobs.parquet", "jobs.sav", "jobs.xlsx")
    ]
    assert len({found.content for found in prints}) == 1
    assert len({found.file for found in prints}) == 4


def test_that_the_file_print_is_sha256_of_the_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, JOBS)
    assert loaded(path).fingerprint.file == hashlib.sha256(JOBS.encode()).hexdigest()


def test_that_a_changed_number_changes_it_and_a_negative_zero_does_not(tmp_path: Path) -> None:
    def of(weight: str) -> str:
        content = JOBS.replace(",1\n", f",{weight}\n")
        return loaded(written(tmp_path, content), roles=JOB_ROLES).fingerprint.content

    assert of("0") == of("-0") == of("0.0")
    assert of("0") != of("1")
    assert of("") != of("0")


def test_that_a_thousand_rows_in_any_batches_give_one_print(tmp_path: Path) -> None:
    table = pa.table({"k": [f"{i % 97:02d}" for i in range(70_000)], "v": [f"{i % 7}" for i in range(70_000)]})
    pq.write_table(table, tmp_path / "a.parquet")
    pq.write_table(table.slice(30_000), tmp_path / "half.parquet")
    turned = pa.concat_tables([table.slice(30_000), table.slice(0, 30_000)])
    pq.write_table(turned, tmp_path / "b.parquet", row_group_size=999)
    prints = [loaded(tmp_path / name).fingerprint.content for name in ("a.parquet", "b.parquet", "half.parquet")]
    assert prints[0] == prints[1] != prints[2]


def test_that_nothing_of_the_data_shows_in_a_repr(tmp_path: Path) -> None:
    jobs = loaded(written(tmp_path, JOBS), roles=JOB_ROLES)
    assert isinstance(jobs.coded("sex").codes, Confidential)
    assert not any(value in repr(jobs) for value in ("0001", "0002", "1.5", "missing", "rows="))
    assert jobs.fingerprint.content not in repr(jobs)
