"""Larger areas, or groups of them, with an ε of their own: a person is in one, so that the largest ε counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows
from workbench.core.quantities import Epsilon
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.area_estimates.area_data import AreaData, TableSums
from workbench.products.area_estimates.places import Places


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnEpsilon:
    epsilon: Epsilon = param(
        Epsilon("2"), "Privacy loss ε", "Of the people of this larger area, or of this group of it.", gt=0,
        le=MOST_EPSILON,
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


def own_epsilons() -> Rows[OwnEpsilon]:
    """The setting of a method that can spend more on some larger areas than on others."""
    made: Rows[OwnEpsilon] = rows(
        OwnEpsilon, "Larger areas with an ε of their own",
        "All others have the ε above. A group of a larger area is named with it, as in “North × women”. A person is in "
        "one of them, so that the largest ε counts.", by="larger area", advanced=True,
    )  # fmt: skip
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The pools that have the same ε, by place, and their cells."""

    epsilon: Epsilon
    pools: Integers
    cells: Integers
    pool_of_cell: Integers  # among these pools

    def table(self, whole: TableSums) -> TableSums:
        """The exact sums of these cells and pools alone."""
        return TableSums(
            sums=whole.sums[:, self.cells], x_moment=whole.x_moment[self.cells], y_moment=whole.y_moment[:, self.pools]
        )


def name_problems(prepared: AreaData, own: Mapping[str, OwnEpsilon]) -> tuple[Problem, ...]:
    known = {*prepared.places.larger, *prepared.places.pool_names}
    return tuple(
        Problem(
            f"There is no larger area “{name}”",
            f"larger.{name}",
            "Write a name of the areas file's pool column, or one with its group as in “North × women”",
        )
        for name in own
        if name not in known
    )


def by_pool(places: Places, epsilon: Epsilon, own: Mapping[str, OwnEpsilon]) -> tuple[Epsilon, ...]:
    """ε of every pool: its own, that of its larger area, or that of all others."""
    larger = places.larger * len(places.groups)
    found = []
    for pool, area in zip(places.pool_names, larger, strict=True):
        row = own.get(pool) or own.get(area)
        found.append(epsilon if row is None else row.epsilon)
    return tuple(found)


def shares(places: Places, epsilon: Epsilon, own: Mapping[str, OwnEpsilon]) -> tuple[Share, ...]:
    """Every ε with the pools that have it, in the order in which they first appear."""
    each = by_pool(places, epsilon, own)
    made = []
    for value in dict.fromkeys(each):
        pools = np.flatnonzero([other == value for other in each])
        cells = np.flatnonzero(np.isin(places.pool, pools))
        made.append(
            Share(epsilon=value, pools=pools, cells=cells, pool_of_cell=np.searchsorted(pools, places.pool[cells]))
        )
    return tuple(made)
