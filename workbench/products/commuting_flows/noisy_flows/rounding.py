"""From expected flows to a file of whole workers: balanced rounding, down to blocks.

Pieces of a population in the order cell, then points that lie in it around all workplaces of the tract, then points on
its edges, each in the order Super-PUMA, PUMA, tract, then blocks: with running sums C_i scaled to m and one uniform u,
count_i = ⌊C_i + u⌋ − ⌊C_{i−1} + u⌋. The total is m exactly, and every run of pieces is within one worker of its
expectation. Worker j is where the running sum passes j − u, so that workers are looked up and not pieces gone through.
This needs no exactness: noisy values and public facts alone go in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.core.randomness import UniformWords
from workbench.core.together import together
from workbench.products.commuting_flows.flows.structures import Indices
from workbench.products.commuting_flows.noisy_flows.fit import Fitted
from workbench.products.commuting_flows.noisy_flows.layout import Layout
from workbench.products.commuting_flows.noisy_flows.places import CELLS, block_people

_WORKERS_AT_ONCE, _PAIRS_AT_ONCE, _BLOCKS_AT_ONCE = 100_000, 400_000, 200_000
_WHOLE = 1.0 - 1e-9
_STEPS = 64  # in which the people of a point are gone through; a power of two, so that no ticket begins too late


def block_rows(
    layout: Layout, fitted: Fitted, rng: UniformWords, context: Context
) -> tuple[Indices, Indices, Integers]:
    """Population, block and workers of every row, sorted by population and block."""
    blocks = len(layout.geography.blocks)
    some = np.flatnonzero(fitted.workers > 0)
    uniform = uniforms(len(some), rng)
    homes = Homes(layout, fitted)

    def placed(mine: Integers) -> tuple[Indices, Indices, Integers]:
        population = some[mine]
        found = homes.of(population, in_cells(fitted, population, uniform[mine]))
        found += np.repeat(population * blocks, fitted.workers[population])
        found.sort()
        first = np.flatnonzero(np.concatenate([[True], found[1:] != found[:-1]]))
        many = np.diff(first, append=len(found))
        found = found[first]
        of = found // blocks
        return of.astype(np.int32), (found - of * blocks).astype(np.int32), many

    tasks = [partial(placed, mine) for mine in _turns(layout, fitted, some)]
    rows = together(tasks, context, "rounding flows to whole workers")
    nothing = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))
    of, block, many = (np.concatenate(part) for part in zip(nothing, *rows, strict=True))
    if np.any(of[1:] < of[:-1]):
        order = np.argsort(of, kind="stable")
        of, block, many = of[order], block[order], many[order]
    context.step(1.0, "workers placed in blocks")
    return of, block, many


def _turns(layout: Layout, fitted: Fitted, some: Integers) -> Iterator[Integers]:
    """Populations of a few work tracts at a time, whole tracts as far as they fit."""
    order = np.argsort(layout.tract_of[some], kind="stable")
    tract = layout.tract_of[some][order]
    load = np.cumsum(fitted.workers[some][order]) // _WORKERS_AT_ONCE
    seen = np.cumsum(np.diff(tract, prepend=-1) > 0) * layout.points // _PAIRS_AT_ONCE
    cuts = np.flatnonzero((np.diff(load) > 0) | (np.diff(seen) > 0)) + 1
    yield from np.split(order, cuts) if len(order) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InCells:
    """Cells with workers: of which of the populations, how many, and how far into what is expected of the cell.

    The workers of one stand `step` apart from `first` on, as shares of the cell; populations follow one another.
    """

    place: Integers
    cell: Integers
    many: Integers
    first: Floats
    step: Floats


def in_cells(fitted: Fitted, population: Integers, uniform: Floats) -> InCells:
    total = fitted.workers[population][:, None].astype(np.float64)
    running = np.cumsum(fitted.cells[population], axis=1)
    whole = running[:, -1:]
    running = np.where(running >= whole, total, running * (total / whole))
    edge = np.minimum(np.floor(running + uniform[:, None]), total).astype(np.int64)
    before = np.concatenate([np.zeros((len(edge), 1), np.int64), edge[:, :-1]], axis=1)
    place, cell = np.nonzero(edge > before)
    first, last = before[place, cell], edge[place, cell]
    low = np.where(cell > 0, running[place, cell - 1], 0.0)
    wide = running[place, cell] - low
    return InCells(
        place=place, cell=cell, many=last - first, first=(first + 1.0 - uniform[place] - low) / wide, step=1.0 / wide
    )


def uniforms(count: int, rng: UniformWords) -> Floats:
    """In [0, 1), 53 bits each."""
    found: Floats = (rng.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return found


@dataclass(frozen=True, slots=True)
class _Running:
    """Points of a few work tracts, those of one cell side by side, with running shares."""

    tracts: Integers  # which, in order
    order: NDArray[np.int16] | Indices
    running: Floats  # one more than there are
    begin: Integers  # tracts × CELLS
    end: Integers


class Homes:
    """Blocks in the order of their points, with running weights."""

    def __init__(self, layout: Layout, fitted: Fitted) -> None:
        self.layout, self.fitted = layout, fitted
        self.own = np.zeros(len(fitted.own) + 1)
        np.cumsum(fitted.own, out=self.own[1:])
        self.order = np.argsort(layout.point_of_block, kind="stable")
        self.weight = block_people(layout.geography)[self.order]
        self.people = np.concatenate([[0.0], np.cumsum(self.weight)])
        self.edges = np.searchsorted(layout.point_of_block[self.order], np.arange(layout.points + 1))
        first, last = self.edges[:-1, None], self.edges[1:, None]
        self.low = self.people[self.edges[:-1]]
        self.wide = self.people[self.edges[1:]] - self.low
        whole = self.low[:, None] + np.arange(_STEPS) / _STEPS * self.wide[:, None]
        self.guide = _place(self.people, whole, first, last).ravel()  # where to begin, for every so many steps

    def of(self, population: Integers, workers: InCells) -> Integers:
        """The block of every worker, cell by cell."""
        layout = self.layout
        area = layout.area_of[population].astype(np.int64)[workers.place]
        near = self._settled(np.unique(layout.tract_of_area[area]))
        row = np.searchsorted(near.tracts, layout.tract_of_area[area]) * CELLS + workers.cell
        slot = layout.slot(area, workers.cell)
        first, last, share = near.begin[row], near.end[row], self.fitted.shares[slot]
        low = near.running[first]
        # of the share, what lies in points of one cell; all of it where there are no others
        wide = np.where(layout.own_start[slot + 1] == layout.own_start[slot], np.inf, near.running[last] - low)
        wide[last == first] = -1.0
        many = workers.many
        of = np.repeat(np.arange(len(slot)), many)
        inside = np.repeat(workers.step, many)
        inside *= np.arange(len(of)) - np.repeat(np.cumsum(many) - many, many)
        inside += np.repeat(workers.first, many)
        ticket = np.clip(inside, 0.0, 1.0, out=inside)
        ticket *= np.repeat(share, many)
        settled = ticket <= np.repeat(wide, many)
        found = np.empty(len(of), dtype=np.int64)
        mine = np.flatnonzero(settled)
        which = of[mine]
        place, rest = _looked_up(near.running, low[which] + ticket[mine], first[which], last[which])
        found[mine] = self.anywhere(near.order[place].astype(np.int64), rest)
        mine = np.flatnonzero(~settled)
        which = of[mine]
        beyond = ticket[mine] - np.maximum(wide, 0.0)[which]
        found[mine] = self._on_edge(area[which], slot[which], beyond)
        return found

    def _settled(self, tracts: Integers) -> _Running:
        order, many = self.layout.pieces.order[tracts], self.layout.pieces.many[tracts]
        running = np.empty(order.size + 1)
        running[0] = 0.0
        for row, shares in enumerate(self.fitted.pattern[tracts]):
            first = row * len(shares) + 1
            np.take(shares, order[row], out=running[first : first + len(shares)], mode="clip")
            running[first : first + many[row, 0]] = 0.0  # points of several cells
        np.cumsum(running, out=running)
        end = np.cumsum(many).reshape(many.shape)
        begin = end - many
        return _Running(tracts, order.ravel(), running, begin[:, 1:].ravel(), end[:, 1:].ravel())

    def anywhere(self, point: Integers, inside: Floats) -> Integers:
        """Among all blocks of the point."""
        last = self.edges.take(point + 1)
        last -= 1
        ticket = self.wide.take(point)
        ticket *= inside
        ticket += self.low.take(point)
        step = np.minimum((inside * _STEPS).astype(np.int64), _STEPS - 1)
        step += point * _STEPS
        found = self.guide.take(step)
        short = np.flatnonzero((self.people.take(found + 1) < ticket) & (found < last))
        while len(short):
            found[short] += 1
            place = found[short]
            short = short[(self.people[place + 1] < ticket[short]) & (place < last[short])]
        return np.asarray(self.order.take(found), dtype=np.int64)

    def _on_edge(self, area: Integers, slot: Integers, ticket: Floats) -> Integers:
        """In one of the workplace's own pieces."""
        pieces, start = self.layout.pieces, self.layout.own_start
        first, last = start[slot], start[slot + 1]
        piece, inside = _looked_up(self.own, self.own[first] + ticket, first, last)
        whole = pieces.share[piece] > _WHOLE
        found = np.empty(len(slot), dtype=np.int64)
        found[whole] = self.anywhere(pieces.point[piece[whole]].astype(np.int64), inside[whole])
        parts = np.flatnonzero(~whole)
        key, of = np.unique(piece[parts], return_inverse=True)
        some = np.empty(len(key), dtype=np.int64)
        some[of] = area[parts]
        turns = (np.cumsum(np.diff(self.edges)[pieces.point[key]]) - 1) // _BLOCKS_AT_ONCE if len(key) else key
        order = np.argsort(of, kind="stable")
        start_of = np.searchsorted(of[order], np.arange(len(key) + 1))
        for mine in np.split(np.arange(len(key)), np.flatnonzero(np.diff(turns)) + 1) if len(key) else ():
            workers = order[start_of[mine[0]] : start_of[mine[-1] + 1]]
            found[parts[workers]] = self._in_cell(some[mine], key[mine], of[workers] - mine[0], inside[parts[workers]])
        return found

    def _in_cell(self, area: Integers, piece: Integers, of: Integers, inside: Floats) -> Integers:
        """Among the blocks of the point that lie in the piece's cell."""
        pieces, atoms = self.layout.pieces, self.layout.atoms
        point = pieces.point[piece]
        many = self.edges[point + 1] - self.edges[point]
        place = np.arange(int(many.sum())) + np.repeat(self.edges[point] - (np.cumsum(many) - many), many)
        cell = atoms.cells(self.layout.work, np.repeat(area, many), atoms.of_block[self.order[place]])
        held = np.flatnonzero(cell == np.repeat(pieces.cell[piece], many))
        end = np.searchsorted(held, np.cumsum(many))  # every piece has a block in its cell
        first = np.concatenate([[0], end[:-1]])
        people = np.concatenate([[0.0], np.cumsum(self.weight[place[held]])])
        ticket = people[first][of] + inside * (people[end] - people[first])[of]
        found = _place(people, ticket, first[of], end[of])
        return np.asarray(self.order[place[held[found]]], dtype=np.int64)


def _place(running: Floats, ticket: Floats, first: Integers, last: Integers) -> Integers:
    """Where the running sum reaches each ticket between `first` and `last`."""
    found = np.searchsorted(running, ticket, side="left")
    found -= 1
    np.maximum(found, first, out=found)
    return np.minimum(found, last - 1, out=found)


def _looked_up(running: Floats, ticket: Floats, first: Integers, last: Integers) -> tuple[Integers, Floats]:
    """The same, and how far into that step."""
    found = _place(running, ticket, first, last)
    low = running[found]
    wide = running[found + 1] - low
    inside = np.divide(ticket - low, wide, out=np.ones_like(ticket), where=wide > 0)
    return found, np.clip(inside, 0.0, 1.0, out=inside)
