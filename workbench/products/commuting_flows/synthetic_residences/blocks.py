"""From a support point to a block: drawn by population among the blocks of the point.

P(block | point) = population of the block / population of the point; where nobody lives in the whole point, every block
has the same chance. One uniform integer finds first the tract and then the block. No confidential fact plays a part, so
this is post-processing and costs nothing. Rounding: none.
Source: OnTheMap (2008), "Creation of synthetic data", step 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Integers
from workbench.products.commuting_flows.flows.structures import Geography, Level, Supports
from workbench.products.commuting_flows.synthetic_residences.uniform import Words, below


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Weighed:
    """Blocks in the order of their tracts with a running weight, and the same for the tracts of each point."""

    running_block: Integers
    before_tract: Integers
    running_member: Integers
    before_point: Integers  # one more than there are points


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BlockDraw:
    """Made once for a geography and its support points."""

    block: Integers  # in the order of their tracts
    member_tract: Integers
    by_population: _Weighed
    by_number: _Weighed

    @classmethod
    def of(cls, geography: Geography, supports: Supports) -> BlockDraw:
        tract_of = geography.area_of[Level.TRACT]
        order = np.argsort(tract_of, kind="stable")
        tracts = len(geography.areas[Level.TRACT])
        edges = np.searchsorted(tract_of[order], np.arange(tracts + 1))
        population = np.asarray(geography.population, dtype=np.int64)[order]
        return cls(
            block=order.astype(np.int64),
            member_tract=supports.member_tract.astype(np.int64),
            by_population=_weighed(population, edges, supports),
            by_number=_weighed(np.ones(len(order), dtype=np.int64), edges, supports),
        )

    def draw(self, point: Integers, words: Words) -> Integers:
        """A block for each drawn point."""
        drawn = np.empty(len(point), dtype=np.int64)
        people = self.by_population.before_point
        empty = people[point + 1] == people[point]
        for weighed, chosen in ((self.by_population, np.flatnonzero(~empty)), (self.by_number, np.flatnonzero(empty))):
            drawn[chosen] = self._found(weighed, point[chosen], words)
        return drawn

    def _found(self, weighed: _Weighed, point: Integers, words: Words) -> Integers:
        start = weighed.before_point[point]
        ticket = start + below(weighed.before_point[point + 1] - start, words)
        member = np.searchsorted(weighed.running_member, ticket, side="right")
        tract = self.member_tract[member]
        weight = weighed.before_tract[tract + 1] - weighed.before_tract[tract]
        inside = ticket - (weighed.running_member[member] - weight)
        return self.block[np.searchsorted(weighed.running_block, weighed.before_tract[tract] + inside, side="right")]


def _weighed(weight: Integers, tract_edges: Integers, supports: Supports) -> _Weighed:
    running = np.cumsum(weight)
    before = np.concatenate([[0], running])[tract_edges]
    members = np.cumsum(np.diff(before)[supports.member_tract])
    return _Weighed(
        running_block=running,
        before_tract=before,
        running_member=members,
        before_point=np.concatenate([[0], members])[supports.member_start],
    )
