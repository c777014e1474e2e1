"""A draw is held against what left the house: its own noise is found again, fresh noise is not accused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.review.small_review import SMALL_PLAN, load, session_in, tabulate
from workbench.audit.law_loss import law_of
from workbench.core.findings import Finding, Status
from workbench.core.params import to_plain
from workbench.core.progress import QUIET
from workbench.core.published import Coded, Published
from workbench.core.quantities import Epsilon
from workbench.noise.declared.scalar import Rounded
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma
from workbench.project.records import SpecUse
from workbench.review.plan.plan import Choice
from workbench.review.run.protect import mechanism_of
from workbench.review.run.reuse import SOURCE, with_reuse
from workbench.review.run.run import Outcome, draw_and_judge
from workbench.review.session import ReviewSession

PLAN = replace(SMALL_PLAN, mechanism=Choice.of(smooth_gamma.SPEC), checks=())
WIDE = replace(
    PLAN, mechanism=replace(PLAN.mechanism, params=smooth_gamma.SmoothGammaParams(epsilon=Epsilon("0.3")))
)  # so wide that six cells do not agree by chance


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


def _taken(table: Published, rows: Any) -> Published:
    """The same table with these rows, in this order."""
    columns = tuple(
        replace(column, codes=column.codes[rows])
        if isinstance(column, Coded)
        else replace(column, integers=column.integers[rows])
        for column in table.columns
    )
    return replace(table, columns=columns)


def test_that_noise_is_found_whatever_the_order_of_cells(tmp_path: Path) -> None:
    """Turned round; and without the last cells: the noise follows the cells."""
    session = session_in(tmp_path, WIDE)
    first = _drawn(session)
    project, table = _project(session, first), first.protected.table
    rows = np.arange(len(table.values))
    for those in (rows[::-1], np.roll(rows, 3), rows[:-2]):
        project.published = lambda _, those=those: _taken(table, those)
        (again,) = _found(session, first, project)
        assert again.status is Status.FAIL, again.sentence
        assert int(str(again.values["common_cells"])) == len(those)


def test_that_noise_of_the_same_words_in_other_cells_is_found(tmp_path: Path) -> None:
    """Rows stand otherwise and each got the noise of its number: the published values less their exact counts agree."""
    session = session_in(tmp_path, WIDE)
    first = _drawn(session)
    assert session.prepared is not None
    table, cells = first.protected.table, session.prepared.value
    law = law_of(smooth_gamma.SPEC, cells, WIDE.mechanism.params)
    assert isinstance(law, Rounded)
    rows = np.arange(len(law))[::-1]
    standard = (np.asarray(table.values).ravel() - law.center) / law.scale
    moved = np.rint(law.center[rows] + law.scale[rows] * standard).astype(np.int64)
    earlier = replace(
        _taken(table, rows), columns=(*_taken(table, rows).keys, replace(table.value_columns[0], integers=moved))
    )
    project = _project(session, first)
    project.published = lambda _: earlier
    (again,) = _found(session, first, project)
    assert again.status is Status.FAIL, again.sentence


def test_that_a_table_by_other_attributes_is_not_held_against_a_draw(tmp_path: Path) -> None:
    session = session_in(tmp_path, WIDE)
    first = _drawn(session)
    project, table = _project(session, first), first.protected.table
    renamed = tuple(replace(c, name=f"{c.name} x") if isinstance(c, Coded) else c for c in table.columns)
    project.published = lambda _: replace(table, columns=renamed)
    assert _found(session, first, project) == ()
