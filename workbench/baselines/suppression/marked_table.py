"""The suppressed table as a figure: two of its dimensions with margins, suppressed cells marked, bounds on hover.

Of a table with more dimensions the part with the most suppressed cells is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.quantities import counted

_MOST_ROWS, _MOST_COLUMNS = 24, 10
_TOTAL = "total"


def marked_table(given: Tabulated, found: Suppressed) -> tuple[Figure, ...]:
    """One figure, or none where the table has a single dimension or no margins."""
    if len(given.dimensions) < 2 or not found.task.system.lines:
        return ()
    numbers = found.task.system.lattice.numbers
    first, second, rest = _fullest(found, len(given.dimensions))
    down, across = (_codes(given, place) for place in (first, second))
    shown_down, shown_across = [*down[: _MOST_ROWS - 1], None], [*across[: _MOST_COLUMNS - 1], None]
    grid = []
    marked: dict[str, list[tuple[int, int, int]]] = {"fails a primary rule": [], "keeps others uncertain": []}
    for row, one in enumerate(shown_down):
        line = []
        for column, other in enumerate(shown_across):
            cell = numbers.get(_key(rest, {first: one, second: other}))
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
            title="Suppressed cells" + (f" of {', '.join(part)}" if (part := [code for code in rest if code]) else ""),
            subtitle="For reviewers only; the published table has one mark for all of them"
            + (f". Not shown: {_left_out(down, shown_down, across, shown_across)}" if left else ""),
            x=_axis(given.dimensions[second].name, shown_across),
            y=_axis(given.dimensions[first].name, shown_down),
            grid=tuple(grid),
            series=tuple(_series(name, cells, found) for name, cells in marked.items() if cells),
        ),
    )


def _left_out(
    down: Sequence[str], shown_down: Sequence[object], across: Sequence[str], shown_across: Sequence[object]
) -> str:
    """Rows and columns that have no room; each side ends with its total."""
    rows, columns = len(down) + 1 - len(shown_down), len(across) + 1 - len(shown_across)
    return " and ".join(counted(many, word) for many, word in ((rows, "row"), (columns, "column")) if many)


def _axis(name: str, codes: Sequence[str | None]) -> Axis:
    """Codes that name their dimension, because others have the same, are short beside its name."""
    return Axis(label=name, categories=tuple(code.removeprefix(f"{name}: ") if code else _TOTAL for code in codes))


def _fullest(found: Suppressed, dimensions: int) -> tuple[int, int, Key]:
    """The two dimensions, and the codes of the others, with the most suppressed cells; the first two where none is."""
    keys, many = found.task.system.lattice.keys, Counter[tuple[int, int, Key]]()
    for cell in np.flatnonzero(found.suppressed[: found.task.system.listed]).tolist():
        own = [place for place, code in enumerate(keys[cell]) if code is not None]
        for first, second in combinations(own, 2):  # a margin is in many parts and is shown with each of them
            many[first, second, _key(keys[cell], {first: None, second: None})] += 1
    nothing: Key = (None,) * dimensions
    return max(many, key=lambda part: (many[part], -sum(code is not None for code in part[2]))) if many else (
        0, 1, nothing
    )  # fmt: skip


def _key(key: Key, codes: dict[int, str | None]) -> Key:
    return tuple(codes.get(place, code) for place, code in enumerate(key))


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
