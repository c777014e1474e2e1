"""Two data sets and one draw: whatever the data are, everything public is the same where the drawn values are."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tests.cli.said import dwb
from tests.journeys.test_survey_tables import plan_of, written
from workbench.core.findings import Audience
from workbench.project.store import open_project
from workbench.report.audience import for_audience
from workbench.review.run import run
from workbench.review.run.prepare import product_of
from workbench.review.run.protect import protect
from workbench.review.workspace import Workspace

JOBS = Path(__file__).parents[2] / "sample_projects" / "employment_tables"


def public(project: Path, path: Path) -> Any:
    """All that may be read by anybody, but for dates and the hashes of the project's own history."""
    assert dwb("run", path, "--project", project, "--preparer", "Ana").code in (0, 1)
    said = dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "ok", "--declare")
    assert said.code == 0, said.err
    with open_project(project, read_only=True) as opened:
        report = for_audience(Workspace(opened).report("R-0001"), Audience.PUBLIC)
    decisions = tuple(dataclasses.replace(each, when="") for each in report.decisions)
    dated = dataclasses.replace(report.identification, date="")
    return dataclasses.replace(report, identification=dated, decisions=decisions)


def same_draw(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second data set is drawn as well, and published with the values of the first."""
    drawn: list[Any] = []

    def held(prepared: Any, plan: Any, context: Any) -> Any:
        made = protect(prepared, plan, context)
        drawn.append(made.release)
        kept = dataclasses.replace(drawn[0], answers=made.release.answers)
        return dataclasses.replace(made, release=kept, table=product_of(plan).public_table(prepared.value, kept))

    monkeypatch.setattr(run, "protect", held)
    first, second = (public(folder / "review.dwb", folder / "plan.toml") for folder in folders)
    assert first == second


def test_that_no_survey_report_follows_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So much ε that an attack on the first answers succeeds; the second ones are all alike."""
    text = (
        plan_of(["region", "work", "home"])
        .split("[baseline]")[0]
        .replace('["exact-loss"]', '["exact-loss", "linkage"]')
    )
    text = text.replace('id = "pairs-gaussian"', 'id = "krr-laplace"\nepsilon = 18.0')
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        people = written(folder, 5)
        (folder / "plan.toml").write_text(text, encoding="utf-8")
    alike = [f"P{number:03d},N,a,x" for number in range(len(people))]
    (folders[1] / "survey.csv").write_text("\n".join(["respondent,region,work,home", *alike]) + "\n", encoding="utf-8")
    same_draw(folders, monkeypatch)


@pytest.mark.parametrize("mechanism", ["laplace", "node-truncation"])
def test_that_no_report_on_jobs_follows_sizes(mechanism: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head, *jobs = (JOBS / "jobs.csv").read_text(encoding="utf-8").splitlines()
    plan = (JOBS / "worker_level.toml").read_text(encoding="utf-8").replace('domain = "registered"', 'domain = "all"')
    plan = plan.replace('id = "laplace"', f'id = "{mechanism}"').replace("trials = 20", "trials = 2")
    before, _, after = plan.partition("checks = [")
    plan = before + 'checks = ["exact-loss"]' + after.partition("]")[2]
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, rows in zip(folders, (jobs[:6000], jobs[:4000]), strict=True):
        folder.mkdir()
        (folder / "jobs.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
        (folder / "dictionary.csv").write_bytes((JOBS / "dictionary.csv").read_bytes())
        (folder / "plan.toml").write_text(plan, encoding="utf-8")
    same_draw(folders, monkeypatch)
