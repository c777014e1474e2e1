"""dwb evaluate and dwb solve, as a person and as a script call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.cli.small import PLAN, write_small
from workbench.products.employment_tables.usefulness import budget_solver

FINDINGS = """[twin]
jobs = 20000
[baseline]
least = 0.1
most = 0.25
[grid]
epsilons = ["2", "4"]
alphas = ["0.01", "0.1"]
trials = 2
"""


@pytest.fixture(autouse=True)
def small_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_solver, "TWIN_JOBS", 20_000)


def test_that_no_page_is_written_over_data(tmp_path: Path) -> None:
    """A study is of no review, so that nothing else could tell that a file holds somebody's data."""
    study, data = tmp_path / "findings.toml", tmp_path / "jobs.csv"
    study.write_text(FINDINGS, encoding="utf-8")
    data.write_text("worker\n1\n", encoding="utf-8")
    said = dwb("evaluate", study, "--page", data)
    assert said.code == 2
    assert "ends in .md" in said.problems[0]
    assert data.read_text(encoding="utf-8") == "worker\n1\n"


def test_that_evaluate_prints_the_table_and_writes_the_page(tmp_path: Path) -> None:
    plan, page = tmp_path / "findings.toml", tmp_path / "page.md"
    plan.write_text(FINDINGS, encoding="utf-8")
    said = dwb("evaluate", plan, "--page", page, "--json")
    assert said.code == 0
    assert said.json["jobs"] == 20_000
    by_id = {finding["id"]: finding for finding in said.json["findings"]}
    assert list(by_id)[:4] == ["paper-table-1", "paper-figure-1", "paper-finding-1", "paper-finding-2"]
    (table,) = by_id["paper-finding-1"]["tables"]
    assert table["columns"][:2] == ["The paper says", "Rule"]
    assert table["columns"].count("Holds") == 2  # against two settings of current SDL
    assert len(table["rows"]) == 11
    told = page.read_text(encoding="utf-8")
    assert told.startswith("# Findings of Haney et al. (2017) on a twin")
    assert "(page-figures/figure-3-paper-all-cells.svg)" in told
    drawing = (tmp_path / "page-figures" / "figure-3-paper-all-cells.svg").read_text(encoding="utf-8")
    assert "<svg" in drawing
    drawn = {figure["title"][:8] for finding in by_id.values() for figure in finding["figures"] if figure["series"]}
    assert drawn == {f"Figure {number}" for number in range(1, 8)}  # with their data


def test_that_evaluate_refuses_a_twin_that_cannot_be_made(tmp_path: Path) -> None:
    plan = tmp_path / "findings.toml"
    plan.write_text(FINDINGS, encoding="utf-8")
    said = dwb("evaluate", plan, "--jobs", "3")
    assert said.code == 2
    assert "Jobs is 3 but must be at least 200" in said.err


@pytest.mark.parametrize("target", ["half within 20%", "mean error <= 5 jobs", "L1 <= 1.0 x baseline"])
def test_that_solve_names_epsilon_and_mechanism(tmp_path: Path, target: str) -> None:
    said = dwb("solve", write_small(tmp_path), "--target", target, "--json")
    assert said.code == (0 if said.json["reached"] else 1)
    assert {"epsilon", "mechanism", "reached", "mechanisms", "audience"} <= set(said.json)
    assert said.json["audience"] == "internal"
    chosen = next(one for one in said.json["mechanisms"] if one["mechanism"] == said.json["mechanism"])
    assert chosen["epsilon"] == said.json["epsilon"]
    assert chosen["definition"].startswith("strong")


def test_that_the_choice_does_not_depend_on_the_confidential_table(tmp_path: Path) -> None:
    """Other data give other values of ε, never another mechanism."""
    one = dwb("solve", write_small(tmp_path / "a"), "--target", "half within 20%", "--json").json
    lines = ["worker,establishment,place,sector,sex"]
    lines += [f"W{i},E{i % 2},{'AB'[i % 2]},x,f" for i in range(900)]
    other = write_small(tmp_path / "b", data="\n".join(lines) + "\n")
    two = dwb("solve", other, "--target", "half within 20%", "--json").json
    assert one["mechanism"] == two["mechanism"]
    assert [m["twin_epsilon"] for m in one["mechanisms"]] == [m["twin_epsilon"] for m in two["mechanisms"]]
    assert [m["epsilon"] for m in one["mechanisms"]] != [m["epsilon"] for m in two["mechanisms"]]


def test_that_the_plans_window_is_kept_for_every_mechanism(tmp_path: Path) -> None:
    text = PLAN.replace('id = "laplace"\nepsilon = 1.5', 'id = "smooth-gamma"\nalpha = 0.2')
    said = dwb("solve", write_small(tmp_path, plan=text), "--target", "half within 50%", "--json").json
    assert {one["alpha"] for one in said["mechanisms"] if one["alpha"] is not None} == {0.2}


def test_that_one_mechanism_can_be_asked_alone(tmp_path: Path) -> None:
    plan = write_small(tmp_path)
    said = dwb("solve", plan, "--target", "mean error <= 1 jobs", "--mechanism", "laplace", "--json")
    assert [one["mechanism"] for one in said.json["mechanisms"]] == ["laplace"]
    assert said.json["mechanism"] == "laplace"
    assert "Known: block-gamma" in dwb("solve", plan, "--target", "half within 5%", "--mechanism", "x").err


def test_that_solve_says_why_in_words(tmp_path: Path) -> None:
    said = dwb("solve", write_small(tmp_path), "--target", "half within 20%")
    assert "public facts only" in said.out
    assert "confidential" in said.out
    assert dwb("solve", write_small(tmp_path), "--target", "good").code == 2


def test_that_a_product_without_cells_says_where_its_trade_off_is_seen(tmp_path: Path) -> None:
    assert dwb("sample", "commuting_flows", "--out", tmp_path).code == 0
    said = dwb("solve", tmp_path / "plan.toml", "--target", "half within 5%")
    assert said.code == 2 and "trade-off" in said.err


def test_that_a_study_is_named_by_its_file_and_settings_can_be_changed(tmp_path: Path) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text('study = "paper-findngs"\n' + FINDINGS, encoding="utf-8")
    assert "Did you mean “paper-findings”" in dwb("evaluate", plan).err
    plan.write_text('study = "paper-findings"\n' + FINDINGS, encoding="utf-8")
    assert dwb("evaluate", plan, "--set", "twin.jobs=10000", "--json").json["jobs"] == 10_000
    assert "mine.toml, [grid]" in dwb("evaluate", plan, "--set", "grid.delta=2").err
    assert "short names: jobs, trials" in dwb("evaluate", plan, "--set", "jbs=2").err
    plan.write_text("twin = 3\n", encoding="utf-8")
    assert "This must be a section" in dwb("evaluate", plan, "--jobs", "300").err
