"""From expected flows to a file of whole workers: balanced rounding, then blocks by population.

Pieces of a population in the order cell, Super-PUMA, PUMA, tract: with running sums C_i scaled to m and one uniform u,
count_i = ⌊C_i + u⌋ − ⌊C_{i−1} + u⌋. The total is m exactly (the last edge is set to m), and every run of pieces is
within one worker of its expectation. The k workers of a piece get blocks at evenly spaced places of the piece's people,
from a second uniform. This needs no exactness: noisy values and public facts alone go in.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context, Part
from workbench.core.randomness import UniformWords
from workbench.products.commuting_flows.noisy_flows.fit import Fitted
from workbench.products.commuting_flows.noisy_flows.layout import Layout, block_people

_AT_ONCE = 2_000_000  # pieces, or blocks that are looked at
_WHOLE = 1.0 - 1e-9


def block_rows(
    layout: Layout, fitted: Fitted, rng: UniformWords, context: Context
) -> tuple[Integers, Integers, Integers]:
    """Population, block and workers of every row, sorted by population and block."""
    blocks = len(layout.geography.blocks)
    keys, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    places = _Blocks(layout)
    for population, piece, workers in _rounded(layout, fitted, rng, Part(context, 0.0, 0.7)):
        home, of = places.drawn(layout.area_of[population].astype(np.int64), piece, workers, rng)
        key = population[of] * blocks + home
        found, many = np.unique(key, return_counts=True)
        keys.append(found)
        counts.append(many.astype(np.int64))
    key = np.concatenate(keys)
    context.step(1.0, "workers placed in blocks")
    return key // blocks, key % blocks, np.concatenate(counts)


def expected_pieces(layout: Layout, fitted: Fitted, populations: Integers) -> tuple[Integers, Integers, Floats]:
    """Of these populations, one after another: which of them, the piece, and the workers expected there."""
    pieces, area = layout.pieces, layout.area_of[populations]
    many = pieces.start[area + 1] - pieces.start[area]
    of = np.repeat(np.arange(len(populations)), many)
    piece = np.arange(len(of)) + np.repeat(pieces.start[area] - (np.cumsum(many) - many), many)
    likely = fitted.pattern[np.repeat(layout.tract_of_area[area], many), pieces.point[piece]] * pieces.share[piece]
    expected = fitted.cells[populations[of], pieces.cell[piece]] * likely / fitted.shares[pieces.slot[piece]]
    return of, piece, expected


def _rounded(
    layout: Layout, fitted: Fitted, rng: UniformWords, context: Context
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Population, piece and workers where there are any, a few populations at a time."""
    some = np.flatnonzero(fitted.workers > 0)
    uniform = uniforms(len(some), rng)
    load = np.cumsum(np.diff(layout.pieces.start)[layout.area_of[some]])
    start = 0
    while start < len(some):
        context.step(start / len(some), f"rounding population {start + 1:,} of {len(some):,}")
        before = load[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(load, before + _AT_ONCE, side="right")))
        chosen = some[start:stop]
        of, piece, expected = expected_pieces(layout, fitted, chosen)
        counts = balanced(expected, of, fitted.workers[chosen], uniform[start:stop])
        held = np.flatnonzero(counts)
        yield chosen[of[held]], piece[held], counts[held]
        start = stop


def balanced(expected: Floats, of: Integers, total: Integers, uniform: Floats) -> Integers:
    """Whole numbers that add up to the total of each group; groups follow one another, and none is empty."""
    last = np.flatnonzero(np.append(of[1:] != of[:-1], True))
    running = np.cumsum(expected)
    before = np.concatenate([[0.0], running[last[:-1]]])
    whole = running[last] - before
    scaled = (running - before[of]) * (total / whole)[of]
    edge = np.minimum(np.floor(scaled + uniform[of]).astype(np.int64), total[of])
    edge[last] = total  # whatever floats make of the last sum and a uniform near one
    counts: Integers = np.diff(edge, prepend=0)
    counts[np.concatenate([[0], last[:-1] + 1])] = edge[np.concatenate([[0], last[:-1] + 1])]
    return counts


def uniforms(count: int, rng: UniformWords) -> Floats:
    """In [0, 1), 53 bits each."""
    found: Floats = (rng.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return found


class _Blocks:
    """Blocks in the order of their points, with running weights."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.order = np.argsort(layout.point_of_block, kind="stable")
        self.weight = block_people(layout.geography)[self.order]
        self.running = np.concatenate([[0.0], np.cumsum(self.weight)])
        self.edges = np.searchsorted(layout.point_of_block[self.order], np.arange(layout.points + 1))

    def drawn(self, area: Integers, piece: Integers, workers: Integers, rng: UniformWords) -> tuple[Integers, Integers]:
        """A block for every worker of these pieces, and which piece each worker belongs to."""
        whole = self.layout.pieces.share[piece] > _WHOLE
        uniform = uniforms(len(piece), rng)
        homes, owners = [], []
        for chosen, place in ((np.flatnonzero(whole), self._anywhere), (np.flatnonzero(~whole), self._in_cell)):
            for mine in self._portions(chosen, piece):
                share, of = _evenly(workers[mine], uniform[mine])
                homes.append(self.order[place(area[mine], piece[mine], share, of)])
                owners.append(mine[of])
        return np.concatenate(homes or [np.zeros(0, np.int64)]), np.concatenate(owners or [np.zeros(0, np.int64)])

    def _portions(self, chosen: Integers, piece: Integers) -> Iterator[Integers]:
        """As many pieces at once as keep their blocks within bounds."""
        point = self.layout.pieces.point[piece[chosen]]
        load = np.cumsum(self.edges[point + 1] - self.edges[point])
        turns = (load - 1) // _AT_ONCE if len(load) else load
        yield from np.split(chosen, np.flatnonzero(np.diff(turns)) + 1) if len(chosen) else ()

    def _anywhere(self, area: Integers, piece: Integers, share: Floats, of: Integers) -> Integers:
        """Among all blocks of the point: the whole of it lies in the cell."""
        del area
        point = self.layout.pieces.point[piece][of]
        first, last = self.edges[point], self.edges[point + 1]
        ticket = self.running[first] + share * (self.running[last] - self.running[first])
        found = np.searchsorted(self.running, ticket, side="right") - 1
        return np.asarray(np.clip(found, first, last - 1), dtype=np.int64)

    def _in_cell(self, area: Integers, piece: Integers, share: Floats, of: Integers) -> Integers:
        """Among the blocks of the point that lie in the piece's cell."""
        pieces, atoms = self.layout.pieces, self.layout.atoms
        point = pieces.point[piece]
        many = self.edges[point + 1] - self.edges[point]
        place = np.arange(int(many.sum())) + np.repeat(self.edges[point] - (np.cumsum(many) - many), many)
        cell = atoms.cells(self.layout.work, np.repeat(area, many), atoms.of_block[self.order[place]])
        inside = np.flatnonzero(cell == np.repeat(pieces.cell[piece], many))
        end = np.searchsorted(inside, np.cumsum(many))  # every piece has a block in its cell
        first = np.concatenate([[0], end[:-1]])
        running = np.concatenate([[0.0], np.cumsum(self.weight[place[inside]])])
        ticket = running[first][of] + share * (running[end] - running[first])[of]
        found = np.searchsorted(running, ticket, side="right") - 1
        return np.asarray(place[inside[np.clip(found, first[of], end[of] - 1)]], dtype=np.int64)


def _evenly(workers: Integers, uniform: Floats) -> tuple[Floats, Integers]:
    """(j + u)/k for the k workers of each piece, and the piece of each worker."""
    of = np.repeat(np.arange(len(workers)), workers)
    rank = np.arange(len(of)) - np.repeat(np.cumsum(workers) - workers, workers)
    return (rank + uniform[of]) / workers[of], of
