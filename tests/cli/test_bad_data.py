"""Data files that cannot be used: one sentence, exit code 2, and nothing is left behind. And odd ones that can be."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.said import dwb, dwb_program, files_in, one_sentence
from tests.cli.small import PLAN, jobs_csv, write_small

HEADER = "worker,establishment,place,sector,sex\n"
ACCENTS = HEADER + "W1,E1,Zürich,x,f\nW2,E2,Genève,x,m\nW3,E3,Bern,y,m\n"

UNUSABLE: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "empty": ("", ("the file is empty",)),
    "only a header": (HEADER, ("no rows",)),
    "binary": (bytes(range(256)) * 20, ("binary",)),
    "a ragged row": (jobs_csv(30) + "W9,E9,A\n", ("line 32 has 3 fields", "5")),
    "a missing column": ("worker,establishment,sector,sex\nW1,E1,x,f\n", ("no column “place”",)),
    "all of a column missing": (HEADER + "W1,E1,,x,f\nW2,E1,,x,m\n", ("“place” is missing",)),
    "an establishment in two places": (HEADER + "W1,E1,A,x,f\nW2,E1,B,x,m\n", ("more than one value of “place”",)),
    "a row without its key": (HEADER + "W1,E1,A,x,f\nW2,,B,x,m\n", ("establishment", "no value")),
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_that_unusable_data_is_one_sentence_and_leaves_nothing(what: str, tmp_path: Path) -> None:
    data, parts = UNUSABLE[what]
    plan = write_small(tmp_path, data=data)
    before = files_in(tmp_path)
    one_sentence(dwb("run", plan, "--project", tmp_path / "p.dwb", "--json"), *parts)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("what", UNUSABLE)
def test_that_unusable_data_adds_nothing_to_a_project(what: str, waiting: Path) -> None:
    data, _ = UNUSABLE[what]
    plan = write_small(waiting.parent, data=data)
    before = files_in(waiting.parent)
    assert dwb("run", plan, "--project", waiting).code == 2
    assert files_in(waiting.parent) == before


def test_that_every_ragged_row_is_named_at_once(tmp_path: Path) -> None:
    plan = write_small(tmp_path, data=HEADER + "W1,E1,A,x,f\nW2,E2,B\nW3,E2,B,y,m,7\n")
    said = dwb("run", plan, "--project", tmp_path / "p.dwb")
    assert (said.code, len(said.problems)) == (2, 2)


def test_that_an_establishment_without_value_is_never_to_be_ignored(tmp_path: Path) -> None:
    for rows in ("W1,E1,A,x,f\nW2,,B,x,m\n", "W1,,A,x,f\nW2,,B,x,m\n"):
        plan = write_small(tmp_path, data=HEADER + rows)
        said = one_sentence(dwb("run", plan, "--project", tmp_path / "p.dwb"), "jobs.csv", "establishment")
        assert "ignore" not in said
    plan = write_small(tmp_path, data=HEADER + "W1,E1,A,x,f\nW2,E2,B,,m\n")
    one_sentence(dwb("run", plan, "--project", tmp_path / "p.dwb"), "jobs.csv", "“sector”", "if missing")


def test_that_the_file_is_named_whatever_is_wrong_with_it(tmp_path: Path) -> None:
    plan = PLAN.replace('sector = "workplace attribute"', 'sector = "outcome"').replace(', "sector"', "")
    for data in (jobs_csv(30), HEADER + "W1,E1,A,1,f\nW2,E1,B,2,m\n"):
        path = write_small(tmp_path, data=data, plan=plan)
        one_sentence(dwb("run", path, "--project", tmp_path / "p.dwb"), "jobs.csv")


def test_that_every_empty_column_is_named_at_once(tmp_path: Path) -> None:
    plan = write_small(tmp_path, data=HEADER + ",,,,\n,,,,\n")
    said = dwb("run", plan, "--project", tmp_path / "p.dwb")
    assert (said.code, len(said.problems)) == (2, 5)


@pytest.mark.parametrize("what", ["empty", "binary", "a ragged row"])
def test_that_inspect_says_the_same_of_unusable_files(what: str, tmp_path: Path) -> None:
    data, parts = UNUSABLE[what]
    write_small(tmp_path, data=data)
    one_sentence(dwb("inspect", tmp_path / "jobs.csv", "--json"), *parts)


def test_that_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    one_sentence(dwb("inspect", tmp_path / "none.csv"), "none.csv", "no such file")
    one_sentence(dwb("inspect", tmp_path), "folder")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
def test_that_another_encoding_is_found_out_and_spelt_right(encoding: str, tmp_path: Path) -> None:
    plan = write_small(tmp_path, data=ACCENTS.encode(encoding))
    project = tmp_path / "p.dwb"
    said = dwb("run", plan, "--project", project, "--preparer", "Ana")
    if encoding in ("latin-1", "cp1252"):  # detected from the rows, so the plan must say it; a mark declares the others
        assert said.code == 2
        assert 'encoding = "cp1252"' in said.err
        options = '[data.options]\nencoding = "cp1252"\n\n[data.roles]'
        plan.write_text(plan.read_text(encoding="utf-8").replace("[data.roles]", options, 1), encoding="utf-8")
        said = dwb("run", plan, "--project", project, "--preparer", "Ana")
    assert said.code == 0, said.err
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben").code == 0
    assert dwb("export", project, "R-0001", "-o", tmp_path / "t.csv").code == 0
    places = {line.split(",")[0] for line in (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()[1:]}
    assert places == {"Zürich", "Genève", "Bern"}


def test_that_a_wrong_encoding_that_was_asked_for_is_one_sentence(tmp_path: Path) -> None:
    plan = PLAN.replace("[data.roles]", '[data.options]\nencoding = "utf-8"\n\n[data.roles]')
    write_small(tmp_path, data=ACCENTS.encode("latin-1"), plan=plan)
    said = one_sentence(dwb("run", tmp_path / "plan.toml", "--project", tmp_path / "p.dwb"), "jobs.csv")
    assert "utf-8" in said.lower()
    assert not (tmp_path / "p.dwb").exists()


def test_that_paths_with_accents_and_spaces_work_from_end_to_end(tmp_path: Path) -> None:
    folder = tmp_path / "Übersicht für José — 100 % #1"
    plan = write_small(folder)
    (folder / "jobs.csv").rename(folder / "données du 2e trimestre.csv")
    plan = plan.rename(folder / "mein plan.toml")
    plan.write_text(PLAN.replace("jobs.csv", "données du 2e trimestre.csv"), encoding="utf-8")
    project = folder / "prüfung é.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Zoë").code == 0
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ñuño").code == 0
    for kind in ("html", "json"):
        file = folder / f"öffentlich 1.{kind}"
        assert dwb("report", project, "R-0001", "--audience", "public", "--format", kind, "-o", file).code == 0
    assert dwb("export", project, "R-0001", "-o", folder / "tàble.csv").code == 0
    assert dwb("verify", project).code == 0
    assert dwb("inspect", folder / "données du 2e trimestre.csv").code == 0


def test_that_a_project_elsewhere_still_finds_the_data_of_its_plan(tmp_path: Path) -> None:
    """The plan's paths start at the plan, the project's at the project: the stored plan must point to the same file."""
    from workbench.project.store import open_project
    from workbench.review.plan.plan_text import from_text
    from workbench.review.run.paths import resolved

    plan = write_small(tmp_path / "plans")
    (tmp_path / "projects" / "deep").mkdir(parents=True)
    project = tmp_path / "projects" / "deep" / "p.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    with open_project(project) as opened:
        kept = from_text(opened.release("R-0001").plan_text, draft=True)
        assert resolved(project.parent, kept.data.path).resolve() == (tmp_path / "plans" / "jobs.csv").resolve()
        assert str(tmp_path) not in opened.release("R-0001").plan_text, "folders of this machine are nobody's business"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system refuses such names itself")
def test_that_a_name_that_is_not_utf8_is_one_sentence(tmp_path: Path) -> None:
    plan = write_small(tmp_path)
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")
    shutil.copy(tmp_path / "jobs.csv", f"{odd}.csv")
    shutil.copy(plan, f"{odd}.toml")
    shutil.copytree(tmp_path, f"{odd} folder", dirs_exist_ok=True)
    for words in (
        ("inspect", f"{odd}.csv"),
        ("run", plan, "--project", f"{odd}.dwb"),
        ("run", f"{odd}.toml", "--project", tmp_path / "p.dwb"),
        ("run", f"{odd} folder/plan.toml", "--project", tmp_path / "p.dwb"),
        ("verify", f"{odd}.dwb"),
        ("sample", "employment_tables", "--out", odd),
        ("report", tmp_path / "p.dwb", "R-0001", "-o", f"{odd}.html"),
    ):
        one_sentence(dwb(*words), "not valid UTF-8")
    assert dwb_program("inspect", f"{odd}.csv").code == 2
    assert not (tmp_path / "p.dwb").exists()
