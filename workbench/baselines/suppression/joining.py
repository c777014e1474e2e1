"""Several tables of the same data as one: shared cells once, groupings apart, and what an incomplete table leaves out.

Columns of the same name whose codes overlap as ranges are different groupings of one dimension: each becomes one of
its own, and they meet in their totals. Where a table gives less than another for the same cell, what it leaves out
is a row that nobody lists and everybody can work out. Holders have the same numbers in all tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.baselines.suppression.code_ranges import in_words, left_over, open_below, overlapping, range_of
from workbench.baselines.suppression.contributions import Contributions, summed
from workbench.baselines.suppression.hierarchy import Dimension, Extent
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem

Held = dict[int, float]  # holder → amount
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Joined:
    """`table` has all rows; `names` are the columns that its dimensions stand for.

    `unlisted` are codes, by the place of their dimension, for what tables leave out: nobody lists a cell with one.
    """

    table: Tabulated
    names: tuple[str, ...]
    unlisted: frozenset[tuple[int, str]] = frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that codes were made from: dimensions of one column are groupings of it."""
        made = zip(self.table.dimensions, self.names, strict=True)
        return tuple(dimension.column or name for dimension, name in made)

    def nobody_lists(self, key: Key) -> bool:
        return any((place, code) in self.unlisted for place, code in enumerate(key) if code is not None)


@dataclass(slots=True)
class _Rows:
    """One table: the places of its dimensions among all, its rows with their values, and who is behind them.

    `left_out` are rows that it does not list, with who is behind them.
    """

    places: tuple[int, ...]
    keys: list[Key]
    values: dict[Key, float]
    given: Contributions
    several: bool  # tables with different columns in one: sums over all rows would count people twice
    recoded: frozenset[int]  # places whose codes name no numbers of their own
    left_out: dict[Key, Held] = field(default_factory=dict)
    unlisted: set[tuple[int, str]] = field(default_factory=set)

    def projected(self, shared: Sequence[int]) -> dict[Key, float]:
        """Sums over everything but the shared dimensions."""
        found: dict[Key, float] = {}
        for key, value in self.values.items():
            cut = _cut(key, shared)
            found[cut] = found.get(cut, 0.0) + value
        return found

    def behind(self, wanted: Key, shared: Sequence[int]) -> Held:
        """Who is behind such a sum."""
        held: Held = {}
        own = [cell for cell, key in enumerate(self.keys) if _cut(key, shared) == wanted]
        parts = [held_by(self.given, cell) for cell in own]
        parts += [behind for key, behind in self.left_out.items() if _cut(key, shared) == wanted]
        for part in parts:
            for holder, amount in part.items():
                held[holder] = held.get(holder, 0.0) + amount
        return held


def _cut(key: Key, shared: Sequence[int]) -> Key:
    return tuple(code if place in shared else None for place, code in enumerate(key))


def joined(tables: Sequence[Tabulated]) -> Joined:
    """All rows of several tables. Of a row that two tables list, the first says who is behind it."""
    if len(tables) == 1:
        return Joined(table=tables[0], names=tuple(dimension.name for dimension in tables[0].dimensions))
    dimensions, names, own = _dimensions(tables)
    parts = [_rows(table, places, len(dimensions)) for table, places in zip(tables, own, strict=True)]
    some = frozenset(place for place, dimension in enumerate(dimensions) if not dimension.summed)
    for one, other in ((a, b) for a in parts for b in parts if a is not b):
        if (rows := some.intersection(one.places)) == some.intersection(other.places):
            _complete(one, other, rows)
    numbers: dict[Key, int] = {}
    behind: list[tuple[Integers, Integers, Floats]] = []
    values: list[float] = []
    for part in parts:
        fresh = [key for key in part.values if key not in numbers]
        for key in fresh:
            numbers[key] = len(values)
            values.append(part.values[key])
        behind += _contributed(part, set(fresh), numbers)
    cell, holder, amount = (np.concatenate(columns) for columns in zip(*behind, strict=True))
    table = replace(
        tables[0],
        dimensions=dimensions,
        keys=tuple(numbers),
        values=Confidential(np.array(values)),
        contributions=Confidential(summed(cell, holder, amount, cells=len(values))),
        counts=all(each.counts for each in tables),
        statistics=None,
        cell=None,
    )
    unlisted = {code for part in parts for code in part.unlisted}
    hidden = [place for place, dimension in enumerate(dimensions) if dimension.hidden]
    unlisted |= {(place, code) for key in numbers for place in hidden if (code := key[place]) is not None}
    return Joined(table=table, names=names, unlisted=frozenset(unlisted))


def _contributed(part: _Rows, fresh: set[Key], numbers: Mapping[Key, int]) -> list[tuple[Integers, Integers, Floats]]:
    """Cell, holder and amount of the rows that no earlier table lists."""
    place = np.array([numbers[key] if key in fresh else -1 for key in part.keys], dtype=np.int64)
    cell = place[part.given.cell]
    kept = cell >= 0
    made = [(cell[kept], part.given.holder[kept], part.given.amount[kept])]
    for key, held in part.left_out.items():
        if key in fresh:
            own = np.full(len(held), numbers[key])
            made.append((own, np.array(list(held), dtype=np.int64), np.array(list(held.values()))))
    return made


def _dimensions(tables: Sequence[Tabulated]) -> tuple[tuple[Dimension, ...], tuple[str, ...], list[tuple[int, ...]]]:
    """One for each grouping of each column, the column it stands for, and where each table has its own."""
    found: list[tuple[str, Dimension, set[str]]] = []
    own = []
    for table in tables:
        places = []
        for at, dimension in enumerate(table.dimensions):
            codes = {code for key in table.keys if (code := key[at]) is not None}
            alike = (n for n, (name, _, _) in enumerate(found) if name == dimension.name)
            place = next((n for n in alike if _agree(found[n][2], codes)), None)
            if place is None:
                place = len(found)
                many = sum(name == dimension.name for name, _, _ in found)
                named = dimension.name if not many else f"{dimension.name} ({many + 1})"
                found.append((dimension.name, replace(dimension, name=named), set()))
            name, before, known = found[place]
            parents, extents = {**dimension.parents, **before.parents}, _both(dimension.extents, before.extents)
            found[place] = name, replace(before, parents=parents, extents=extents), known | codes
            places.append(place)
        own.append(tuple(places))
    return tuple(each for _, each, _ in found), tuple(name for name, _, _ in found), own


def _both(one: Mapping[str, Extent], other: Mapping[str, Extent]) -> dict[str, Extent]:
    """What codes cover by either: tables of some rows know less of it."""
    made = {**one, **other}
    for code in one.keys() & other.keys():
        first, second = one[code], other[code]
        if isinstance(first, frozenset) and isinstance(second, frozenset):
            made[code] = first | second
    return made


def _agree(known: set[str], codes: set[str]) -> bool:
    """Whether codes are one grouping: no two of them are ranges that overlap."""
    ranges = [stretch for code in known if (stretch := range_of(code)) is not None]
    others = [stretch for code in codes if (stretch := range_of(code)) is not None]
    return not any(overlapping(open_below(one), open_below(other)) for one in ranges for other in others)


def _rows(table: Tabulated, places: tuple[int, ...], many: int) -> _Rows:
    keys = [_widened(key, places, many) for key in table.keys]
    kinds = {tuple(code is None for code in key) for key in keys}
    values = dict(zip(keys, table.values.reveal().tolist(), strict=True))
    recoded = frozenset(place for place, each in zip(places, table.dimensions, strict=True) if each.recoded)
    return _Rows(
        places=places,
        keys=keys,
        values=values,
        given=table.contributions.reveal(),
        several=len(kinds) > 1,
        recoded=recoded,
    )


def _widened(key: Key, places: tuple[int, ...], many: int) -> Key:
    made: list[str | None] = [None] * many
    for place, code in zip(places, key, strict=True):
        made[place] = code
    return tuple(made)


def _complete(one: _Rows, other: _Rows, rows: Collection[int]) -> None:
    """Give the first table the rows that it leaves out of what the second one has, of the same rows of the file."""
    if one.several or other.several:
        return
    shared = [place for place in one.places if place in other.places]
    free = [place for place in one.places if place not in other.places]
    mine, theirs = one.projected(shared), other.projected(shared)
    counts = {(place, key[place]) for key in one.values for place in rows}
    for key, value in theirs.items():
        if any((place, key[place]) not in counts for place in rows):
            continue
        left = value - mine.get(key, 0.0)
        if left <= _SAME * max(1.0, value) or not free:
            continue  # a listed cell that differs is told where the sums are checked
        row = list(key)
        for place in free:
            row[place] = _rest(one, place)
        made = tuple(row)
        if made in one.values:
            raise UserProblem(
                "Two tables of the same data do not agree", "earlier tables", "Compare tables of the same version only"
            )
        one.left_out[made] = difference(other.behind(key, shared), one.behind(key, shared), left)
        one.values[made] = left
        one.unlisted.update((place, str(row[place])) for place in free)


def _rest(rows: _Rows, place: int) -> str:
    """What the listed codes of a dimension leave, in words; a range where they are ranges and leave one piece."""
    every = {code for key in rows.values if (code := key[place]) is not None}
    codes = sorted(code for code in every if (place, code) not in rows.unlisted)
    ranges = [None if place in rows.recoded else range_of(code) for code in codes]
    known = [stretch for stretch in ranges if stretch is not None]
    if codes and len(known) == len(codes) and (gap := left_over(known)) is not None:
        return in_words(gap)
    return f"other than {', '.join(codes[:3])}{' and more' if len(codes) > 3 else ''}"


def difference(whole: Mapping[int, float], parts: Mapping[int, float], value: float) -> Held:
    """Who is behind what is left. Where numbers do not fit, as many as there are units: nobody can be named."""
    left = {holder: amount - parts.get(holder, 0.0) for holder, amount in whole.items()}
    left = {holder: amount for holder, amount in left.items() if abs(amount) > _SAME}
    fits = all(amount > 0 for amount in left.values()) and abs(sum(left.values()) - value) <= 1e-6 * max(1.0, value)
    return left if fits else dict(_strangers(value))


def _strangers(value: float) -> Iterator[tuple[int, float]]:
    start = 1 << 40
    for place in range(max(1, round(value))):
        yield start + place, value / max(1, round(value))


def held_by(given: Contributions, cell: int) -> Held:
    """Contributions are sorted by cell."""
    start, end = np.searchsorted(given.cell, [cell, cell + 1])
    inside = slice(int(start), int(end))
    return dict(zip(given.holder[inside].tolist(), given.amount[inside].tolist(), strict=True))
