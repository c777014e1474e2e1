"""How a file is read is said in the plan before anything is drawn: a row more must not change how others are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.options import ReadOptions, Thousands
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
