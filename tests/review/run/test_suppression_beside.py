"""Suppression is tested beside everything approved: what true values printed before give away is named at the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from tests.baselines.suppression.test_baseline import PEOPLE, people_by
from tests.baselines.suppression.test_row_sets import ALL, GROWN
from tests.cli.said import dwb
from tests.cli.small import PLAN, write_small
from tests.contract.findings_contract import judge_findings
from workbench.audit.differencing.tables import Protection, PublishedTable
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.project.store import open_project
from workbench.review.run import differencing
from workbench.review.run.suppression_beside import beside_of, printed_by
from workbench.review.run.suppression_history import Before
from workbench.review.run.suppression_rows import Source
from workbench.review.run.suppression_together import Together, together

COUNTS = ((1, 7, 30), (8, 2, 30), (30, 30, 30))


@dataclass(frozen=True)
class Square:
    """Three by three people; the two smallest cells fail a threshold."""

    def suppressible(self) -> Tabulated:
        across = [f"a{row}" for row, line in enumerate(COUNTS) for many in line for _ in range(many)]
        down = [f"b{column}" for line in COUNTS for column, many in enumerate(line) for _ in range(many)]
        return people_by(across, down, tables=[(0, 1)])


def told(*cells: tuple[str, str, int], names: tuple[str, ...] = ()) -> PublishedTable:
    columns = names or tuple(dimension.name for dimension in Square().suppressible().dimensions)
    return PublishedTable(
        name="R-0001",
        columns=columns,
        keys=tuple(zip(*((a, b) for a, b, _ in cells), strict=True)),
        value_name="people",
        values=np.array([value for _, _, value in cells], dtype=np.int64),
        protection=Protection.EXACT,
    )


def test_that_a_primary_cell_printed_before_is_named() -> None:
    (found,) = beside_of(Square().suppressible(), PEOPLE, [told(("a0", "b0", 1))], QUIET).findings
    judge_findings((found,))
    assert found.status is Status.WARN
    assert found.values["primary_cells_printed_before"] == 1
    assert found.tables[0].rows[0][1] == "fails a primary rule and is printed"


def test_that_a_cell_whose_line_is_printed_is_named_as_derivable() -> None:
    """All other cells of the first row and its total are out: 1 follows by subtraction, whatever is withheld."""
    before = told(("a0", "b1", 7), ("a0", "b2", 30), ("a0", "Total", 38))
    (found,) = beside_of(Square().suppressible(), PEOPLE, [before], QUIET).findings
    judge_findings((found,))
    assert found.status is Status.WARN
    assert found.values["levels_lost_to_earlier_tables"] == 1
    assert found.tables[0].rows[0][1] == "its level is undercut"


def test_that_a_table_of_large_cells_takes_nothing_away() -> None:
    (found,) = beside_of(Square().suppressible(), PEOPLE, [told(("a2", "b2", 30))], QUIET).findings
    assert found.status is Status.PASS
    assert found.tables == ()


def test_that_totals_have_no_code_and_withheld_cells_are_not_printed() -> None:
    both = told(("a0", "Total", 38), ("a0", "b1", 7), names=("x", "y"))
    assert printed_by(both) == {frozenset({("x", "a0")}): True, frozenset({("x", "a0"), ("y", "b1")}): True}


def test_that_a_draw_with_suppression_in_its_plan_carries_the_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    same, other = (
        replace(told(("A", "x", 40), names=("place", "sector")), value_name="jobs", name=name, population=population)
        for name, population in (("R-0007", ""), ("R-0008", "other data"))
    )
    monkeypatch.setattr(differencing, "published_tables", lambda *_, **__: (same, other))
    linked = '[data.linked]\nplaces = "places.csv"\n\n[data.shaping.links.places]\nkey = ["place"]\n\n[data.roles]'
    text = PLAN.replace("[data.roles]", linked) + '\n[baseline]\nid = "cell-suppression"\n'
    plan = write_small(tmp_path, plan=text)
    plan.with_name("places.csv").write_text("place,state\nA,N\nB,N\nC,S\n", encoding="utf-8")
    (tmp_path / "projects").mkdir()
    project = tmp_path / "projects" / "review.dwb"  # not beside the plan, whose paths start from its own folder
    said = dwb("run", plan, "--project", project, "--preparer", "Ana")
    assert said.code == 0, said.err
    again = dwb("difference", project, "R-0001", "--json").json["findings"]
    assert "differencing.suppression" in [each["id"] for each in again]
    with open_project(project, read_only=True) as opened:
        run = opened.latest_run("R-0001")
        assert run is not None
        (found,) = [each for each in opened.findings(run.id) if each.id == "differencing.suppression"]
    assert found.stage == "audit"
    assert "R-0007" in found.sentence and "R-0008" not in found.sentence


def beside_grown(*, here: str = "a file", part: bool = True) -> Together:
    """All people under review, beside a table of those of 16 and over."""
    grown = GROWN if part else replace(GROWN, part=lambda _: None)
    own = Source(file=here, linked={})
    earlier = Before(name="R-0001", content="grown", table=grown.table, params=PEOPLE, counted=grown, source=own)
    return together(ALL, own, [earlier], content="all")


def test_that_tables_whose_rows_in_common_nobody_can_tell_are_named() -> None:
    """Rows that stay where they are, and tables that are not the sum of their parts."""
    assert beside_grown().apart == ()
    for beside in (beside_grown(here=""), beside_grown(part=False)):
        assert beside.apart == ("R-0001",)
        (found,) = beside_of(ALL.table, PEOPLE, [], QUIET, beside=beside).findings
        judge_findings((found,))
        assert found.status is Status.WARN
        assert "What R-0001 and this table leave out of each other was not looked at" in found.sentence


def test_that_true_values_are_of_the_rows_that_their_release_counted() -> None:
    """A table of all people prints no cell of those of 16 and over; one made from the same rows does."""
    beside = replace(beside_grown(), of_rows={"": frozenset({("rows", "grown")})})
    whole = told(("a0", "b0", 1))
    assert beside.of_rows_in(whole) == frozenset()
    assert beside.of_rows_in(replace(whole, content="all")) == frozenset({("rows", "grown")})


def test_that_releases_of_another_product_are_named_as_not_compared() -> None:
    own = Source(file="a file", linked={})
    beside = together(ALL, own, [Before(name="R-0001", other=True)], content="all")
    assert beside.before == () and beside.others == ("R-0001",)
    (found,) = beside_of(ALL.table, PEOPLE, [], QUIET, beside=beside).findings
    judge_findings((found,))
    assert found.status is Status.WARN
    assert found.sentence.startswith("R-0001 is of another product")
