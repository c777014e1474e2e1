"""A draw is held against what left the house: its own noise is found again, fresh noise is not accused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.review.small_review import SMALL_PLAN, load, session_in, tabulate
from workbench.core.findings import Finding, Status
from workbench.core.params import to_plain
from workbench.core.progress import QUIET
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma
from workbench.project.records import SpecUse
from workbench.review.plan.plan import Choice
from workbench.review.run.protect import mechanism_of
from workbench.review.run.reuse import SOURCE, with_reuse
from workbench.review.run.run import Outcome, draw_and_judge
from workbench.review.session import ReviewSession

PLAN = replace(SMALL_PLAN, mechanism=Choice.of(smooth_gamma.SPEC), checks=())


def _drawn(session: ReviewSession) -> Outcome:
    load(session)
    tabulate(session)
    assert session.loaded is not None and session.prepared is not None
    return draw_and_judge(session.loaded, session.prepared, session.plan, QUIET)


def _project(session: ReviewSession, outcome: Outcome, **inputs: str) -> Any:
    """A project in which this draw was approved as R-0001."""
    assert session.loaded is not None
    plan = session.plan
    used = mechanism_of(plan)
    spec = SpecUse(kind="mechanism", id=used.id, version=used.version, params=to_plain(plan.mechanism.params))
    known = {"content_sha256": session.loaded.microdata.fingerprint.content, **inputs}
    run = SimpleNamespace(release_id="R-0001", inputs=known, specs=(spec,))
    table = outcome.protected.table
    return SimpleNamespace(ledger=lambda: (SimpleNamespace(run_id=1),), run=lambda _: run, published=lambda _: table)


def _found(session: ReviewSession, outcome: Any, project: Any) -> tuple[Finding, ...]:
    assert session.loaded is not None and session.prepared is not None
    made = with_reuse(outcome, project, session.plan, loaded=session.loaded, prepared=session.prepared, context=QUIET)
    return tuple(finding for finding in made.audit if finding.source == SOURCE)


def test_that_noise_of_an_earlier_release_is_found_and_fresh_noise_is_not_accused(tmp_path: Path) -> None:
    session = session_in(tmp_path, PLAN)
    first = _drawn(session)
    project = _project(session, first)
    (again,) = _found(session, first, project)
    assert again.status is Status.FAIL
    assert "R-0001" in again.sentence
    (new,) = _found(session, _drawn(session), project)
    assert new.values["common_cells"] == again.values["common_cells"]
    assert float(str(new.values["overlap_probability"])) > float(str(again.values["overlap_probability"]))


def test_that_releases_of_other_data_are_not_held_against_a_draw(tmp_path: Path) -> None:
    session = session_in(tmp_path, PLAN)
    drawn = _drawn(session)
    assert _found(session, drawn, _project(session, drawn, content_sha256="other")) == ()
