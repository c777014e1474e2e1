"""How a file is read is said in the plan before anything is drawn: a row more must not change how others are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.load import load
from workbench.microdata.options import Delimiter, ReadOptions, Thousands
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import write_sample
from workbench.review.run.data_view import look_at
from workbench.review.run.opening import load_data
from workbench.review.run.run import run_plan


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("areas") / "sample"
    write_sample("area_estimates", made, context=QUIET)
    return made


def test_that_a_row_cannot_change_how_all_others_are_read(folder: Path) -> None:
    """With 1'234 in one row, apostrophes would group digits in all of them; a draw refuses to guess."""
    plan = read_plan(folder / "plan.toml")
    first, *rest = (folder / plan.data.path).read_text(encoding="utf-8").splitlines()
    lines = [first, "C99999999,T000000,1'234,0.5,0", *rest, ""]
    (folder / "odd.csv").write_text("\n".join(lines), encoding="utf-8")
    plan = replace(plan, data=replace(plan.data, path="odd.csv"))
    assert load_data(plan, base=folder, context=QUIET).guessed == {"thousands": "apostrophe"}
    with pytest.raises(UserProblem, match=r'thousands = "apostrophe"') as caught:
        run_plan(plan, base=folder, context=QUIET)
    place = caught.value.problems[0].place
    assert place is not None
    assert (place.section, place.field) == ("data", "thousands")
    options = replace(plan.data.options, thousands=Thousands.APOSTROPHE)
    said = replace(plan, data=replace(plan.data, options=options))
    assert not load_data(said, base=folder, context=QUIET).guessed


def test_that_plain_text_needs_no_word(folder: Path) -> None:
    assert not load_data(read_plan(folder / "plan.toml"), base=folder, context=QUIET).guessed


def test_that_a_look_says_outright_what_was_detected(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_bytes("ort;entgelt\nKöln;1234,50\nBonn;99,25\n".encode("cp1252"))
    look = look_at(path, ReadOptions(), QUIET)
    assert look.options is not None
    assert (look.options.encoding, look.options.decimal) == ("cp1252", "comma")
    assert look_at(path, look.options, QUIET).options is None, "and then there is nothing left to say"


def test_that_the_mark_between_fields_is_not_guessed_either(folder: Path) -> None:
    """Without names both marks may cut every line into as many fields; which one does must not hang on one row."""
    plan = read_plan(folder / "plan.toml")
    text = (folder / plan.data.path).read_text(encoding="utf-8").replace(",", ";")
    (folder / "semicolons.csv").write_text(text, encoding="utf-8")
    plan = replace(plan, data=replace(plan.data, path="semicolons.csv"))
    assert load_data(plan, base=folder, context=QUIET).guessed == {"delimiter": "semicolon"}
    with pytest.raises(UserProblem, match=r'delimiter = "semicolon"'):
        run_plan(plan, base=folder, context=QUIET)
    look = look_at(folder / "semicolons.csv", ReadOptions(), QUIET)
    assert look.options is not None
    assert look.options.delimiter is Delimiter.SEMICOLON
    assert not load_data(
        replace(plan, data=replace(plan.data, options=look.options)), base=folder, context=QUIET
    ).guessed


def test_that_tabs_need_no_word_in_a_file_of_tabs(tmp_path: Path) -> None:
    for name, mark in (("a.tsv", "\t"), ("a.csv", ",")):
        (tmp_path / name).write_text(f"place{mark}pay\nA{mark}1\nB{mark}2\n", encoding="utf-8")
        assert look_at(tmp_path / name, ReadOptions(), QUIET).options is None


@pytest.mark.parametrize(
    "rows", [["a,1", "b,2"], ["1,2", "3,4"], ["a,1", "a,2"], ["x,1", "2,2", "3,4"], ["a,b", "c,d"]]
)
def test_that_where_nobody_says_the_first_line_holds_names_or_the_file_is_not_read(
    tmp_path: Path, rows: list[str]
) -> None:
    """So detecting the header has one outcome, and a stop: no row can turn names into data."""
    (tmp_path / "a.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    try:
        read = load(tmp_path / "a.csv", ReadOptions(), None, None, QUIET)
    except UserProblem as stop:
        assert "names" in str(stop)
    else:
        assert list(read.columns) == rows[0].split(",")
        assert read.rows == len(rows) - 1
