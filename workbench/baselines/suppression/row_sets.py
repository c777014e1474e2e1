"""Tables of one file that count different rows of it: what each counts is made up of the parts that all have in common.

All men, and men of 16 and over by a rule about rows: the difference is known to everybody who holds both tables. A part
of the rows is those that the same tables count. Every cell of every table is the sum of its parts, which no table lists
and every primary rule judges. A part is tabulated like its table; where parts do not add up to it, as where one row
of a person decides about the others, the table has no parts and is taken to be of other data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.baselines.suppression.contributions import summed
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET, Context

ROWS = "rows of the file"
_MOST_SETS = 60
_SAME = 1e-9
_APART = 1 << 40  # numbers of contributors that mean something in one table only


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Counted:
    """A table and the rows of the file that it counts, in their order; `words` say which, and nothing if it is all.

    `part` makes the same table of the rows at some of those places; None where it cannot.
    """

    table: Tabulated
    rows: Confidential[Integers]
    words: str
    part: Callable[[Integers], Tabulated | None]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Divided:
    """A table among others of its file: it has a code for its rows where they are not all, and its parts are hidden."""

    table: Tabulated
    parts: Tabulated | None = None
    of_rows: tuple[str, str] | None = None  # the dimension and the code

    def named_like(self, other: Tabulated) -> Tabulated:
        """Another table of the same rows, with the same code for them."""
        if self.of_rows is None:
            return other
        keys = tuple((*key, self.of_rows[1]) for key in other.keys)
        return replace(other, dimensions=(*other.dimensions, self.table.dimensions[-1]), keys=keys)


def divided(tables: Sequence[Counted], context: Context = QUIET) -> list[Divided | None]:
    """Each table with its parts; None for those that have none. Tables of the same rows need none."""
    kinds = _kinds([table.rows.reveal() for table in tables])
    if len(set(kinds)) < 2:
        return [_of_rows(each.table, None, tables[0].words, {tables[0].words}) for each in tables]
    if len(set(kinds)) > _MOST_SETS:
        return [
            Divided(table=each.table) if kind == kinds[0] else None for each, kind in zip(tables, kinds, strict=True)
        ]
    names = _named([each.words for each in tables], kinds)
    member = _membership([table.rows.reveal() for table in tables], kinds)
    words = {pattern: _words(pattern, names) for pattern in np.unique(member[member > 0]).tolist()}
    found = [_parts_of(each, member, words, context) for each in tables]
    if any(parts is None for parts in found):
        with_parts = [each for each, parts in zip(tables, found, strict=True) if parts is not None]
        again = iter(divided(with_parts, context))
        return [None if parts is None else next(again) for parts in found]
    return [
        _of_rows(_alone(each.table), parts, names[kind], {words[one] for one in words if one >> kind & 1})
        for each, parts, kind in zip(tables, found, kinds, strict=True)
    ]


def _kinds(rows: Sequence[Integers]) -> list[int]:
    """Which tables count the same rows: numbers from 0."""
    known: dict[bytes, int] = {}
    return [known.setdefault(each.astype(np.int64).tobytes(), len(known)) for each in rows]


def _named(words: Sequence[str], kinds: Sequence[int]) -> dict[int, str]:
    """One name for each set of rows, none for all rows; two sets never have the same."""
    names: dict[int, str] = {}
    for kind, own in zip(kinds, words, strict=True):
        if kind not in names:
            taken = sum(own == other or other.startswith(f"{own} (") for other in names.values())
            names[kind] = f"{own} ({taken + 1})" if taken else own
    return names


def _membership(rows: Sequence[Integers], kinds: Sequence[int]) -> Integers:
    """For every row of the file, one bit for each set that has it."""
    member = np.zeros(max(int(each.max(initial=-1)) for each in rows) + 1, dtype=np.int64)
    for kind, own in dict(zip(kinds, rows, strict=True)).items():
        member[own] |= np.int64(1) << np.int64(kind)
    return member


def _words(pattern: int, names: dict[int, str]) -> str:
    said = [name if pattern >> kind & 1 else f"not {name}" for kind, name in names.items() if name]
    return ", ".join(said)


def _parts_of(each: Counted, member: Integers, words: dict[int, str], context: Context) -> Tabulated | None:
    """The table once for each part of its rows, cells that hold nobody left out."""
    own = member[each.rows.reveal()]
    keys: list[Key] = []
    values: list[Floats] = []
    given: list[tuple[Integers, Integers, Floats]] = []
    texts: list[str] = []
    whole = dict(zip(each.table.keys, each.table.values.reveal().tolist(), strict=True))
    left = dict(whole)
    for number, pattern in enumerate(np.unique(own).tolist()):
        context.step(0.0, "tabulating which rows the tables have in common")
        part = each.part(np.flatnonzero(own == pattern))
        if part is None or not set(part.keys) <= set(whole):
            return None
        amount, behind = part.values.reveal(), part.contributions.reveal()
        held = np.flatnonzero(amount > 0)
        place = np.full(len(amount), -1, dtype=np.int64)
        place[held] = len(keys) + np.arange(len(held))
        keys += [(*part.keys[cell], words[pattern]) for cell in held.tolist()]
        values.append(amount[held])
        inside = place[behind.cell] >= 0
        start = len(texts) if part.names is not None else (number + 1) * _APART if part.own_numbers else 0
        given.append((place[behind.cell][inside], behind.holder[inside] + start, behind.amount[inside]))
        texts.extend(part.names.reveal() if part.names is not None else ())  # of many it is an array
        for cell in held.tolist():
            left[part.keys[cell]] -= float(amount[cell])
    if any(abs(rest) > _SAME * max(1.0, whole[key]) for key, rest in left.items()) or not keys:
        return None
    cells, holders, contributed = (np.concatenate(columns) for columns in zip(*given, strict=True))
    return replace(
        each.table,
        dimensions=(*each.table.dimensions, Dimension(name=ROWS, summed=False, hidden=True)),
        keys=tuple(keys),
        values=Confidential(np.concatenate(values)),
        contributions=Confidential(summed(cells, holders, contributed, cells=len(keys))),
        statistics=None,
        cell=None,
        names=Confidential(texts) if each.table.names is not None else None,
    )


def _alone(table: Tabulated) -> Tabulated:
    """In each set of rows, contributors are numbered anew where they are neither rows nor have names."""
    return table if table.of_rows or table.names is not None else replace(table, own_numbers=True)


def _of_rows(given: Tabulated, parts: Tabulated | None, name: str, inside: set[str]) -> Divided:
    """The table with a code for its rows, where they are not all of the file."""
    if not name:
        return Divided(table=given, parts=parts)
    dimension = Dimension(name=f"{ROWS}: {name}", column=ROWS, extents={name: frozenset(inside)}, summed=False)
    keys = tuple((*key, name) for key in given.keys)
    table = replace(given, dimensions=(*given.dimensions, dimension), keys=keys)
    return Divided(table=table, parts=parts, of_rows=(dimension.name, name))
