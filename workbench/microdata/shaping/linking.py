"""A second file linked by its key: each row gets the values of at most one row there, so rows never multiply.

A key that stands in several rows of the linked file is no trouble where they agree on what is taken. Where they do not,
nobody can say which one is meant: the rows of the data with that key count as unmatched, and the check fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.findings import Finding, Status
from workbench.core.nearest import did_you_mean
from workbench.core.quantities import agreeing, counted, joined
from workbench.microdata.matching import where_listed
from workbench.microdata.selection import listed, recoded, take_rows
from workbench.microdata.shaping.columns import texts_of
from workbench.microdata.shaping.params import Link, Unmatched
from workbench.microdata.table import CodedColumn, Column, Microdata, NumericColumn

_SPAN = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Match:
    """For every row of the data its row of the linked file, or -1; and what is worth telling about the keys."""

    row: Integers
    missing: int  # rows of the data whose key has a gap
    ambiguous: int  # rows whose key the linked file has several times, with different values
    repeated_keys: int  # keys of the linked file that stand there more than once
    disputed_keys: int  # of which those with different values
    nearly: int  # rows that would match without leading zeros


def link_file(
    microdata: Microdata, name: str, link: Link, other: Microdata, *, taken: Sequence[str]
) -> tuple[Microdata, list[Finding]]:
    """The data with the columns of the linked file, and findings about their keys. Raises what makes it impossible."""
    raise_if(_problems(microdata, name, link, other, taken))
    match = _matched(microdata, link, other, taken)
    unmatched = match.row < 0
    finding = _finding(name, link, other, microdata.rows, match, int(np.count_nonzero(unmatched)))
    if link.unmatched is Unmatched.REFUSE and unmatched.any():
        zeros = ", and that both files write codes with the same leading zeros (01, not 1)" if match.nearly else ""
        do = f"Complete {other.name}, or choose to keep or leave out such rows. Check the key{zeros}"
        raise_if([Problem(f"Some rows have no match in {other.name}", f"[data.shaping.links.{name}]", do)])
    columns = {each: _spread(other.columns[each], match.row) for each in taken}
    made = replace(microdata, columns={**microdata.columns, **columns})
    if link.unmatched is Unmatched.LEAVE_OUT and unmatched.any():
        made = take_rows(made, np.flatnonzero(~unmatched))
    return made, [finding]


def _problems(microdata: Microdata, name: str, link: Link, other: Microdata, taken: Sequence[str]) -> list[Problem]:
    where = f"[data.shaping.links.{name}]"
    found = [problem.at(where) for problem in link.check()]
    for table, names in ((microdata, link.key), (other, (*link.there, *taken))):
        for each in dict.fromkeys(names):
            if each not in table.columns:
                near = did_you_mean(each, list(table.columns)) or f"Columns: {', '.join(table.columns)}"
                found.append(Problem(f"{table.name} has no column “{each}”", where, near))
            elif each not in taken and isinstance(table.columns[each], NumericColumn):
                found.append(Problem(f"The key “{each}” of {table.name} holds numbers", where, "Use a column of codes"))
    found += [
        Problem(f"Both files have a column “{each}”", where, "Rename one of them, or list the columns to take")
        for each in taken
        if each in microdata.columns
    ]
    return found


def _matched(microdata: Microdata, link: Link, other: Microdata, taken: Sequence[str]) -> _Match:
    ours = [microdata.coded(name) for name in link.key]
    theirs = [other.coded(name) for name in link.there]
    place = [where_listed(mine.values, their.values) for mine, their in zip(ours, theirs, strict=True)]
    wanted = _packed([_lookup(found, column) for found, column in zip(place, ours, strict=True)], theirs)
    held = _packed([column.codes.reveal().astype(np.int64) for column in theirs], theirs)
    order = np.argsort(held, kind="stable")
    order = order[held[order] >= 0]  # rows there without a key belong to nobody
    keys = held[order]
    start = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
    disputed = _disputed(other, taken, order, start)
    found = np.searchsorted(keys[start], wanted)
    inside = (wanted >= 0) & (found < len(start))
    inside[inside] &= keys[start][found[inside]] == wanted[inside]
    ambiguous = inside.copy()
    ambiguous[inside] = disputed[found[inside]]
    row = np.full(microdata.rows, -1, dtype=np.int64)
    kept = inside & ~ambiguous
    row[kept] = order[start[found[kept]]]
    gaps = reduce(np.logical_or, (column.codes.reveal() < 0 for column in ours))
    return _Match(
        row=row,
        missing=int(np.count_nonzero(gaps)),
        ambiguous=int(np.count_nonzero(ambiguous)),
        repeated_keys=int(np.count_nonzero(np.diff(start, append=len(keys)) > 1)),
        disputed_keys=int(np.count_nonzero(disputed)),
        nearly=_nearly(ours, theirs, (row < 0) & ~gaps & ~ambiguous),
    )


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


def _nearly(ours: Sequence[CodedColumn], theirs: Sequence[CodedColumn], lost: Bools) -> int:
    """Rows without a match that would have one in every key column, were codes written without leading zeros."""
    near = lost.copy()
    for mine, their in zip(ours, theirs, strict=True):
        codes = np.unique(mine.codes.reveal()[near])
        bare = {text.lstrip("0") for text in texts_of(their.values)} if len(codes) else set()
        fits = np.zeros(len(mine.values) + 1, dtype=bool)
        fits[codes] = [text.lstrip("0") in bare for text in texts_of(listed(mine.values, codes))]
        near &= np.take(fits, mine.codes.reveal(), mode="wrap")
    return int(np.count_nonzero(near))


def _spread(column: Column, row: Integers) -> Column:
    """The linked column for every row of the data; missing where it has no match."""
    if isinstance(column, CodedColumn):
        codes = np.append(column.codes.reveal().astype(np.int32), np.int32(-1))
        return recoded(column, codes[row], column.values)
    numbers = np.append(column.numbers.reveal(), np.nan)[row]
    return replace(column, numbers=Confidential(numbers), missing=int(np.count_nonzero(np.isnan(numbers))))


def _finding(name: str, link: Link, other: Microdata, rows: int, match: _Match, unmatched: int) -> Finding:
    said = [f"{rows - unmatched:,} of {counted(rows, 'row')} {agreeing(rows - unmatched, 'has', 'have')} a match"]
    if match.missing:
        said.append(f"{match.missing:,} {agreeing(match.missing, 'has', 'have')} a gap in the key")
    if match.ambiguous:
        have = agreeing(match.ambiguous, "has", "have")
        said.append(f"{match.ambiguous:,} {have} a key that stands there several times with different values")
    if match.nearly:
        said.append(f"{match.nearly:,} would match without leading zeros, as 01 and 1 do")
    if match.repeated_keys > match.disputed_keys:
        same = match.repeated_keys - match.disputed_keys
        said.append(f"{counted(same, 'key')} {agreeing(same, 'stands', 'stand')} there several times with equal values")
    status = Status.FAIL if match.ambiguous else Status.WARN if unmatched else Status.PASS
    key = joined([f"“{each}”" for each in link.key])
    return Finding(
        id=f"data.link-{name}", title=f"Rows linked with {other.name}", status=status,
        sentence=f"Linked by {key}: {'; '.join(said)}.",
        values={
            "rows": rows, "unmatched": unmatched, "missing_keys": match.missing, "ambiguous": match.ambiguous,
            "repeated_keys": match.repeated_keys, "disputed_keys": match.disputed_keys, "leading_zeros": match.nearly,
        },
        does_not_prove=(
            "That equal keys mean the same thing. A guarantee protects rows of the data and takes the linked file as "
            "fixed: who is in that file is not protected."
        ),
    )  # fmt: skip
