"""What baselines give: values, a pattern of suppression or a file; and rivals as columns in their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.published import counts
from workbench.baselines.alternatives import (
    Alternative,
    ProtectedFile,
    ProtectedValues,
    Rival,
    SuppressionPattern,
    cells_of,
)
from workbench.baselines.columns import columns
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.core.side_by_side import Side

TRUTH = np.array([7.0, 1.0, 12.0])
VALUES = ProtectedValues(values=Confidential(np.array([8.0, 2.0, 11.0])))
PATTERN = SuppressionPattern(
    values=Confidential(np.array([7.0, np.nan, 12.0])),
    reason=Confidential(np.array([0, 1, 0], np.int8)),
    reasons=("below the threshold",),
    low=Confidential(np.array([7.0, 0.0, 12.0])),
    high=Confidential(np.array([7.0, 2.0, 12.0])),
    attacker="the total",
)
FILE = ProtectedFile(published=Confidential(counts({"place": ("a", "b", "c")}, "jobs", np.array([6, 3, 12]))))


def rival(given: Alternative, side: Side = Side.SDL, title: str = "Noise") -> Rival:
    return Rival(id=title.lower(), title=title, side=side, gives=given)


def test_that_every_kind_can_stand_beside_the_release_in_its_place() -> None:
    laid = columns(
        TRUTH,
        (rival(FILE, Side.SOURCE, "Log-Laplace"), rival(VALUES), rival(PATTERN, title="Threshold")),
        TRUTH + 1,
    )
    assert [column.heading for column in laid] == [
        "confidential", "current SDL", "suppressed", "source's method", "this release",
    ]  # fmt: skip
    assert [column.values.reveal()[0] for column in laid] == [7, 8, 7, 6, 8]
    suppressed = laid[2]
    assert suppressed.marks is not None
    assert suppressed.marks.said(1) == "below the threshold"
    assert suppressed.low is not None
    assert suppressed.high is not None
    assert (suppressed.low.reveal()[1], suppressed.high.reveal()[1]) == (0.0, 2.0)


def test_that_several_of_one_kind_are_told_apart_by_name() -> None:
    laid = columns(TRUTH, (rival(VALUES), rival(VALUES, title="Rounding")), TRUTH)
    assert [column.heading for column in laid[1:-1]] == ["current SDL: Noise", "current SDL: Rounding"]


def test_that_the_published_column_asked_for_is_laid() -> None:
    two = ProtectedValues(values=Confidential(np.stack([TRUTH, 10 * TRUTH], axis=1)))
    assert columns(TRUTH, (rival(two),), TRUTH, 1)[1].values.reveal()[2] == 120


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": Confidential(np.array([7.0, 1.0, 12.0]))},
        {"low": Confidential(np.array([7.0, 3.0, 12.0]))},
        {"reasons": ()},
        {"high": Confidential(np.array([7.0, 2.0]))},
    ],
    ids=["shows what it suppresses", "bounds crossed", "reason unknown", "other cells"],
)
def test_that_a_pattern_that_contradicts_itself_is_a_defect(wrong: dict[str, object]) -> None:
    with pytest.raises(Defect):
        replace(PATTERN, **wrong)  # type: ignore[arg-type]


def test_that_a_bound_may_be_missing_and_a_value_may_not_be_infinite() -> None:
    assert np.isinf(replace(PATTERN, high=Confidential(np.array([7.0, np.inf, 12.0]))).high.reveal()[1])
    with pytest.raises(Defect):
        ProtectedValues(values=Confidential(np.array([1.0, np.inf])))


def test_that_a_file_has_no_cells_to_measure() -> None:
    assert cells_of(PATTERN) is PATTERN.values
    with pytest.raises(Defect):
        cells_of(FILE)
