"""What a release loses beside its suppressed rival: the same numbers for both, by what cells are broken down by.

Suppression loses the cells it withholds. A release with noise withholds none, but some of its cells are far from the
truth: by more than 10 %, which for an empty cell is any other number. Its margins are the sums of its cells.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Tabulated, membership
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.quantities import counted, show
from workbench.core.value_words import declare, share_of

declare(
    {
        "release_withheld_share": share_of("Share of cells withheld by this release"),
        "release_withheld_value_share": share_of("Share of the total withheld by this release"),
        "release_far_share": share_of("Share of cells that this release changes by more than 10 %"),
        "release_far_value_share": share_of("Share of the total in those cells"),
    }
)
FAR = 0.1
Cells = Sequence[int] | Integers


def by_dimension(given: Tabulated, found: Suppressed) -> list[tuple[str, list[int]]]:
    """The cells of the table itself, of each kind of margin and of the total, each with the columns they are by."""
    system = found.task.system
    kinds: dict[tuple[str, ...], list[int]] = {}
    for number, key in enumerate(system.lattice.keys[: system.listed]):
        names = tuple(each.name for each, code in zip(given.dimensions, key, strict=True) if code is not None)
        kinds.setdefault(names, []).append(number)
    return [(" × ".join(names) or "total", cells) for names, cells in kinds.items()]


def lost_beside(given: Tabulated, found: Suppressed, released: Floats) -> Finding:
    """`released` is the compared column of this release, row by row as it is published."""
    system = found.task.system
    rows = _by_row(given, released)
    sums = np.asarray(membership(system.lattice, given.keys) @ rows, dtype=np.float64)[: system.listed]
    return lost_in(
        by_dimension(given, found),
        np.arange(len(given.keys)),
        values=system.values[: system.listed],
        hidden=found.suppressed[: system.listed],
        released=sums,
        said=f"{counted(len(given.keys), 'cell')} without margins",
        unit=given.unit,
        note="Far off: by more than 10 %, or any number in an empty cell. Margins of this release are sums.",
    )


def lost_in(
    kinds: Sequence[tuple[str, Cells]], finest: Cells, *, values: Floats, hidden: Bools, released: Floats,
    said: str, unit: str, note: str,
) -> Finding:  # fmt: skip
    """The shares for each kind of cells, and in words for the finest, which are `said`. `released` is not-a-number
    where the release gives no number."""
    withheld = np.isnan(released)
    with np.errstate(invalid="ignore"):
        far = np.abs(released - values) > FAR * values + 1e-9
    table = [(name, *_lost(values, cells, hidden, withheld, far)) for name, cells in kinds]
    ours = _lost(values, finest, hidden, withheld, far)
    return Finding(
        id="suppression.beside-release",
        title="Cells lost by suppression and by this release",
        status=Status.INFO,
        sentence=(
            f"Of {said}, suppression withholds {show(ours[1], 3)} %, with "
            f"{show(ours[2], 3)} % of all {unit}. This release withholds {show(ours[3], 3)} % and is off by more "
            f"than 10 % in {show(ours[5], 3)} %, with {show(ours[6], 3)} % of all {unit}."
        ),
        values={
            "suppressed_share": ours[1] / 100,
            "suppressed_value_share": ours[2] / 100,
            "release_withheld_share": ours[3] / 100,
            "release_withheld_value_share": ours[4] / 100,
            "release_far_share": ours[5] / 100,
            "release_far_value_share": ours[6] / 100,
        },
        tables=(
            _shares("Cells lost by dimension, in percent of the cells", table, (2, 4, 6), note),
            _shares(f"In percent of the {unit}", table, (3, 5, 7), note),
        ),
        does_not_prove="Another draw of this release is off in other cells. Nothing here says what is protected.",
    )


def _shares(title: str, rows: Sequence[tuple[Value, ...]], columns: tuple[int, int, int], note: str) -> Table:
    return Table(
        title=title,
        columns=("Cells by", "Cells", "Suppressed", "Withheld", "Far off"),
        rows=tuple((*row[:2], *(row[column] for column in columns)) for row in rows),
        note=note,
    )


def _by_row(given: Tabulated, released: Floats) -> Floats:
    """One number for each row of the table; where several rows are published of it, the first."""
    if given.cell is None:
        return released
    _, first = np.unique(given.cell, return_index=True)
    return released[first]


def _lost(
    values: Floats, cells: Cells, hidden: Bools, withheld: Bools, far: Bools
) -> tuple[int, float, float, float, float, float, float]:
    own = values[cells]
    total = float(own.sum())

    def share(lost: Bools) -> tuple[float, float]:
        inside = lost[cells]
        return 100 * float(inside.mean()), 100 * float(own[inside].sum()) / total if total else 0.0

    return (len(cells), *share(hidden), *share(withheld), *share(far & ~withheld))


def losses(given: Tabulated, found: Suppressed) -> tuple[tuple[Value, ...], ...]:
    """The suppressed table alone: cells, primary, suppressed, their share, and their share of the total."""
    values = found.task.system.values
    none = np.zeros(len(values), dtype=bool)
    made: list[tuple[Value, ...]] = []
    for name, cells in by_dimension(given, found):
        _, share, worth, *_ = _lost(values, cells, found.suppressed, none, none)
        primary, hidden = (int(each[cells].sum()) for each in (found.task.primary, found.suppressed))
        made.append((name, len(cells), primary, hidden, share, worth))
    return tuple(made)
