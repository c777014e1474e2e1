"""The data dictionary: codes stay text, titles and populations are read, mistakes are located."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.microdata.places import JOB_ROLES, JOBS, loaded, written
from workbench.core.errors import UserProblem
from workbench.microdata.dictionary import ColumnWords, DataDictionary, code_text, read_csv, write_csv
from workbench.microdata.preview import Preview

WORDS = (
    "column,value,label,population\nplace,,Place of work,\nplace,0001,Åland,1200\nplace,0002,Sézanne,\nsex,1,women,\n"
)


def test_that_titles_labels_and_populations_are_read(tmp_path: Path) -> None:
    place = read_csv(written(tmp_path, WORDS, "words.csv")).of("place")
    assert place == ColumnWords(
        title="Place of work", labels={"0001": "Åland", "0002": "Sézanne"}, populations={"0001": 1200}
    )


def test_that_what_is_written_is_read_back(tmp_path: Path) -> None:
    words = read_csv(written(tmp_path, WORDS, "words.csv"))
    write_csv(words, tmp_path / "again.csv")
    assert read_csv(tmp_path / "again.csv") == words


def test_that_the_population_column_is_optional_and_labels_may_hold_commas(tmp_path: Path) -> None:
    words = read_csv(written(tmp_path, 'column,value,label\nsex,1,"women, all"\n', "words.csv"))
    assert words.of("sex").labels == {"1": "women, all"}
    assert words.of("other") == ColumnWords()


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_that_what_a_spreadsheet_of_any_country_saves_is_read(tmp_path: Path, mark: str) -> None:
    content = f'column{mark}value{mark}label\nsex{mark}1{mark}"women, all; or {mark} so"\n'
    words = read_csv(written(tmp_path, content, "words.csv"))
    assert words.of("sex").labels == {"1": f"women, all; or {mark} so"}


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "+49", "-9", "-2.5", "-x", "'=1", "''@", "'", "'a", "＝1", "a=1"])
def test_that_no_value_runs_as_a_formula_and_each_is_read_back(tmp_path: Path, text: str) -> None:
    """A dictionary is made from what respondents wrote, and edited in a spreadsheet."""
    one = ColumnWords(title=text, labels={text: text, "z": "z"}, parents={"z": text}, populations={text: 3})
    words = DataDictionary(columns={"a": one})
    write_csv(words, tmp_path / "words.csv")
    assert replace(read_csv(tmp_path / "words.csv"), name="") == words
    lines = (tmp_path / "words.csv").read_text(encoding="utf-8").splitlines()
    cells = [cell for row in csv.reader(lines) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "@", "＝") or cell == "-x"]


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("column,code\n", "no column value and no column label"),
        ("column,value,label\n,1,x\n", "line 2.*names no column"),
        ("column,value,label\na,1,x\na,1,y\n", "line 3.*listed twice"),
        ("column,value,label,population\na,1,x,many\n", "line 2.*not a whole number"),
        ("column,value,label\na,1,women, all\n", "line 2: The row has 4 fields where 3 are expected.*quotation marks"),
        ("column,value,label\na,,x\na,,y\n", "line 3.*“a” has two titles"),
        ("column,value,label,parent\na,1,x,2\na,2,y,3\na,3,z,1\n", "1 → 2 → 3 → 1 of “a” contain each other"),
        ("column;value\na;1;x\n", "no column label"),
        ("column,value,label\n", "lists nothing"),
        ("", "is empty"),
        (" \n\n", "is empty"),
    ],
)  # fmt: skip
def test_that_mistakes_are_located(tmp_path: Path, content: str, match: str) -> None:
    with pytest.raises(UserProblem, match=match):
        read_csv(written(tmp_path, content, "words.csv"))


def test_that_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserProblem) as caught:
        read_csv(written(tmp_path, "column,value,label\n,1,x\na,1,x\na,1,y\n", "words.csv"))
    assert len(caught.value.problems) == 2


def test_that_a_dictionary_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="no such file"):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(UserProblem, match="cannot be read"):
        read_csv(tmp_path)
    with pytest.raises(UserProblem, match="UTF-8"):
        read_csv(written(tmp_path, "column,value,label\na,1,é\n".encode("cp1252"), "words.csv"))


def test_that_the_listed_values_are_the_public_domain(tmp_path: Path) -> None:
    words = DataDictionary(columns={"place": ColumnWords(labels={"0003": "c", "0001": "a"})})
    place = loaded(written(tmp_path, JOBS), roles=JOB_ROLES, dictionary=words).coded("place")
    assert place.public_values == ("0001", "0003")
    assert place.values == ("0001", "0002")


@pytest.mark.parametrize(("code", "text"), [(1.0, "1"), (1.5, "1.5"), ("01 ", "01"), (7, "7"), (float("nan"), "nan")])
def test_that_codes_become_text(code: object, text: str) -> None:
    assert code_text(code) == text


def test_that_a_preview_decodes_only_the_rows_asked_for(tmp_path: Path) -> None:
    preview = Preview(loaded(written(tmp_path, JOBS), roles=JOB_ROLES))
    assert preview.columns == ("estab", "worker", "place", "sex", "weight")
    assert preview.rows(0, 2) == [["01", "a", "0001", "1", "1.5"], ["01", "b", "0001", "2", "2"]]
    assert preview.rows(3, 99) == [["02", "a", "0002", "", "1"]]
    assert preview.rows(9, 12) == []
    assert preview.row_count == 4
    assert repr(preview) == "<confidential Preview (4 × 5)>"


def test_that_a_dictionary_no_reader_can_cut_or_find_is_one_sentence(tmp_path: Path) -> None:
    endless = written(tmp_path, 'column,value,label\nplace,1,"' + "x" * 200_000 + '"\n', "endless.csv")
    with pytest.raises(UserProblem, match="quotation marks"):
        read_csv(endless)
    with pytest.raises(UserProblem, match="No file name can hold"):
        read_csv(tmp_path / "no\0name.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_that_a_forbidden_dictionary_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, WORDS, "words.csv")
    path.chmod(0)
    with pytest.raises(UserProblem, match="may not be read by you"):
        read_csv(path)


def test_that_a_refusal_of_the_system_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "no")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(UserProblem, match="may not be read by you"):
        read_csv(tmp_path / "words.csv")


def test_that_a_misspelt_column_of_the_dictionary_names_the_nearest(tmp_path: Path) -> None:
    words = read_csv(written(tmp_path, "column,value,label\nplaces,0001,Åland\nsex,1,women\n", "words.csv"))
    with pytest.raises(UserProblem, match=r"words\.csv: The data have no column “places”. Did you mean “place”\?"):
        loaded(written(tmp_path, JOBS), roles=JOB_ROLES, dictionary=words)


def test_that_a_dictionary_may_serve_several_files_but_not_only_others(tmp_path: Path) -> None:
    path = written(tmp_path, JOBS)
    shared = DataDictionary(columns={"sex": ColumnWords(title="Sex"), "education": ColumnWords(title="Education")})
    assert loaded(path, dictionary=shared).rows == 4
    with pytest.raises(UserProblem, match="describes no column of the data"):
        loaded(path, dictionary=DataDictionary(columns={"education": ColumnWords(title="Education")}))
