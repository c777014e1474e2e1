"""What suppression costs and what it leaves uncertain, in words, tables and a figure. Everything stays internal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.baselines.suppression.check import Breach, short_of
from workbench.baselines.suppression.lost_beside import losses
from workbench.baselines.suppression.marked_table import marked_table
from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import counted, show
from workbench.core.value_words import ValueName, declare, share_of

declare(
    {
        "withheld_with_margins": ValueName("Suppressed cells, margins included"),
        "primary_cells": ValueName("Primary cells"),
        "suppressed_share": share_of("Share of cells suppressed"),
        "suppressed_value_share": share_of("Share of the total suppressed"),
        "optimality_gap": share_of("Distance from the proven bound"),
        "cells_for_plain_attackers": ValueName("Suppressed cells without informed attackers"),
        "levels_missed": ValueName("Levels missed"),
        "levels_unreachable": ValueName("Levels that no pattern keeps"),
        "levels_known_to_contributors": ValueName("Levels that contributors undercut whatever is withheld"),
        "sums_failing": ValueName("Lines whose suppressed cells together fail a primary rule"),
        "narrowest_interval": ValueName("Narrowest interval, in levels"),
    }
)
_MOST_ROWS = 25
SAME_ROWS = (
    "Levels are those of sums of cells. Whoever also uses that all tables come from one table by all their columns can "
    "know more: in 2 of 180 simulated projects of two or three small tables a level was undercut that way."
)
REPLAY = (
    "Intervals hold for attackers who do not replay the rule. In 1,022 tables of 3 × 3 and 3 × 4 cells, replay "
    "recovered 37 % of the primary cells exactly."
)


def findings_of(given: Tabulated, found: Suppressed, *, plain_cells: int | None) -> tuple[Finding, ...]:
    return (_loss(given, found, plain_cells), kept_levels(found))


def _loss(given: Tabulated, found: Suppressed, plain_cells: int | None) -> Finding:
    system = found.task.system
    hidden = found.suppressed[: system.listed]
    rows = slice(0, len(given.keys))
    total = float(system.values[rows].sum())
    value_share = float(system.values[rows][hidden[rows]].sum()) / total if total else 0.0
    primary = int(found.task.primary[: system.listed].sum())
    kind = "included" if system.listed > len(given.keys) else "not published"
    dearer = (
        f" Against attackers who know the published cells only, a heuristic suppresses {show(plain_cells)}."
        if plain_cells is not None
        else ""
    )
    return Finding(
        id="suppression.loss",
        title="Cells withheld by suppression",
        status=Status.INFO,
        sentence=(
            f"Suppression withholds {show(int(hidden.sum()))} of {counted(system.listed, 'cell')}, margins {kind}, "
            f"and {show(100 * value_share, 3)} % of all {given.unit}; {show(primary)} fail a primary rule. "
            f"{_proof(found)}{dearer}"
        ),
        values={
            "withheld_with_margins": int(hidden.sum()),
            "primary_cells": primary,
            "suppressed_share": float(hidden.mean()),
            "suppressed_value_share": value_share,
            "optimality_gap": found.gap,
            "cells_for_plain_attackers": plain_cells,
        },
        tables=(_by_dimension(given, found),),
        figures=marked_table(given, found),
        does_not_prove=f"Suppression has no ε: every further table narrows the intervals. {REPLAY}",
    )


def _proof(found: Suppressed) -> str:
    if found.gap is None:
        return "A heuristic chose the other cells, without a proof of how few would do."
    if found.gap <= 1e-9:
        return "The pattern is the proven optimum."
    return f"The pattern is within {show(100 * found.gap, 2)} % of the proven bound."


def _by_dimension(given: Tabulated, found: Suppressed) -> Table:
    """By what cells are broken down: the table itself, each kind of margin, the total."""
    return Table(
        title="Suppressed cells by dimension",
        columns=("Cells by", "Cells", "Primary", "Suppressed", "Suppressed, %", f"Of the {given.unit}, %"),
        rows=losses(given, found),
    )


def kept_levels(found: Suppressed) -> Finding:
    """Fails where an interval is narrower than its level, or the sum of a line's suppressed cells tells too much.

    Warns where a contributor knows enough to undercut a level whatever is withheld.
    """
    task, primary = found.task, np.flatnonzero(found.task.primary)
    values = task.system.values
    missed = [
        int(cell)
        for cell in primary
        if short_of(found.high[cell] - values[cell], task.upper[cell])
        or short_of(values[cell] - found.low[cell], task.lower[cell])
    ]
    beaten = [breach for breach in found.unreachable if breach.insider is None or _published_before(found)]
    width = (found.high - found.low)[primary] / np.maximum(task.upper + task.lower, 1e-12)[primary]
    narrowest = float(width.min()) if len(width) else np.inf
    failing = bool(missed or beaten or found.telling)
    known = len(found.unreachable) - len(beaten)
    own = known_themselves(known)
    fine = Status.WARN if known else Status.PASS
    return Finding(
        id="suppression.intervals",
        title="Intervals of suppressed cells",
        status=Status.FAIL if failing else fine,
        sentence=(_failed(found, missed, beaten) if failing else _held(found, narrowest, known)) + own,
        values={
            "levels_missed": len(missed),
            "levels_unreachable": len(beaten),
            "levels_known_to_contributors": known,
            "sums_failing": len(found.telling),
            "narrowest_interval": narrowest if np.isfinite(narrowest) else None,
        },
        tables=tuple(_tables(found, width)),
        figures=tuple(_figure(found, width)),
        does_not_prove=f"Attackers who know more than {task.attackers.words} can do better. {REPLAY}",
    )


def known_themselves(levels: int) -> str:
    many = counted(levels, "level")
    return f" {many} cannot be kept from contributors who know as much themselves." if levels else ""


def _published_before(found: Suppressed) -> bool:
    return bool(np.any(found.task.published & (found.task.system.values > 0)))


def _held(found: Suppressed, narrowest: float, known: int) -> str:
    primary = int(found.task.primary.sum())
    if not primary:
        return "No cell fails a primary rule."
    times = "as wide as its level" if narrowest < 1.005 else f"{show(narrowest, 3)} times its level wide"
    wide = f"; the narrowest interval is {times}" if np.isfinite(narrowest) else ""
    inside = bool(found.task.attackers.insiders) and not known
    who = "outsiders and contributors" if inside else "outsiders"
    return f"All {counted(primary, 'primary cell')} keep their levels against {who}{wide}."


def _failed(found: Suppressed, missed: list[int], beaten: list[Breach]) -> str:
    said = [_missed(found, missed, beaten)] if missed or beaten else []
    return " ".join([*said, sums_failing(found)] if found.telling else said)


def sums_failing(found: Suppressed) -> str:
    """The lines whose suppressed cells add up to something that fails a primary rule."""
    system = found.task.system
    first = system.lattice.words(system.lines[found.telling[0]].whole)
    return (
        f"The suppressed cells of {counted(len(found.telling), 'line')} add up to a sum that fails a primary rule, the "
        f"first in the line of {first}; nothing else there can be suppressed."
    )


def _missed(found: Suppressed, missed: list[int], beaten: list[Breach]) -> str:
    cell = beaten[0].cell if beaten else missed[0]
    lattice = found.task.system.lattice
    said = f"{counted(len({*missed, *(breach.cell for breach in beaten)}), 'primary cell')} cannot keep the level. "
    if not beaten:
        return said + f"The first is {lattice.words(cell)}."
    line = next(iter(found.task.system.lines_of(cell)), None)
    where = "" if line is None else f", in the line of {lattice.words(found.task.system.lines[int(line)].whole)}"
    return (
        f"{said}The first is {lattice.words(cell)}{where}: level {show(beaten[0].level, 3)}, at most "
        f"{show(beaten[0].reached, 3)} can be reached. Lower the level, or suppress what was published beside it."
    )


def _figure(found: Suppressed, width: Floats) -> Iterator[Figure]:
    """What an attacker is left with, for the primary cells with the narrowest intervals that end on both sides."""
    order = np.flatnonzero(found.task.primary)[np.argsort(width, kind="stable")]
    cells = order[np.isfinite(found.high[order])][:_MOST_ROWS].tolist()
    if cells:
        values, words = found.task.system.values, found.task.system.lattice.words
        yield Figure(
            kind=Kind.INTERVAL,
            title="Intervals of primary cells",
            subtitle=f"True value and what an attacker finds who knows {found.task.attackers.words}",
            x=Axis(label="Cell", categories=tuple(words(cell) for cell in cells)),
            y=Axis(label="Value"),
            series=(
                Series(
                    name="primary cells, the narrowest first",
                    x=tuple(float(place) for place in range(len(cells))),
                    y=tuple(float(values[cell]) for cell in cells),
                    low=tuple(float(found.low[cell]) for cell in cells),
                    high=tuple(float(found.high[cell]) for cell in cells),
                ),
            ),
        )


def _tables(found: Suppressed, width: Floats) -> Iterator[Table]:
    task = found.task
    values, words = task.system.values, task.system.lattice.words
    cells = np.flatnonzero(task.primary)[np.argsort(width, kind="stable")][:_MOST_ROWS]
    if len(cells):
        yield Table(
            title="Narrowest intervals of primary cells",
            columns=("Cell", "Value", "At least", "At most", "Level below", "Level above"),
            rows=tuple(
                (words(int(cell)), float(values[cell]), float(found.low[cell]), float(found.high[cell]),
                 float(task.lower[cell]), float(task.upper[cell]))
                for cell in cells
            ),
            note=f"For an attacker who knows {task.attackers.words}.",
        )  # fmt: skip
    if found.unreachable:
        yield Table(
            title="Levels that no pattern keeps",
            columns=("Cell", "Attacker", "Side", "Level", "At most reached"),
            rows=tuple(
                (words(breach.cell), "outsider" if breach.insider is None else "contributor",
                 "above" if breach.sign > 0 else "below", breach.level, breach.reached)
                for breach in found.unreachable[:_MOST_ROWS]
            ),
        )  # fmt: skip
