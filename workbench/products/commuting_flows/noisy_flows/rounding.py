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

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.core.randomness import UniformWords
from workbench.products.commuting_flows.noisy_flows.fit import Fitted
from workbench.products.commuting_flows.noisy_flows.layout import Layout
from workbench.products.commuting_flows.noisy_flows.places import CELLS, block_people

_WORKERS_AT_ONCE, _PAIRS_AT_ONCE, _BLOCKS_AT_ONCE = 1_000_000, 2_000_000, 1_000_000
_WHOLE = 1.0 - 1e-9


def block_rows(
    layout: Layout, fitted: Fitted, rng: UniformWords, context: Context
) -> tuple[Integers, Integers, Integers]:
    """Population, block and workers of every row, sorted by population and block."""
    blocks = len(layout.geography.blocks)
    some = np.flatnonzero(fitted.workers > 0)
    uniform = uniforms(len(some), rng)
    homes = Homes(layout, fitted)
    keys, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for number, mine in enumerate(turns := list(_turns(layout, fitted, some))):
        context.step(number / len(turns), f"rounding population {number + 1:,} of {len(turns):,} groups")
        population = some[mine]
        of, cell, inside = in_cells(fitted, population, uniform[mine])
        found = np.sort(population[of] * blocks + homes.of(population, of, cell, inside))
        first = np.flatnonzero(np.concatenate([[True], found[1:] != found[:-1]]))
        keys.append(found[first])
        counts.append(np.diff(np.append(first, len(found))))
    key, many = np.concatenate(keys), np.concatenate(counts)
    if np.any(np.diff(key) < 0):
        order = np.argsort(key)
        key, many = key[order], many[order]
    context.step(1.0, "workers placed in blocks")
    return key // blocks, key % blocks, many


def _turns(layout: Layout, fitted: Fitted, some: Integers) -> Iterator[Integers]:
    """Populations of a few work tracts at a time, whole tracts as far as they fit."""
    order = np.argsort(layout.tract_of[some], kind="stable")
    tract = layout.tract_of[some][order]
    load = np.cumsum(fitted.workers[some][order]) // _WORKERS_AT_ONCE
    seen = np.cumsum(np.diff(tract, prepend=-1) > 0) * layout.points // _PAIRS_AT_ONCE
    cuts = np.flatnonzero((np.diff(load) > 0) | (np.diff(seen) > 0)) + 1
    yield from np.split(order, cuts) if len(order) else ()


def in_cells(fitted: Fitted, population: Integers, uniform: Floats) -> tuple[Integers, Integers, Floats]:
    """Of every worker: which of these populations, which cell, and how far into what is expected of the cell."""
    total = fitted.workers[population][:, None].astype(np.float64)
    running = np.cumsum(fitted.cells[population], axis=1)
    whole = running[:, -1:]
    running = np.where(running >= whole, total, running * (total / whole))
    edge = np.minimum(np.floor(running + uniform[:, None]), total).astype(np.int64)
    before = np.concatenate([np.zeros((len(edge), 1), np.int64), edge[:, :-1]], axis=1)
    place, cell = np.nonzero(edge > before)
    first, last = before[place, cell], edge[place, cell]
    many = last - first
    of = np.repeat(np.arange(len(place)), many)
    rank = np.arange(len(of)) - np.repeat(np.cumsum(many) - many, many)
    low = np.where(cell > 0, running[place, cell - 1], 0.0)
    wide = running[place, cell] - low
    inside = (first[of] + rank + 1.0 - uniform[place][of] - low[of]) / wide[of]
    return place[of], cell[of], np.clip(inside, 0.0, 1.0)


def uniforms(count: int, rng: UniformWords) -> Floats:
    """In [0, 1), 53 bits each."""
    found: Floats = (rng.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return found


@dataclass(frozen=True, slots=True)
class _Running:
    """Points of a few work tracts, those of one cell side by side, with running shares."""

    tracts: Integers  # which, in order
    order: Integers
    running: Floats  # one more than there are
    begin: Integers  # tracts × CELLS
    end: Integers


class Homes:
    """Blocks in the order of their points, with running weights."""

    def __init__(self, layout: Layout, fitted: Fitted) -> None:
        self.layout, self.fitted = layout, fitted
        self.own = np.concatenate([[0.0], np.cumsum(fitted.own)])
        self.order = np.argsort(layout.point_of_block, kind="stable")
        self.weight = block_people(layout.geography)[self.order]
        self.people = np.concatenate([[0.0], np.cumsum(self.weight)])
        self.edges = np.searchsorted(layout.point_of_block[self.order], np.arange(layout.points + 1))

    def of(self, population: Integers, of: Integers, cell: Integers, inside: Floats) -> Integers:
        """The block of every worker: `inside` says how far into what is expected of the cell."""
        layout = self.layout
        area = layout.area_of[population].astype(np.int64)
        near = self._settled(np.unique(layout.tract_of_area[area]))
        row = np.searchsorted(near.tracts, layout.tract_of_area[area])[of] * CELLS + cell
        first, last = near.begin[row], near.end[row]
        slot = layout.slot(area[of], cell)
        ticket = inside * self.fitted.shares[slot]
        low = near.running[first]
        wide = near.running[last] - low
        alone = layout.own_start[slot + 1] == layout.own_start[slot]
        settled = ((ticket <= wide) | alone) & (last > first)
        found = np.empty(len(of), dtype=np.int64)
        mine = np.flatnonzero(settled)
        place, rest = _looked_up(near.running, (low + ticket)[mine], first[mine], last[mine])
        found[mine] = self._anywhere(near.order[place], rest)
        mine = np.flatnonzero(~settled)
        found[mine] = self._on_edge(area[of[mine]], slot[mine], (ticket - wide)[mine])
        return found

    def _settled(self, tracts: Integers) -> _Running:
        cells = self.layout.pieces.settled[tracts]
        order = np.argsort(cells, axis=1, kind="stable")
        shares = np.where(cells >= 0, self.fitted.pattern[tracts], 0.0)
        running = np.concatenate([[0.0], np.cumsum(np.take_along_axis(shares, order, axis=1))])
        row = np.arange(len(tracts))[:, None]
        many = np.bincount((row * (CELLS + 1) + cells + 1).ravel(), minlength=len(tracts) * (CELLS + 1))
        end = np.cumsum(many).reshape(-1, CELLS + 1)
        begin = end - many.reshape(-1, CELLS + 1)
        return _Running(tracts, order.ravel(), running, begin[:, 1:].ravel(), end[:, 1:].ravel())

    def _anywhere(self, point: Integers, inside: Floats) -> Integers:
        """Among all blocks of the point."""
        first, last = self.edges[point], self.edges[point + 1]
        ticket = self.people[first] + inside * (self.people[last] - self.people[first])
        return np.asarray(self.order[_looked_up(self.people, ticket, first, last)[0]], dtype=np.int64)

    def _on_edge(self, area: Integers, slot: Integers, ticket: Floats) -> Integers:
        """In one of the workplace's own pieces."""
        pieces, start = self.layout.pieces, self.layout.own_start
        first, last = start[slot], start[slot + 1]
        piece, inside = _looked_up(self.own, self.own[first] + ticket, first, last)
        whole = pieces.share[piece] > _WHOLE
        found = np.empty(len(slot), dtype=np.int64)
        found[whole] = self._anywhere(pieces.point[piece[whole]].astype(np.int64), inside[whole])
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
        found, _ = _looked_up(people, ticket, first[of], end[of])
        return np.asarray(self.order[place[held[found]]], dtype=np.int64)


def _looked_up(running: Floats, ticket: Floats, first: Integers, last: Integers) -> tuple[Integers, Floats]:
    """Where the running sum reaches each ticket between `first` and `last`, and how far into that step."""
    found = np.clip(np.searchsorted(running, ticket, side="left") - 1, first, last - 1)
    low = running[found]
    wide = running[found + 1] - low
    inside = np.divide(ticket - low, wide, out=np.ones_like(ticket), where=wide > 0)
    return found, np.clip(inside, 0.0, 1.0)
