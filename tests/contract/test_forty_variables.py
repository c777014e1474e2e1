"""Forty variables in a table of settings: a plan section, a `--set` and a report table by declaration alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.contract.forty import QUESTIONS, csv, forty_questions, plan
from workbench.review.plan.plan_text import from_text, to_text
from workbench.review.plan.reference import plan_reference


@pytest.fixture(scope="module", autouse=True)
def known() -> Iterator[None]:
    with forty_questions():
        yield


@pytest.fixture(scope="module")
def reviewed(known: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forty")
    (folder / "answers.csv").write_text(csv(), encoding="utf-8")
    (folder / "plan.toml").write_text(plan(q7="0.25"), encoding="utf-8")
    said = dwb("run", folder / "plan.toml", "--project", folder / "p.dwb", "--preparer", "Ana", "--json")
    assert said.code == 0, said.err
    (folder / "run.json").write_text(said.out, encoding="utf-8")
    assert dwb("decide", folder / "p.dwb", "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Agreed").code == 0
    for kind in ("html", "json"):
        words = ("--audience", "public", "--format", kind, "-o", folder / f"public.{kind}")
        assert dwb("report", folder / "p.dwb", "R-0001", *words).code == 0
    return folder


def test_that_the_plan_survives_its_text() -> None:
    read = from_text(plan(q7="0.25"))
    assert from_text(to_text(read)) == read
    assert read.mechanism.params.variables["q7"].epsilon == read.mechanism.params.variables["q8"].epsilon * 5 / 2
    assert from_text(plan(q7="0.26")).digest() != read.digest()


def test_that_the_claim_adds_the_table_up(reviewed: Path) -> None:
    claim = json.loads((reviewed / "run.json").read_text(encoding="utf-8"))["claim"]
    assert claim["epsilon"] == pytest.approx(39 * 0.1 + 0.25)
    assert len(claim["parts"]) == 40


def test_that_every_wrong_line_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(csv(), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(plan(q3="0", q11='"much"', q39="99"), encoding="utf-8")
    said = dwb("run", tmp_path / "plan.toml", "--project", tmp_path / "p.dwb")
    assert said.code == 2
    assert [problem.partition(":")[0] for problem in said.problems] == [
        f"plan.toml, [mechanism], variables.{name}.epsilon" for name in ("q11", "q3", "q39")
    ]


def test_that_the_command_line_sets_a_line_of_it() -> None:
    told = dwb("calibrate", "toy-response", "--set", "variables.q7.epsilon=0.25", "--json").json
    assert told["claim"]["epsilon"] == 0.25
    both = ("--set", "variables.q7.epsilon=0.25", "--set", "variables.q8.epsilon=0.5")
    assert dwb("calibrate", "toy-response", *both, "--json").json["claim"]["epsilon"] == 0.75


def test_that_the_report_has_the_table(reviewed: Path) -> None:
    twin = json.loads((reviewed / "public.json").read_text(encoding="utf-8"))
    (table,) = twin["rules"]["tables"]
    assert (table["title"], table["by"], tuple(table["names"])) == ("Answers", "column", QUESTIONS)
    (column,) = table["columns"]
    assert (column["label"], column["values"][7], column["values"][8]) == ("ε", "0.25", "0.1")
    page = (reviewed / "public.html").read_text(encoding="utf-8")
    assert '<th scope="row">q39</th><td>0.1</td>' in page


@pytest.mark.parametrize("name", ["public.json", "public.html"])
def test_that_the_report_verifies_against_the_project(reviewed: Path, name: str) -> None:
    assert dwb("verify", reviewed / "p.dwb").code == 0
    said = dwb("verify-report", reviewed / name, "--project", reviewed / "p.dwb", "--json")
    assert said.json["identical"] is True


def test_that_the_reference_and_the_list_document_a_line_of_it() -> None:
    assert "| `variables.<column>.epsilon` | `0.5` | number, above 0, at most 10 |" in plan_reference()
    assert (
        "variables.<column>.epsilon = 0.5 (above 0, at most 10): Spent on this answer." in dwb("list", "mechanisms").out
    )
    listed = {each["id"]: each for each in dwb("list", "mechanisms", "--json").json}
    (table,) = listed["toy-response"]["params"]
    assert (table["name"], table["by"], [each["name"] for each in table["params"]]) == (
        "variables", "column", ["epsilon"]
    )  # fmt: skip


def test_that_a_line_for_a_column_that_is_not_there_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(csv(), encoding="utf-8")
    misnamed = plan().replace("variables.q7]", "variables.q77]")
    (tmp_path / "plan.toml").write_text(misnamed.replace('q9 = "answer"', 'q9 = "group"'), encoding="utf-8")
    said = dwb("run", tmp_path / "plan.toml", "--project", tmp_path / "p.dwb")
    assert said.code == 2
    assert "“q9” has the role group" in said.err
    (tmp_path / "plan.toml").write_text(misnamed, encoding="utf-8")
    said = dwb("run", tmp_path / "plan.toml", "--project", tmp_path / "p.dwb")
    assert (said.code, len(said.problems)) == (2, 1)
    assert "There is no column “q77”" in said.err
    assert "variables.q77" in said.err
    assert not (tmp_path / "p.dwb").exists()
