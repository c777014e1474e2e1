"""Other mechanisms of a plan stand beside the release by study draws; they are never drawn for release or stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.cli.said import dwb
from tests.cli.small import PLAN, write_small
from tests.review.small_review import SMALL_PLAN, load, session_in, tabulate
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.side_by_side import Side
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.cell import log_laplace, smooth_gamma
from workbench.review.plan.plan import Choice, Plan
from workbench.review.run.opening import LoadedData
from workbench.review.run.prepare import PreparedTable
from workbench.review.run.run import draw_and_judge
from workbench.review.session import ReviewSession

RIVALS = (Choice.of(log_laplace.SPEC), Choice.of(block_gamma.SPEC))
WITH_RIVALS: Plan = replace(SMALL_PLAN, rivals=RIVALS)


@pytest.fixture
def session(tmp_path: Path) -> ReviewSession:
    made = session_in(tmp_path, WITH_RIVALS)
    load(made)
    tabulate(made)
    return made


def loaded(session: ReviewSession) -> LoadedData:
    assert session.loaded is not None
    return session.loaded


def prepared(session: ReviewSession) -> PreparedTable:
    assert session.prepared is not None
    return session.prepared


def test_that_every_method_of_the_plan_stands_in_its_place(session: ReviewSession) -> None:
    outcome = draw_and_judge(loaded(session), prepared(session), WITH_RIVALS, QUIET)
    (beside,) = outcome.measured.side_by_side
    (compared,) = beside.compared
    assert [column.side for column in compared.columns] == list(Side)
    assert [column.about for column in compared.columns[1:-1]] == [
        "Input noise infusion", log_laplace.SPEC.title, block_gamma.SPEC.title,
    ]  # fmt: skip
    assert np.array_equal(compared.private, outcome.protected.table.units("jobs").numbers())
    (finding,) = [each for each in outcome.measured.findings if each.id == "methods-compared"]
    assert finding.stage == "compare"
    assert finding.values["methods"] == 4


def test_that_a_rival_comes_out_the_same_again_and_the_release_does_not(session: ReviewSession) -> None:
    first, again = (
        draw_and_judge(loaded(session), prepared(session), WITH_RIVALS, QUIET).measured.side_by_side[0].compared[0]
        for _ in range(2)
    )
    for one, other in zip(first.columns[:-1], again.columns[:-1], strict=True):
        assert np.array_equal(one.values.reveal(), other.values.reveal())
    assert not np.array_equal(first.private, again.private)


def test_that_a_rival_that_cannot_be_drawn_is_refused_before_anything_is_drawn(session: ReviewSession) -> None:
    params = replace(smooth_gamma.SPEC.params(), epsilon=Epsilon("0.01"), alpha=Alpha("0.9"))
    hopeless = replace(WITH_RIVALS, rivals=(Choice.of(smooth_gamma.SPEC, params),))
    assert smooth_gamma.SPEC.problems(prepared(session).value, params)
    with pytest.raises(UserProblem, match="rivals"):
        draw_and_judge(loaded(session), prepared(session), hopeless, _Silent())


class _Silent:
    """Nobody may have begun to draw."""

    def step(self, fraction: float, sentence: str) -> None:
        raise AssertionError(sentence)


def test_that_a_project_keeps_the_release_alone_and_the_report_names_what_it_was_compared_with(tmp_path: Path) -> None:
    plan = write_small(tmp_path, plan=f'{PLAN}\n[[rivals]]\nid = "log-laplace"\nepsilon = 2.0\nalpha = 0.1\n')
    project = tmp_path / "review.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    assert len(dwb("ledger", project, "--json").json["entries"]) == 0  # nothing approved, nothing spent
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Agreed").code == 0
    (entry,) = dwb("ledger", project, "--json").json["entries"]
    assert entry["epsilon"] == 1.5
    report = tmp_path / "internal.json"
    assert dwb("report", project, "R-0001", "--audience", "internal", "--format", "json", "-o", report).code == 0
    text = report.read_text(encoding="utf-8")
    assert "Drawn for study only" in text
    assert "methods-compared" in text
    public = tmp_path / "public.json"
    assert dwb("report", project, "R-0001", "--audience", "public", "--format", "json", "-o", public).code == 0
    assert "Drawn for study only" not in public.read_text(encoding="utf-8")
    assert "log-laplace" not in public.read_text(encoding="utf-8")
    assert dwb("verify", project).code == 0
