"""What a figure says at a place: read off its lines as an eye would."""

from __future__ import annotations

import math

import pytest

from workbench.core.figure_values import values_at
from workbench.core.figures import Axis, Figure, Kind, Series


def figure(*, log: bool) -> Figure:
    line = Series(name="error", x=(1.0, 4.0, 16.0), y=(8.0, 2.0, 0.5))
    gap = Series(name="gap", x=(1.0, 4.0, 16.0), y=(1.0, math.nan, 1.0))
    return Figure(
        kind=Kind.LINES, title="", x=Axis(label="ε", log=log), y=Axis(label="error", log=log), series=(line, gap)
    )


@pytest.mark.parametrize(("x", "said"), [(1.0, 8.0), (2.0, 4.0), (16.0, 0.5)])
def test_that_logarithmic_axes_are_read_along_their_own_scale(x: float, said: float) -> None:
    assert dict(values_at(figure(log=True), x))["error"] == pytest.approx(said)


def test_that_plain_axes_are_read_along_straight_lines() -> None:
    assert dict(values_at(figure(log=False), 2.5))["error"] == pytest.approx(5.0)


def test_that_nothing_is_said_beside_the_ends_and_in_a_gap() -> None:
    assert values_at(figure(log=True), 0.5) == ()
    assert values_at(figure(log=True), 17.0) == ()
    assert "gap" not in dict(values_at(figure(log=True), 2.0))
