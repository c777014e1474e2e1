"""No quotation mark swallows rows unnoticed: whatever stands in a file, rows come out one by one or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.table import Microdata

HEAD = "firm;place;sex"


def _loaded(folder: Path, lines: list[str], ending: str = "\n", encoding: str = "utf-8") -> Microdata:
    path = folder / "jobs.csv"
    path.write_bytes(ending.join([HEAD, *lines, ""]).encode(encoding))
    return load(path, ReadOptions(), None, None, QUIET)


SWALLOWING = {
    "two that open": (['"Acme;01;F', "Beta;02;M", '"Gamma;03;F', "Delta;04;M"], 2, 4),
    "an inch at the end": (['"12;01;F', "Beta;02;M", '5";03;F', "Delta;04;M"], 2, 4),
    "before a quoted field": (["Acme;01;F", '"Beta;02;M', '"Gamma";03;F', "Delta;04;M"], 3, 4),
    "over a blank line": (['"12;01;F', "", '5";03;F', "Delta;04;M"], 2, 4),
    "the neighbour": (['Acme;"01;F', 'Beta;02";M', "Gamma;03;F"], 2, 3),
    "down to the end": (["Acme;01;F", "Beta;02;M", 'Gamma;03;"F', "Delta;04;M"], 4, None),
    "within the last line": (["Acme;01;F", "Beta;02;M", 'Gamma;03;"F'], 4, None),
    "a field that begins with the delimiter": (['"Acme;01;F', 'Beta;"; x";M', "Gamma;03;F"], 2, 3),
    "a carriage return for the row that is lost": (['"Acme;01;F', 'Beta";02;M', "Gamma;03;F\rDelta;04;M"], 2, 3),
    "empty fields between": (['"Acme;01;F', '"";02;M', '"Gamma;03;F', "Delta;04;M"], 2, 4),
}


@pytest.mark.parametrize("case", SWALLOWING)
@pytest.mark.parametrize(("ending", "encoding"), [("\n", "utf-8"), ("\r\n", "cp1252"), ("\n", "utf-16")])
def test_swallowed_rows_are_told_by_line(case: str, ending: str, encoding: str, tmp_path: Path) -> None:
    lines, first, last = SWALLOWING[case]
    with pytest.raises(UserProblem) as wrong:
        _loaded(tmp_path, lines, ending, encoding)
    told = str(wrong.value)
    assert f"line {first} " in told.lower()
    assert (f"line {last}" if last else "never ends") in told
    assert not any(name in told for name in ("Acme", "Beta", "Gamma"))


def test_a_mark_that_swallows_a_long_file_is_told_by_its_line(tmp_path: Path) -> None:
    lines = [f"{number:06};01;F" for number in range(420_000)]
    lines[5000] = '"' + lines[5000]
    with pytest.raises(UserProblem, match="begins on line 5002 and never ends"):
        _loaded(tmp_path, lines)
    lines[0] = '"' + lines[0]
    lines[5000] = "005000;01;F"
    with pytest.raises(UserProblem, match="line 2 has an odd number of quotation marks"):
        _loaded(tmp_path, lines)


def test_line_breaks_that_belong_to_a_field_stay(tmp_path: Path) -> None:
    lines = ['"Acme\nLimited; of Ohio";01;F', '"Beta ""B""\n\nGroup";"02";M', '"Gamma";"03";"F"']
    assert _loaded(tmp_path, lines).rows == 3


def test_marks_inside_a_field_are_text(tmp_path: Path) -> None:
    found = _loaded(tmp_path, ['Acme 5";01;F', 'Be"ta;02;M', '"Gamma"";";03;F', "", "Delta;04;M"])
    assert found.rows == 4
