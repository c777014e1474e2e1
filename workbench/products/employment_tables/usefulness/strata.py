"""Strata of places by population, as in Haney et al. (2017), section 10. Populations are public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Domain

EDGES = (100, 10_000, 100_000)
NAMES = ("0–100 people", "100–10,000 people", "10,000–100,000 people", "100,000 people and more")
KEYS = ("0_100", "100_10k", "10k_100k", "100k_plus")  # the same for scripts
ALL, ALL_KEY = "all cells", "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strata:
    """Which stratum each member belongs to, and the names of the strata that occur, smallest places first."""

    names: tuple[str, ...]
    keys: tuple[str, ...]
    member: NDArray[np.int64]

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Total of the values in each stratum; not-a-number counts as nothing."""
        sums = np.bincount(self.member, weights=np.nan_to_num(values), minlength=len(self.names))
        return sums.astype(np.float64)


def with_figures(names: Sequence[str]) -> Sequence[str]:
    """Of all cells and their strata, those that get a figure each: a single stratum is all cells once more."""
    return names if len(names) > 2 else names[:1]


def place_attribute(domain: Domain) -> int | None:
    """The position of the workplace attribute that has populations, if any."""
    return next((i for i, attribute in enumerate(domain.workplace) if attribute.populations), None)


def strata_of_workplace_cells(domain: Domain) -> Strata:
    """The population stratum of each workplace cell's place; a single stratum where no populations are known."""
    place = place_attribute(domain)
    if place is None:
        return Strata(names=(ALL,), keys=(ALL_KEY,), member=np.zeros(len(domain.workplace_cells), dtype=np.int64))
    of_value = _strata_of_values(domain.workplace[place])
    present, member = np.unique(of_value[domain.workplace_cells[:, place]], return_inverse=True)
    return Strata(
        names=tuple(NAMES[i] for i in present.tolist()),
        keys=tuple(KEYS[i] for i in present.tolist()),
        member=member.astype(np.int64),
    )


def strata_of_cells(cells: Cells) -> Strata:
    """The stratum of each cell: that of its workplace cell."""
    places = strata_of_workplace_cells(cells.domain)
    member = np.repeat(places.member, cells.domain.worker_combinations)
    return Strata(names=places.names, keys=places.keys, member=member)


def _strata_of_values(attribute: Attribute) -> NDArray[np.int64]:
    return np.searchsorted(np.array(EDGES), np.array(attribute.populations), side="right").astype(np.int64)
