"""The theme is put in force once; values that several tests show."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status, Table
from workbench.ui import theme


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform itself says that it ignores size hints whenever a window that has some is shown."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True))


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, theme.Mode.LIGHT)


@pytest.fixture
def curve() -> Figure:
    grid = (0.25, 0.5, 1.0, 2.0, 4.0)
    return Figure(
        kind=Kind.LINES,
        title="Error against ε",
        x=Axis(label="privacy loss ε", log=True),
        y=Axis(label="error", unit="jobs"),
        series=(
            Series(name="tight", x=grid, y=tuple(8 / x for x in grid)),
            Series(name="paper", x=grid, y=tuple(50 / x for x in grid), muted=True),
        ),
        marks=(Mark(name="today", value=20.0), Mark(name="chosen", value=2.0, vertical=True)),
    )


@pytest.fixture
def findings() -> tuple[Finding, ...]:
    table = Table(title="Reached", columns=("who", "ln BF"), rows=(("individuals", 2.0), ("shape", 4.0)))
    return (
        Finding(
            id="a",
            title="Exact loss",
            status=Status.PASS,
            sentence="2 of 2.",
            does_not_prove="More.",
            values={"e": 2.0},
        ),
        Finding(id="b", title="Shape", status=Status.WARN, sentence="Weak attackers only. " * 12, tables=(table,)),
        Finding(id="c", title="Integers", status=Status.PASS, sentence="All.", does_not_prove="More."),
        Finding(id="d", title="Reconstruction", status=Status.FAIL, sentence="From one known cell."),
    )
