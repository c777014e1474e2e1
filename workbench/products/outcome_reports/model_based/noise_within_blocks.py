"""How noise within a block is correlated, by the laws that a published table may have been drawn with.

Noise for histories moves all years of a block together: in one cell and few years the correlation is above a half. It
follows from the numbers of years, cells and coordinates alone, and these can be read from the public table: noisy sums
beside it are two coordinates for each cell, noisy bins as many as there are, and without either there is one. Which key
columns are sectors, so that their cells are of one block, the table does not say, nor whether years were drawn apart:
so all that is possible is offered, and the published counts tell what is likeliest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from workbench.core.published import Published
from workbench.noise.history_moments import covariance, covariance_over_years
from workbench.noise.history_norm import HistoryNorm

_RADIUS, _RATE = 30, 3  # of the noise, at which correlations are worked out: they hardly depend on ε
_MOST_COORDINATES = 200
_LEAST = 0.01  # of a variance


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Of two counts: of two cells in the same year, of two years in the same cell, and of two years in two cells.

    And of two coordinates, of which each cell has several: of the same year, in any cells, and of two years.
    """

    same_year: float = 0.0
    same_cell: float = 0.0
    neither: float = 0.0
    coordinates: float = 0.0
    coordinates_between: float = 0.0

    def is_possible(self, cells: int) -> bool:
        """Whether noise can be correlated so; the least variance is that of what all cells of a year share."""
        apart, between = 1.0 - self.same_year, self.same_cell - self.neither
        shared = 1.0 + (cells - 1) * self.same_year - self.same_cell - (cells - 1) * self.neither
        return min(apart - between, shared) > _LEAST


NONE = Correlation()


def possible(table: Published, sectors: int, years: int) -> tuple[Correlation, ...]:
    """In blocks of one cell, or of all sectors of a title, or years drawn apart."""
    each = _coordinates(table)
    found = [
        _correlation(cells, each, years)
        for cells in sorted({1, sectors})
        if years > 1 and cells * each <= _MOST_COORDINATES
    ]
    return (*found, NONE)


def after_means(law: Correlation) -> tuple[Correlation, ...]:
    """What may be left of a correlation once the part of noise that means betray is taken out of counts."""
    return tuple(replace(law, same_year=law.same_year + step) for step in (-0.2, -0.1, 0.0, 0.1, 0.2, 0.3))


def _coordinates(table: Published) -> int:
    """Of a cell: bins, two sums or one count."""
    beside = table.published_beside
    if beside is None:
        return 1
    if "noisy_people" not in beside.names:
        return 2
    return max(round(beside.rows / table.rows), 1)


@lru_cache(maxsize=64)
def _correlation(cells: int, each: int, years: int) -> Correlation:
    """Of sums of so many coordinates, in blocks of so many cells."""
    law = HistoryNorm(min(Fraction(years * cells * each, _RADIUS), Fraction(_RATE)), years, cells * each)
    shared, between = covariance(law), covariance_over_years(law)
    variance = (law.variance() + (each - 1) * shared) / each
    several = cells > 1
    return Correlation(
        same_year=shared / variance if several else 0.0,
        same_cell=between / variance,
        neither=between / variance if several else 0.0,
        coordinates=shared / law.variance(),
        coordinates_between=between / law.variance(),
    )
