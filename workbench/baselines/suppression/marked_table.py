"""The suppressed table as a figure: its first two dimensions with margins, suppressed cells marked, bounds on hover."""

from __future__ import annotations

import numpy as np

from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.figures import Axis, Figure, Kind, Series

_MOST_ROWS, _MOST_COLUMNS = 24, 10
_TOTAL = "total"


def marked_table(given: Tabulated, found: Suppressed) -> tuple[Figure, ...]:
    """One figure, or none where the table has a single dimension or no margins."""
    if len(given.dimensions) < 2 or not found.task.system.lines:
        return ()
    numbers = found.task.system.lattice.numbers
    rest = (None,) * (len(given.dimensions) - 2)
    down, across = (_codes(given, place) for place in (0, 1))
    shown_down, shown_across = [*down[: _MOST_ROWS - 1], None], [*across[: _MOST_COLUMNS - 1], None]
    grid = []
    marked: dict[str, list[tuple[int, int, int]]] = {"fails a primary rule": [], "keeps others uncertain": []}
    for row, one in enumerate(shown_down):
        line = []
        for column, other in enumerate(shown_across):
            cell = numbers.get((one, other, *rest))
            hidden = cell is None or bool(found.suppressed[cell])
            line.append(np.nan if hidden else float(found.task.system.values[cell]))
            if cell is not None and found.suppressed[cell]:
                why = "fails a primary rule" if found.task.primary[cell] else "keeps others uncertain"
                marked[why].append((row, column, cell))
        grid.append(tuple(line))
    left = len(down) + len(across) + 2 - len(shown_down) - len(shown_across)
    return (
        Figure(
            kind=Kind.TABLE,
            title="Suppressed cells",
            subtitle="For reviewers only; the published table has one mark for all of them"
            + (f". {left} rows or columns are not shown" if left else ""),
            x=Axis(label=given.dimensions[1].name, categories=tuple(code or _TOTAL for code in shown_across)),
            y=Axis(label=given.dimensions[0].name, categories=tuple(code or _TOTAL for code in shown_down)),
            grid=tuple(grid),
            series=tuple(_series(name, cells, found) for name, cells in marked.items() if cells),
        ),
    )


def _series(name: str, cells: list[tuple[int, int, int]], found: Suppressed) -> Series:
    return Series(
        name=name,
        x=tuple(float(column) for _, column, _ in cells),
        y=tuple(float(row) for row, _, _ in cells),
        low=tuple(float(found.low[cell]) for *_, cell in cells),
        high=tuple(float(found.high[cell]) for *_, cell in cells),
        keys=tuple(found.task.system.lattice.words(cell) for *_, cell in cells),
    )


def _codes(given: Tabulated, place: int) -> list[str]:
    return list(dict.fromkeys(code for key in given.keys if (code := key[place]) is not None))
