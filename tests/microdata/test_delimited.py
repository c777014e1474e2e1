"""Text files as people really have them: every row counts once, wherever blank lines and quotation marks stand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.microdata.places import loaded, texts, written
from workbench.core.errors import UserProblem
from workbench.microdata.options import Header
from workbench.microdata.sniff import sniff


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("blank", [1, 3])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_that_blank_lines_before_the_names_make_no_row(tmp_path: Path, end: str, blank: int, encoding: str) -> None:
    lines = [""] * blank + ["estab,sex", "01,f", "", "02,m", ""]
    data = loaded(written(tmp_path, end.join(lines).encode(encoding)))
    assert texts(data, "estab") == ["01", "02"]
    assert data.rows == 2


def test_that_blank_lines_before_rows_without_names_make_no_row(tmp_path: Path) -> None:
    data = loaded(written(tmp_path, "\n\n01,f\n02,m\n"), header=Header.ABSENT)
    assert texts(data, "column_1") == ["01", "02"]


def test_that_names_on_two_lines_after_blank_ones_make_no_row(tmp_path: Path) -> None:
    data = loaded(written(tmp_path, '\n\n"estab\nlishment",sex\n01,f\n02,m\n'))
    assert texts(data, "estab\nlishment") == ["01", "02"]


@pytest.mark.parametrize("encoding", ["auto", "utf-8", "latin-1"])
@pytest.mark.parametrize("name", ["jobs.csv", "jobs.csv.gz"])
def test_that_quotation_marks_may_first_appear_late(tmp_path: Path, name: str, encoding: str) -> None:
    """More than one of Arrow's blocks of line breaks inside quotes: one of them is cut within a field."""
    plain, late = "worker,estab\n" + "W12345,E1\n" * 60_000, '"two\nlines","E\n2"\n' * 230_000
    content = (plain + late).encode()
    data = loaded(
        written(tmp_path, gzip.compress(content, 1) if name.endswith("gz") else content, name), encoding=encoding
    )
    assert data.rows == 290_000
    assert tuple(data.coded("worker").values) == ("W12345", "two\nlines")


def test_that_late_quotation_marks_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, "worker,estab\n" + "W12345,E1\n" * 60_000 + '"x,y",E2\n')
    assert "some fields are in quotation marks" in sniff(path)


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
def test_that_utf_32_is_read_where_it_says_so(tmp_path: Path, encoding: str) -> None:
    mark = "" if encoding == "utf-32" else "\ufeff"
    path = written(tmp_path, (mark + "place,name\n01,Genève\n02,Orléans\n").encode(encoding))
    assert "UTF-32" in " ".join(sniff(path))
    assert texts(loaded(path), "name") == ["Genève", "Orléans"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("said", ["auto", "as it is"])
def test_that_text_cut_within_a_character_is_called_cut_short(tmp_path: Path, encoding: str, said: str) -> None:
    path = written(tmp_path, "place,name\n01,x\n02,y\n".encode(encoding)[:-1])
    with pytest.raises(UserProblem, match="cut short"):
        loaded(path, encoding="auto" if said == "auto" else encoding)
