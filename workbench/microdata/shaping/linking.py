"""A second file linked by its key: each row gets the values of at most one row there, so rows never multiply.

A key that stands in several rows of the linked file is no trouble where they agree on what is taken. Where they do not,
nobody can say which one is meant: the rows of the data with that key count as unmatched, and the check fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.findings import Finding, Status
from workbench.core.quantities import agreeing, counted, joined
from workbench.microdata.header import other_names
from workbench.microdata.matching import where_listed
from workbench.microdata.selection import leave_rows, listed, recoded
from workbench.microdata.shaping.columns import texts_of
from workbench.microdata.shaping.params import Link, Unmatched
from workbench.microdata.table import MISSING, CodedColumn, Column, Microdata, NumericColumn

_SPAN = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Matches:
    """What is worth telling about the keys."""

    missing: int  # rows of the data whose key has a gap
    unmatched: int  # rows of the data without a row there, those included
    ambiguous: int  # rows whose key the linked file has several times, with different values
    repeated_keys: int  # keys of the linked file that stand there more than once
    disputed_keys: int  # of which those with different values
    nearly: int  # rows that would match without leading zeros
    compared: bool  # whether anything is taken in which rows with one key could differ


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Match:
    """Every row of the data has a slot, one for each key it may have, and every slot its row of the linked file or -1.
    Millions of rows share few slots, so most work is done once a slot.
    """

    slot: NDArray[Any]  # of every row of the data; -1 where its key has a gap
    row: Integers  # of every slot, and -1 at the end for rows without one
    counts: Matches

    def lost(self) -> Bools:
        """For every row of the data, whether it has no row there."""
        return np.take(self.row < 0, self.slot, mode="wrap")


def link_file(
    microdata: Microdata, name: str, link: Link, other: Microdata, *, taken: Sequence[str]
) -> tuple[Microdata, list[Finding]]:
    """The data with the columns of the linked file, and findings about their keys. Raises what makes it impossible."""
    raise_if(link_problems(microdata, name, link, other, taken))
    match = _matched(microdata, link, other, taken)
    finding = matches_found(name, link, other.name, microdata.rows, match.counts)
    met = np.zeros(len(match.row), dtype=bool)
    met[match.slot] = True
    columns = {each: _spread(other.columns[each], match, met) for each in taken}
    made = replace(microdata, columns={**microdata.columns, **columns})
    if link.unmatched is Unmatched.LEAVE_OUT and match.counts.unmatched:
        made = leave_rows(made, np.flatnonzero(~match.lost()))
    return made, [finding]


def link_problems(microdata: Microdata, name: str, link: Link, other: Microdata, taken: Sequence[str]) -> list[Problem]:
    where = f"[data.shaping.links.{name}]"
    found = [problem.at(where) for problem in link.check()]
    for table, names in ((microdata, link.key), (other, (*link.there, *taken))):
        for each in dict.fromkeys(names):
            if each not in table.columns:
                near = other_names(each, (*table.columns, *table.unread), guessed=table.names_guessed)
                found.append(Problem(f"{table.name} has no column “{each}”", where, near))
            elif each not in taken and isinstance(table.columns[each], NumericColumn):
                found.append(Problem(f"The key “{each}” of {table.name} holds numbers", where, "Use a column of codes"))
    return [*found, *(in_both(each, microdata.name, other.name, where) for each in taken if each in microdata.columns)]


def in_both(column: str, one: str, other: str, where: str) -> Problem:
    """A column that two files have: nobody can say which of them is meant."""
    do = f"Rename it in one of the files, or list under columns what is taken from {other}, without it"
    return Problem(f"“{column}” is a column of both {one} and {other}", where, do)


def _matched(microdata: Microdata, link: Link, other: Microdata, taken: Sequence[str]) -> _Match:
    ours = [microdata.coded(name) for name in link.key]
    theirs = [other.coded(name) for name in link.there]
    place, held = _codes(ours, theirs, pad=link.pad)
    order = np.argsort(held, kind="stable")
    order = order[held[order] >= 0]  # rows there without a key belong to nobody
    keys = held[order]
    start = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
    disputed = _disputed(other, taken, order, start)
    slot, wanted = _slots(ours, place, theirs)
    found = np.searchsorted(keys[start], wanted)
    inside = (wanted >= 0) & (found < len(start))
    inside[inside] &= keys[start][found[inside]] == wanted[inside]
    ambiguous = np.zeros(len(wanted), dtype=bool)
    ambiguous[inside] = disputed[found[inside]]
    row = np.full(len(wanted), -1, dtype=np.int64)
    kept = inside & ~ambiguous
    row[kept] = order[start[found[kept]]]
    size = np.bincount(slot.astype(np.intp, copy=False) + 1, minlength=len(wanted))  # rows of every slot, gaps first
    missing, size = int(size[0]), size[1:]
    counts = Matches(
        missing=missing,
        unmatched=missing + int(size[row[:-1] < 0].sum()),
        ambiguous=int(size[ambiguous[:-1]].sum()),
        repeated_keys=int(np.count_nonzero(np.diff(start, append=len(keys)) > 1)),
        disputed_keys=int(np.count_nonzero(disputed)),
        compared=bool(taken),
        nearly=0 if link.pad or not size[row[:-1] < 0].any() else _nearly(ours, theirs, slot, (row < 0) & ~ambiguous),
    )
    return _Match(slot=slot, row=row, counts=counts)


def _codes(
    ours: Sequence[CodedColumn], theirs: Sequence[CodedColumn], *, pad: bool
) -> tuple[list[NDArray[np.int32]], Integers]:
    """For every value of our key columns its place among theirs, and for every row there one number for its key.

    With padding, values that differ in leading zeros have one place; so two rows there can come to share a key, and
    are judged like any others that do.
    """
    place, held = [], []
    for mine, their in zip(ours, theirs, strict=True):
        codes = their.codes.reveal().astype(np.int64)
        if not pad:
            place.append(where_listed(mine.values, their.values))
        else:
            bare = [_bare(text) for text in texts_of(their.values)]
            first = {text: position for position, text in reversed(list(enumerate(bare)))}
            place.append(np.array([first.get(_bare(text), -1) for text in texts_of(mine.values)], dtype=np.int32))
            codes = np.take(np.array([*(first[text] for text in bare), -1], dtype=np.int64), codes, mode="wrap")
        held.append(codes)
    return place, _packed(held, theirs)


def _bare(text: str) -> str:
    """A number without leading zeros; any other text as it is."""
    return (text.lstrip("0") or "0") if text.isdecimal() else text


def _slots(
    ours: Sequence[CodedColumn], place: Sequence[NDArray[np.int32]], theirs: Sequence[CodedColumn]
) -> tuple[NDArray[Any], Integers]:
    """The slot of every row, and the key that each slot asks for; -1 at the end for rows with a gap in the key."""
    if len(ours) == 1:  # the value itself is the slot
        return ours[0].codes.reveal(), np.append(place[0], -1).astype(np.int64)
    wanted = _packed([_lookup(found, column) for found, column in zip(place, ours, strict=True)], theirs)
    gaps = reduce(np.logical_or, (column.codes.reveal() < 0 for column in ours))
    asked, slot = np.unique(wanted, return_inverse=True)
    return np.where(gaps, -1, slot), np.append(asked, -1)


def _lookup(found: NDArray[np.int32], column: CodedColumn) -> Integers:
    return np.take(np.append(found, np.int32(-1)), column.codes.reveal(), mode="wrap").astype(np.int64)


def _packed(codes: Sequence[Integers], columns: Sequence[CodedColumn]) -> Integers:
    """One number per row for its combination of codes; -1 where one of them is missing."""
    key = np.zeros(len(codes[0]), dtype=np.int64)
    gone = np.zeros(len(codes[0]), dtype=bool)
    span = 1
    for part, column in zip(codes, columns, strict=True):
        span *= max(len(column.values), 1)
        if span >= _SPAN:
            raise_if([Problem("The key has too many combinations to be matched", "", "Use fewer key columns")])
        key = key * max(len(column.values), 1) + np.maximum(part, 0)
        gone |= part < 0
    key[gone] = -1
    return key


def _disputed(other: Microdata, taken: Sequence[str], order: Integers, start: Integers) -> Bools:
    """For every key of the linked file: do its rows disagree on what is taken?"""
    differ = np.zeros(len(start), dtype=bool)
    if not len(start):
        return differ
    for name in taken:
        column = other.columns[name]
        values = column.codes.reveal() if isinstance(column, CodedColumn) else column.numbers.reveal()
        arranged = np.nan_to_num(values[order], nan=np.inf) if values.dtype.kind == "f" else values[order]
        differ |= np.minimum.reduceat(arranged, start) != np.maximum.reduceat(arranged, start)
    return differ


def _nearly(ours: Sequence[CodedColumn], theirs: Sequence[CodedColumn], slot: NDArray[Any], lost: Bools) -> int:
    """Rows without a match that would have one in every key column, were codes written without leading zeros."""
    near = np.take(lost, slot, mode="wrap") & (slot >= 0)
    for mine, their in zip(ours, theirs, strict=True):
        codes = np.unique(mine.codes.reveal()[near])
        bare = {_bare(text) for text in texts_of(their.values)} if len(codes) else set()
        fits = np.zeros(len(mine.values) + 1, dtype=bool)
        fits[codes] = [_bare(text) in bare for text in texts_of(listed(mine.values, codes))]
        near &= np.take(fits, mine.codes.reveal(), mode="wrap")
    return int(np.count_nonzero(near))


def _spread(column: Column, match: _Match, met: Bools) -> Column:
    """The linked column for every row of the data; missing where it has no match. Values of no row are not listed."""
    if not isinstance(column, CodedColumn):
        numbers = np.take(np.append(column.numbers.reveal(), np.nan)[match.row], match.slot, mode="wrap")
        return replace(column, numbers=Confidential(numbers), missing=int(np.count_nonzero(np.isnan(numbers))))
    of_slot = np.append(column.codes.reveal().astype(np.int32), np.int32(MISSING))[match.row]
    few = recoded(column, of_slot[met], column.values)
    narrow = few.codes.reveal()
    lookup = np.full(len(match.row), MISSING, dtype=narrow.dtype)
    lookup[met] = narrow
    codes = np.take(lookup, match.slot, mode="wrap")
    missing = int(np.count_nonzero(codes < 0)) if match.counts.unmatched or column.missing else 0
    return replace(few, codes=Confidential(codes), missing=missing)


def _refusal(name: str, other: str, match: Matches) -> Problem:
    """Why rows have no match: a gap is filled in the data, a key with two meanings is settled in the other file."""
    why, do = [], []
    if match.missing:
        why.append("the key is missing")
        do.append("Complete the key")
    if match.ambiguous:
        why.append("the key appears there several times with different values")
        do.append("Give each key one row there")
    if match.unmatched > match.missing + match.ambiguous:
        why.append("the key is not there")
        zeros = "The files write codes with different leading zeros (01 and 1): pad the keys"
        do.append(zeros if match.nearly else f"Complete {other}")
    what = f"Some rows have no match in {other}: {' or '.join(why)}"
    otherwise = "choose to keep or leave out such rows"
    return Problem(what, f"[data.shaping.links.{name}]", f"{'. '.join(do)}, or {otherwise}")


def matches_found(name: str, link: Link, other: str, rows: int, match: Matches) -> Finding:
    """How many rows have a match. Raises where some have none and the plan refuses that."""
    unmatched = match.unmatched
    if link.unmatched is Unmatched.REFUSE and unmatched:
        raise_if([_refusal(name, other, match)])
    said = [f"{rows - unmatched:,} of {counted(rows, 'row')} {agreeing(rows - unmatched, 'has', 'have')} a match"]
    if match.missing:
        said.append(f"{match.missing:,} {agreeing(match.missing, 'has', 'have')} a gap in the key")
    if match.ambiguous:
        have = agreeing(match.ambiguous, "has", "have")
        said.append(f"{match.ambiguous:,} {have} a key that appears there several times with different values")
    if match.nearly:
        said.append(f"{match.nearly:,} would match if keys were padded with zeros, so that 1 and 01 are the same")
    if match.repeated_keys > match.disputed_keys:
        same = match.repeated_keys - match.disputed_keys
        alike = " with equal values" if match.compared else ""
        said.append(f"{counted(same, 'key')} {agreeing(same, 'appears', 'appear')} there several times{alike}")
    status = Status.FAIL if match.ambiguous else Status.WARN if unmatched else Status.PASS
    key = joined([f"“{each}”" for each in link.key])
    return Finding(
        id=f"data.link-{name}", title=f"Rows linked with {other}", status=status,
        sentence=f"Linked by {key}: {'; '.join(said)}.",
        values={
            "rows": rows, "unmatched": unmatched, "missing_keys": match.missing, "ambiguous": match.ambiguous,
            "repeated_keys": match.repeated_keys, "disputed_keys": match.disputed_keys, "leading_zeros": match.nearly,
        },
        does_not_prove=(
            "That equal keys mean the same thing. A row of the linked file acts on every row with its key, so the "
            "guarantee covers the units that it describes only where the key identifies them."
        ),
    )  # fmt: skip
