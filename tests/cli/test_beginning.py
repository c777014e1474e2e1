"""dwb init and dwb plan: a plan from a data file, and the plan of a release as a file again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.said import dwb
from tests.cli.small import write_small
from tests.ui.journeys.agency_file import write_agency_file
from workbench.microdata.dictionary import read_csv
from workbench.review.plan.plan_text import read_plan, to_text


def filled(plan: Path) -> Path:
    """What a person chooses after `dwb init`."""
    text = plan.read_text(encoding="utf-8").replace("workplace = []", 'workplace = ["Gemeinde", "WZ 2008"]')
    plan.write_text(text.replace('domain = "establishments"', 'domain = "all"'), encoding="utf-8")
    return plan


def with_few_draws(plan: Path) -> Path:
    """For tests that ask nothing of the audit: the first one runs it at its defaults."""
    text = plan.read_text(encoding="utf-8")
    for default, few in (("law_draws = 600000", "law_draws = 10000"), ("\ndraws = 200000", "\ndraws = 10000")):
        assert default in text
        text = text.replace(default, few)
    plan.write_text(text, encoding="utf-8")
    return plan


def test_that_a_data_file_is_enough_to_begin_with(tmp_path: Path) -> None:
    write_agency_file(tmp_path / "Beschäftigte.csv")
    said = dwb("init", tmp_path / "Beschäftigte.csv", "--json")
    assert said.code == 0
    assert said.json["missing"] == [".", "-9"]
    plan = read_plan(filled(tmp_path / "plan.toml"))
    assert plan.data.path == "Beschäftigte.csv"
    assert plan.data.roles["Betr.-Nr."] == "establishment"
    ran = dwb("run", tmp_path / "plan.toml", "--project", tmp_path / "p.dwb", "--preparer", "Ana", "--json")
    assert ran.code == 0, ran


def test_that_gaps_are_told_with_the_line_that_answers_for_them(tmp_path: Path) -> None:
    write_agency_file(tmp_path / "jobs.csv")
    said = dwb("init", tmp_path / "jobs.csv").out
    assert "Counted as missing: “.” and “-9”." in said
    line = '[data.shaping.missing."Geschl."]'
    assert '[data.shaping.missing."Rechtsform"], rows = "own category"' in said, "the first column with gaps"
    plan = tmp_path / "plan.toml"
    text = with_few_draws(filled(plan)).read_text("utf-8").replace("worker = []", 'worker = ["Geschl."]')
    plan.write_text(text, encoding="utf-8")
    run = ("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana")
    stopped = dwb(*run)
    assert stopped.code == 2
    assert line in stopped.err
    plan.write_text(f'{text}\n{line}\nrows = "own category"\n', encoding="utf-8")
    assert dwb(*run).code == 0


def test_that_a_list_taken_from_the_data_proves_nothing_until_a_person_declares_it(tmp_path: Path) -> None:
    write_agency_file(tmp_path / "jobs.csv")
    assert dwb("init", tmp_path / "jobs.csv").code == 0
    dictionary = tmp_path / "dictionary.csv"
    assert read_csv(dictionary).of("Gemeinde").inside
    with_few_draws(filled(tmp_path / "plan.toml"))

    def formal() -> bool:
        project = tmp_path / f"{len(list(tmp_path.iterdir()))}.dwb"
        said = dwb("run", tmp_path / "plan.toml", "--project", project, "--preparer", "Ana", "--json")
        assert said.code == 0, said
        return bool(said.json["claim"]["formal"])

    assert not formal()
    dictionary.write_text(dictionary.read_text("utf-8").replace("taken from the data", "public"), encoding="utf-8")
    assert formal()


def test_that_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    write_agency_file(tmp_path / "jobs.csv", 400)
    (tmp_path / "plan.toml").write_text("mine", encoding="utf-8")
    said = dwb("init", tmp_path / "jobs.csv")
    assert said.code == 2
    assert (tmp_path / "plan.toml").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "dictionary.csv").exists()
    assert dwb("init", tmp_path / "jobs.csv", "--overwrite").code == 0


def test_that_a_plan_comes_out_of_a_project_as_it_went_in(tmp_path: Path) -> None:
    plan = write_small(tmp_path)
    assert dwb("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana").code == 0
    other = tmp_path / "elsewhere"
    other.mkdir()
    assert dwb("plan", tmp_path / "p.dwb", "R-0001", "-o", other / "again.toml").code == 0
    again = read_plan(other / "again.toml")
    assert again.data.path == "../jobs.csv", "paths start where the file lies"
    assert again.mechanism == read_plan(plan).mechanism
    shown = dwb("plan", tmp_path / "p.dwb", "R-0001", "-o", "-", "--json")
    assert json.loads(json.dumps(shown.json))["plan"].startswith("version")
    assert to_text(again).startswith("version")
