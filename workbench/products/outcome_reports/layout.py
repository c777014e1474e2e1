"""The public cells of a report: institution × titles × sectors × years, all of them, empty ones too."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.published import Coded


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A column with its public list of values, and words for them."""

    name: str
    values: tuple[str, ...]
    labels: tuple[str, ...] = ()
    title: str = ""


def words_of(listed: tuple[Listed, ...]) -> tuple[str, ...]:
    """Every combination of the values as one text, in words where there are any; one empty text without columns."""
    names = [""]
    for key in listed:
        names = [", ".join(filter(None, (before, word))) for before in names for word in key.labels or key.values]
    return tuple(names)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Rows come in the order institution, titles, sectors, year, the last fastest.

    A block is one institution and title with all its sectors and years: what one person can touch.
    """

    institution: Listed | None
    titles: tuple[Listed, ...]
    sectors: tuple[Listed, ...]
    year: Listed

    @property
    def keys(self) -> tuple[Listed, ...]:
        first = (self.institution,) if self.institution is not None else ()
        return (*first, *self.titles, *self.sectors, self.year)

    @property
    def institutions(self) -> int:
        return 1 if self.institution is None else len(self.institution.values)

    @property
    def titles_each(self) -> int:
        return math.prod(len(title.values) for title in self.titles)

    @property
    def places(self) -> int:
        """Cells of a block in one year: combinations of sectors."""
        return math.prod(len(sector.values) for sector in self.sectors)

    @property
    def years(self) -> int:
        return len(self.year.values)

    @property
    def blocks(self) -> int:
        return self.institutions * self.titles_each

    @property
    def rows(self) -> int:
        return self.blocks * self.places * self.years

    @property
    def pools(self) -> int:
        """Combinations of titles and sectors, over all institutions and years."""
        return self.titles_each * self.places

    def pool_of_row(self) -> Integers:
        pool = np.arange(self.pools).reshape(self.titles_each, self.places)
        repeated = np.broadcast_to(pool[None, :, :, None], (self.institutions, *pool.shape, self.years))
        return np.ascontiguousarray(repeated).reshape(-1)

    def year_of_row(self) -> Integers:
        return np.tile(np.arange(self.years), self.rows // self.years)

    def by_block(self, values: Integers) -> Integers:
        """Rows as blocks × years × places."""
        return values.reshape(self.blocks, self.places, self.years).transpose(0, 2, 1)

    def of_blocks(self, values: Integers) -> Integers:
        """Blocks × years × places as rows."""
        return np.ascontiguousarray(values.transpose(0, 2, 1)).reshape(-1)

    def columns(self) -> Iterator[Coded]:
        """The key columns of the published table."""
        sizes = [len(key.values) for key in self.keys]
        for place, key in enumerate(self.keys):
            inner, outer = math.prod(sizes[place + 1 :]), math.prod(sizes[:place])
            codes = np.tile(np.repeat(np.arange(sizes[place], dtype=np.int32), inner), outer)
            yield Coded(name=key.name, codes=codes, values=key.values, labels=key.labels, title=key.title)

    def names(self) -> tuple[tuple[str, ...], ...]:
        """One tuple of words for each key column."""
        return tuple(tuple(column.shown()) for column in self.columns())
