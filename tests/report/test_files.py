"""A file is written whole or not at all, and a released table holds nothing that runs."""

from __future__ import annotations

import csv
import errno
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from tests.report.sample import sample_report
from workbench.core.errors import Defect, UserProblem
from workbench.core.findings import Audience
from workbench.report.render import Format, to_html, to_json, write
from workbench.report.table_csv import table_bytes, write_table


def test_that_each_format_lands_in_a_path_with_accents_and_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "Prüfung n° 7"
    folder.mkdir()
    for kind in Format:
        write(sample_report(), Audience.PUBLIC, format=kind, path=folder / f"report.{kind.value}")
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "report.json", "report.pdf"]
    assert (folder / "report.html").read_text(encoding="utf-8") == to_html(sample_report(), Audience.PUBLIC)
    assert (folder / "report.json").read_text(encoding="utf-8") == to_json(sample_report(), Audience.PUBLIC)
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EACCES, "may not write here"), (errno.EROFS, "read-only")],
)
def test_that_a_failure_keeps_the_old_file_and_leaves_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    path = tmp_path / "report.json"
    path.write_text("the old one", encoding="utf-8")

    def fails(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(UserProblem, match=words):
        write(sample_report(), Audience.PUBLIC, format=Format.JSON, path=path)
    assert path.read_text(encoding="utf-8") == "the old one"
    assert [each.name for each in tmp_path.iterdir()] == ["report.json"]


def test_that_a_folder_that_is_missing_or_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="folder does not exist"):
        write(sample_report(), Audience.PUBLIC, format=Format.JSON, path=tmp_path / "nowhere" / "report.json")
    with pytest.raises(UserProblem, match="a folder, not a file"):
        write(sample_report(), Audience.PUBLIC, format=Format.JSON, path=tmp_path)


def test_that_a_table_keeps_codes_as_text_and_counts_as_numbers(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    digest = write_table(
        columns=("place", "sector"), keys=(("007", "Zürich"), ('a "b", c', "11")), value_name="jobs",
        values=np.array([-3, 12_345_678]), path=path,
    )  # fmt: skip
    assert path.read_bytes() == 'place,sector,jobs\r\n007,"a ""b"", c",-3\r\nZürich,11,12345678\r\n'.encode()
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_that_no_text_in_a_table_runs_as_a_formula(tmp_path: Path) -> None:
    evil = ("=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1+1", "safe=1", "", "-3", "-0.5")
    path = tmp_path / "table.csv"
    numbers = np.arange(len(evil)) - 4
    write_table(columns=("=name",), keys=(evil,), value_name="@jobs", values=numbers, path=path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["'=name", "'@jobs"]
    assert [row[0] for row in rows[1:]] == [f"'{cell}" for cell in evil[:8]] + list(evil[8:])
    assert [int(row[1]) for row in rows[1:]] == numbers.tolist()


def test_that_a_cell_stays_whole_where_spreadsheets_part_at_semicolons_and_tabs() -> None:
    made = table_bytes(columns=("k",), keys=(("a;=1+1", "b\t=2", 'c"=3'),), value_name="n", values=np.array([1, 2, 3]))
    assert made == b'k,n\r\n"a;=1+1",1\r\n"b\t=2",2\r\n"c""=3",3\r\n'


def test_that_signs_nobody_sees_are_seen_in_a_table() -> None:
    keys = ("x\x00y", "a\u202eb", "\x1b[31mred", "plain")
    made = table_bytes(columns=("k",), keys=(keys,), value_name="n", values=np.array([1, 2, 3, 4])).decode()
    assert made == "k,n\r\nx\ufffdy,1\r\na\ufffdb,2\r\n\ufffd[31mred,3\r\nplain,4\r\n"


def test_that_only_whole_numbers_that_line_up_are_published() -> None:
    with pytest.raises(Defect):
        table_bytes(columns=("a",), keys=(("x",),), value_name="n", values=np.array([0.5]))  # type: ignore[arg-type]
    with pytest.raises(Defect):
        table_bytes(columns=("a",), keys=(("x", "y"),), value_name="n", values=np.array([1]))
