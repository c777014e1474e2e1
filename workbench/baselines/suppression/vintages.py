"""Earlier versions of the data beside the tables of this one: what did not change is the same cell in both.

Readers hold both versions. A cell that was not revised is one unknown with two sets of equations, and one that was
printed before and did not change is known, whatever this version withholds. A revised cell is a cell of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.baselines.suppression.contributions import behind, summed
from workbench.baselines.suppression.joining import Joined
from workbench.baselines.suppression.lattice import Line
from workbench.baselines.suppression.meaning import Meaning, meaning
from workbench.baselines.suppression.system import System, signed
from workbench.core.arrays import Bools, Integers

_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fixed:
    """A system, which of its cells are printed already, which stay withheld, and by meaning where cells are.

    A cell that was revised is at several places, one for each value that it had.
    """

    system: System
    printed: Bools
    withheld: Bools
    places: Mapping[Meaning, tuple[int, ...]]


def fixed(system: System, joint: Joined, printed: Bools, withheld: Bools) -> Fixed:
    """The tables of this version."""
    places = {meaning(joint.names, key): (cell,) for cell, key in enumerate(system.lattice.keys)}
    return Fixed(system=system, printed=printed, withheld=withheld, places=places)


def with_version(
    now: Fixed, old: System, old_joint: Joined, marks: Mapping[Meaning, bool], *, name: str, kept: int
) -> Fixed:
    """The tables of an earlier version added: `marks` says of each of its cells whether it was printed."""
    system = now.system
    named = [meaning(old_joint.names, key) for key in old.lattice.keys]
    place = _places(now, old, named)
    fresh = np.flatnonzero(place >= system.cells)
    lattice = replace(system.lattice, keys=[*system.lattice.keys], numbers={**system.lattice.numbers})
    for cell in fresh.tolist():
        words = f"{old.lattice.words(cell)}, as in {name}"
        lattice.number((words, *(None for _ in lattice.dimensions[1:])))
    values = np.concatenate([system.values, old.values[fresh]])
    lines = _lines(system, old, place)
    matrix = signed(lines, len(values))
    shown = np.array([marks.get(each, False) for each in named], dtype=bool)
    printed = np.append(now.printed, np.zeros(len(fresh), dtype=bool))
    printed[place[shown]] = True
    withheld = np.append(now.withheld, np.ones(len(fresh), dtype=bool))
    withheld[place[~shown]] = True
    given, before = system.contributions, old.contributions
    assert given is not None and before is not None  # a system of tabulated rows names who is behind them
    own = place[before.cell] >= system.cells
    contributions = summed(
        np.concatenate([given.cell, place[before.cell][own]]),
        np.concatenate([given.holder, before.holder[own]]),
        np.concatenate([given.amount, before.amount[own]]),
        cells=len(values),
    )
    made = replace(
        system,
        lattice=lattice,
        lines=lines,
        matrix=matrix,
        by_cell=matrix.tocsc(),
        values=values,
        behind=behind(contributions, values, kept=kept),
        contributions=contributions,
        unlisted=system.unlisted + len(fresh),
    )
    more = {named[cell]: (*now.places.get(named[cell], ()), int(place[cell])) for cell in fresh.tolist()}
    return Fixed(system=made, printed=printed, withheld=withheld & ~printed, places={**now.places, **more})


def _places(now: Fixed, old: System, named: Sequence[Meaning]) -> Integers:
    """Where each old cell is in the new system: at a cell of the same value, or behind all others."""
    place = np.zeros(old.cells, dtype=np.int64)
    following = now.system.cells
    for cell, name in enumerate(named):
        value = old.values[cell]
        near = _SAME * max(1.0, abs(value))
        same = next((at for at in now.places.get(name, ()) if abs(now.system.values[at] - value) <= near), None)
        place[cell] = following if same is None else same
        following += same is None
    return place


def _lines(system: System, old: System, place: Integers) -> tuple[Line, ...]:
    """Those of both, each once."""
    made = {(line.whole, frozenset(line.parts)): line for line in system.lines}
    for line in old.lines:
        parts = tuple(place[list(line.parts)].tolist())
        made.setdefault(
            (int(place[line.whole]), frozenset(parts)), Line(line.dimension, int(place[line.whole]), parts)
        )  # fmt: skip
    return tuple(made.values())
