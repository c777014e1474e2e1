"""What attackers know of cells that are not published: one set of bounds for optimum, heuristic and check.

Everybody knows all published cells, all equations, and the bounds of `outsider`. Some know more: a holder knows its own
contributions, so that each of its cells holds at least its share, and knows a cell completely where it is alone in it.
Nobody is assumed to replay the rule that chose the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.baselines.suppression.contributions import Contributions
from workbench.baselines.suppression.insiders import Insider, unnamed_holders
from workbench.baselines.suppression.system import System
from workbench.core.arrays import Floats, Integers

_PLAIN = "the published cells and that none is negative"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attackers:
    """The bounds that everybody knows, and the insiders.

    `low` and `high` bound every cell for an outsider; infinite where nothing public bounds it. `zeros_shown`: cells of
    zero are always published, so that a suppressed cell of counts holds at least one.
    """

    low: Floats
    high: Floats
    zeros_shown: bool
    insiders: tuple[Insider, ...] = ()
    words: str

    @property
    def knowing(self) -> bool:
        """Whether anybody knows more than the published cells and that none is negative."""
        return self.zeros_shown or bool(self.insiders)


def plain(system: System) -> Attackers:
    """Values are at least 0 and nothing else is known: for comparison with other programs only."""
    return Attackers(low=np.zeros(system.cells), high=np.full(system.cells, np.inf), zeros_shown=False, words=_PLAIN)


def informed(system: System, *, zeros: bool = True, holders: bool = True, pairs: bool = False) -> Attackers:
    """An outsider who knows that zeros are always printed, every holder, and pairs that share a cell between them."""
    least = 1.0 if system.counts and zeros else 0.0
    low = _at_least_its_parts(system, np.minimum(least, system.values))
    return Attackers(
        low=low,
        high=np.full(system.cells, np.inf),
        zeros_shown=zeros,
        insiders=tuple(_insiders(system, low, holders=holders, pairs=pairs)),
        words="the published cells and which cells are zero" if zeros else _PLAIN,
    )


def _at_least_its_parts(system: System, low: Floats) -> Floats:
    """A total holds at least what its parts hold at least."""
    low = low.copy()
    wholes = np.array([line.whole for line in system.lines], dtype=np.int64)
    changed = bool(len(wholes))
    while changed:
        summed = low[wholes] - system.matrix @ low  # a row holds +1 for the whole and −1 for each part
        before = low.copy()
        np.maximum.at(low, wholes, summed)
        changed = bool(np.any(low > before))
    return low


def _insiders(system: System, low: Floats, *, holders: bool, pairs: bool) -> Iterator[Insider]:
    given = system.contributions
    if given is None:
        yield from unnamed_holders(system, low) if holders else ()
        return
    own = _by_holder(given)
    many = np.diff(given.starts())
    if holders:
        for holder in own:
            yield from _knowing(system, low, (holder,), *own[holder], many)
    if pairs:
        for one, other in sorted(_pairs(given, many)):
            cells = np.concatenate([own[one][0], own[other][0]])
            amount = np.concatenate([own[one][1], own[other][1]])
            distinct, place = np.unique(cells, return_inverse=True)
            share = np.bincount(place, weights=amount).astype(np.float64)
            yield from _knowing(system, low, (one, other), distinct, share, many)


def _by_holder(given: Contributions) -> dict[int, tuple[Integers, Floats]]:
    order = np.argsort(given.holder, kind="stable")
    holder, cell, amount = given.holder[order], given.cell[order], given.amount[order]
    edges = np.flatnonzero(np.diff(holder)) + 1
    found = zip(np.split(cell, edges), np.split(amount, edges), np.split(holder, edges), strict=True)
    return {int(names[0]): (cells, amounts) for cells, amounts, names in found if len(names)}


def _knowing(
    system: System, low: Floats, holders: tuple[int, ...], cells: Integers, share: Floats, many: Integers
) -> Iterator[Insider]:
    """What these holders know together; nothing where it is no more than everybody knows.

    They know a cell completely where nobody else is in it: what they hold is then all of it.
    """
    alone = share >= system.values[cells] * (1 - 1e-12)
    alone &= many[cells] <= len(holders)
    telling = alone | (share > low[cells] + 1e-12)
    if not telling.any():
        return
    cells, share, alone = cells[telling], share[telling], alone[telling]
    yield Insider(
        holders=holders,
        cells=cells,
        low=np.where(alone, system.values[cells], np.maximum(share, low[cells])),
        high=np.where(alone, system.values[cells], np.inf),
    )


def _pairs(given: Contributions, many: Integers) -> set[tuple[int, int]]:
    """The two holders of each cell that has only two."""
    starts = given.starts()[:-1][many == 2]
    ones, others = given.holder[starts], given.holder[starts + 1]
    return {(min(one, other), max(one, other)) for one, other in zip(ones.tolist(), others.tolist(), strict=True)}
