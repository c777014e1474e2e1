"""Every method beside the release, by its distance from the truth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from workbench.core.confidential import Confidential
from workbench.core.side_by_side import Beside, Compared, Side, SideBySide
from workbench.utility.methods import methods_compared

TRUTH = np.array([10.0, 20.0, 30.0, 40.0])


def column(side: Side, off: tuple[float, ...], **more: object) -> Beside:
    return Beside(side=side, values=Confidential(TRUTH + off), **more)  # type: ignore[arg-type]


def laid(*columns: Beside, names: tuple[str, ...] = ("jobs",)) -> SideBySide:
    whole = (Beside(side=Side.CONFIDENTIAL, values=Confidential(TRUTH)), *columns)
    return SideBySide(
        key_titles=("place",),
        keys=(("a", "b", "c", "d"),),
        compared=tuple(Compared(name=name, unit="jobs", columns=whole) for name in names),
        flagged=Confidential(np.zeros(4, np.bool_)),
        flag_rule="",
    )


NAN = float("nan")
SUPPRESSED = column(
    Side.SDL,
    (0, NAN, 0, 0),
    low=Confidential(np.array([10.0, 0.0, 30.0, 40.0])),
    high=Confidential(np.array([10.0, 19.0, 30.0, 40.0])),
)
SOURCE = column(Side.SOURCE, (4, -4, 4, -4))
RELEASE = column(Side.RELEASE, (1, -1, 2, 0))


def test_that_each_method_is_told_with_its_distance_and_what_it_leaves_out() -> None:
    (finding,) = methods_compared((laid(SUPPRESSED, SOURCE, RELEASE),))
    judge_findings((finding,))
    (table,) = finding.tables
    assert table.rows == (
        ("jobs", "current SDL", 1, 0.0, 0.0, "jobs", 0.0),  # its one pair of bounds misses the 20
        ("jobs", "source's method", 0, 4.0, 4.0, "jobs", None),
        ("jobs", "this release", 0, 1.0, 2.0, "jobs", None),
    )
    assert finding.values["closest_method"] == "this release", "who leaves a row out has it easy"
    assert "3 methods" in finding.sentence


def test_that_a_method_is_not_called_best_where_it_alone_leaves_no_row_out() -> None:
    gaps = column(Side.SOURCE, (0, 0, NAN, 0))
    (finding,) = methods_compared((laid(SUPPRESSED, gaps, RELEASE),))
    assert finding.sentence.startswith("Only this release has a value in every row; its mean error is 1 jobs.")


def test_that_bounds_that_hold_the_truth_are_counted() -> None:
    around = column(
        Side.OTHER, (0, 0, 0, 0), low=Confidential(TRUTH - 1), high=Confidential(TRUTH + np.array([1, -0.5, 1, 1]))
    )
    (finding,) = methods_compared((laid(SUPPRESSED, around, RELEASE),))
    assert finding.tables[0].rows[1][-1] == 75.0


def test_that_a_method_that_shows_nothing_breaks_nothing() -> None:
    nothing = column(Side.SDL, (NAN,) * 4)
    (finding,) = methods_compared((laid(nothing, SOURCE, RELEASE),))
    judge_findings((finding,))
    assert finding.tables[0].rows[0] == ("jobs", "current SDL", 4, None, None, "jobs", None)


@pytest.mark.parametrize("columns", [(RELEASE,), (SUPPRESSED, RELEASE)])
def test_that_nothing_is_said_where_the_measures_say_it_already(columns: tuple[Beside, ...]) -> None:
    assert methods_compared((laid(*columns),)) == ()
    assert methods_compared(()) == ()


def test_that_a_margin_of_error_is_not_judged_as_if_it_were_an_estimate() -> None:
    names = ("margin_of_error", "jobs", "jobs_margin_of_error", "pay", "pay_covariance")
    (finding,) = methods_compared((laid(SUPPRESSED, SOURCE, RELEASE, names=names),))
    assert {row[0] for row in finding.tables[0].rows} == {"jobs", "pay"}
    assert len(finding.figures) == 1, "one figure for each table of rows, of what it estimates first"
    assert "compared on jobs" in finding.sentence
