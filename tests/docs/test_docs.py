"""The documentation is true: commands run, links lead somewhere, words are those of the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.docs.pages import (
    GUIDE,
    IN_PROGRAM,
    README,
    ROOT,
    STORY,
    anchors,
    commands,
    links,
    pages,
    shell_lines,
    spoken_commands,
    text_of,
    without_blocks,
)
from workbench.cli.main import COMMANDS, main
from workbench.microdata.roles import ROLES
from workbench.products.registry import PRODUCTS
from workbench.review.decide.gates import gates
from workbench.review.decide.stages import TITLES, StageState
from workbench.review.plan.plan import blank
from workbench.review.session import ReviewSession

EVERY_PAGE = pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())


def run(line: str) -> int:
    return main(shlex.split(line)[1:])


@pytest.mark.heavy
@pytest.mark.parametrize("page", [README, GUIDE], ids=lambda page: page.name)
def test_that_every_command_of_a_page_runs_in_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(commands(page)) > 5
    for line in commands(page):
        assert run(line) == 0, f"{line}\n{capsys.readouterr().err}"


@pytest.mark.heavy
def test_that_the_story_of_the_sample_happens_as_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = ""
    for line in commands(STORY):
        assert run(line) == 0, f"{line}\n{capsys.readouterr().err}"
        said += capsys.readouterr().out
    told = " ".join(text_of(STORY).split())
    for number in ("20,000 jobs", "72.2 %", "187 of 1,440", "1.23 times"):
        assert number in told
        assert number in said
    assert "strong (α, ε) employer-employee privacy" in said
    assert "expected absolute error 0.85" in said
    assert len((tmp_path / "story" / "table.csv").read_text(encoding="utf-8").splitlines()) == 1 + 1440
    assert "8 remain" in said


def test_that_the_story_is_refused_where_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run("dwb sample employment_tables --out story")
    plan = tmp_path / "story" / "plan.toml"
    plan.write_text(plan.read_text(encoding="utf-8").replace("budget = 10.0", "budget = 1.0"), encoding="utf-8")
    assert run("dwb run story/plan.toml --project story/review.dwb --preparer Ann") == 0
    assert run("dwb decide story/review.dwb R-0001 --approve --reviewer Ben") == 1
    assert "exceed the cap" in capsys.readouterr().err


@EVERY_PAGE
def test_that_commands_in_a_sentence_exist(page: Path) -> None:
    for spoken in spoken_commands(page):
        word = spoken.split()[1]
        assert word in COMMANDS or word.endswith(".dwb"), spoken


def test_that_readers_meet_every_command() -> None:
    told = text_of(README) + text_of(GUIDE)
    assert all(f"dwb {command}" in told for command in COMMANDS)


@EVERY_PAGE
def test_that_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@EVERY_PAGE
def test_that_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (declared,) = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    named = re.findall(r"`make ([\w-]+)`", text_of(page))
    named += [line.split()[1] for line in shell_lines(page) if line.startswith("make ")]
    assert set(named) <= set(declared.split())


@EVERY_PAGE
def test_that_no_page_knows_somebodys_machine(page: Path) -> None:
    assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)\b|[A-Z]:\\", without_blocks(page))


def test_that_the_guide_explains_stages_states_gates_and_roles_by_their_names() -> None:
    told = text_of(GUIDE)
    for number, title in enumerate(TITLES.values(), 1):
        assert f"## {number}. {title}" in told
    assert all(f"| {state.value} |" in told for state in StageState)
    assert all(f"| {role} |" in told for role in ROLES)
    session = ReviewSession(blank(PRODUCTS[0]), Path())
    assert all(f"| {gate.title} |" in told for gate in gates(session, None))


def test_that_every_stage_is_shown() -> None:
    assert all(f"images/{stage.value}.png" in text_of(GUIDE) for stage in TITLES)


def test_that_the_guide_in_the_program_stands_alone() -> None:
    assert links(IN_PROGRAM) == []
    assert all(f"**{title}.**" in text_of(IN_PROGRAM) for title in TITLES.values())


def test_that_no_sentence_counts_with_an_ending_that_fits_some_numbers_only() -> None:
    """“A 3th part”, “the 91th percentile”: numbers that vary stand without such an ending."""
    ending = re.compile(r"\}(st|nd|rd|th)\b")
    modules = sorted((ROOT / "workbench").rglob("*.py"))
    assert not [path.name for path in modules if ending.search(path.read_text(encoding="utf-8"))]
