"""Columns in memory as positions and integers: one lookup per distinct value, one pass per column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.errors import Problem, raise_if
from workbench.microdata.matching import where_listed
from workbench.microdata.shaping.params import say_of_gaps
from workbench.microdata.table import CodedColumn, Microdata, numbers_of
from workbench.tabulation.edges import between
from workbench.tabulation.grid import BLOCK
from workbench.tabulation.keys import NOWHERE, Beyond, Bins, Dimension, Key, Scale


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Places:
    """For every code of a column its position, NOWHERE where it is not listed; and how many positions there are."""

    of_code: NDArray[np.int32]
    size: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Placement:
    """The position of every row, NOWHERE where it has none, and how many positions there are."""

    of_row: NDArray[np.integer]
    size: int


def places_of(column: CodedColumn, key: Key) -> Places:
    """Where the values of a column stand in the list of a key."""
    if key.texts is None:
        return Places(of_code=np.arange(len(column.values), dtype=np.int32), size=len(column.values))
    found = where_listed(column.values, key.texts)
    if key.positions is None:
        return Places(of_code=found, size=key.size)
    of_text = np.append(key.positions, np.int32(NOWHERE)).astype(np.int32)
    return Places(of_code=np.take(of_text, found, mode="wrap"), size=key.size)


def key_problems(microdata: Microdata, keys: Sequence[Dimension]) -> list[Problem]:
    """Missing cells and codes outside their list, where a key refuses them. Names columns only."""
    found = []
    for key in keys:
        if isinstance(key, Key) and key.beyond is Beyond.REFUSE and has_missing(microdata.coded(key.column)):
            do = f"Do not use it, or {say_of_gaps(key.column)}"
            found.append(Problem("Some rows have no value here", f"{microdata.name}, column “{key.column}”", do))
    for key in keys:
        if isinstance(key, Key) and key.beyond is Beyond.REFUSE and key.texts is not None:
            places = places_of(microdata.coded(key.column), key)
            if bool(np.any(places.of_code == NOWHERE)):
                do = "Add the missing codes to the dictionary or correct the data"
                where = f"{microdata.name}, column “{key.column}”"
                found.append(Problem("Some values are not in the data dictionary", where, do))
    return found


def has_missing(column: CodedColumn) -> bool:
    codes = column.codes.reveal()
    return len(codes) > 0 and int(codes.min()) < 0


def placement(microdata: Microdata, key: Dimension) -> Placement:
    """The position of every row in one dimension."""
    if isinstance(key, Bins):
        raise_if(key.check())
        scaled = on_grid(microdata, key.of)
        position = between(np.array(key.edges, dtype=np.int64), scaled.of_row, lower=key.of.lower, upper=key.of.upper)
        if not scaled.known.all():
            position[~scaled.known] = NOWHERE
        return Placement(of_row=position, size=key.size)
    column = microdata.coded(key.column)
    places = places_of(column, key)
    codes = column.codes.reveal()
    if key.texts is None:
        return Placement(of_row=codes, size=places.size)
    lookup = np.append(places.of_code, np.int32(NOWHERE))
    return Placement(of_row=np.take(lookup, codes, mode="wrap"), size=places.size)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OnGrid:
    """A column as integers of its grid; 0 and not `known` where a cell is missing or no finite number."""

    of_row: Integers
    known: Bools


def scale_problems(microdata: Microdata, scale: Scale) -> tuple[Problem, ...]:
    """What is wrong with a scale itself, or with its column."""
    if scale.column in microdata.columns:
        return scale.check()
    there = f"Columns: {', '.join(microdata.columns)}"
    return (*scale.check(), Problem(f"There is no column “{scale.column}”", microdata.name, there))


def known_numbers(microdata: Microdata, scale: Scale) -> Bools:
    """The rows that have a finite number. Refuses what the scale refuses."""
    raise_if(scale_problems(microdata, scale))
    known = np.isfinite(numbers_of(microdata.columns[scale.column]))
    if scale.beyond is Beyond.REFUSE and not known.all():
        do = "Complete the column, or leave those rows out"
        raise_if([Problem("Some rows have no number here", f"{microdata.name}, column “{scale.column}”", do)])
    return known


def on_grid(microdata: Microdata, scale: Scale) -> OnGrid:
    """The nearest integer of x·10^decimals, half to even, cut off at the bounds. Refuses what the scale refuses."""
    known = known_numbers(microdata, scale)
    numbers = numbers_of(microdata.columns[scale.column])
    whole = np.empty(len(numbers), dtype=np.int64)
    for start in range(0, len(numbers), BLOCK):  # a block stays in the cache from one step to the next
        stop = start + BLOCK
        put_on_grid(numbers[start:stop], known[start:stop], scale, whole[start:stop])
    return OnGrid(of_row=whole, known=known)


def put_on_grid(numbers: Floats, known: Bools, scale: Scale, into: Integers) -> None:
    """The same of some rows, written where it belongs."""
    complete = bool(known.all())
    scaled = np.multiply(numbers if complete else np.where(known, numbers, 0.0), float(10**scale.decimals))
    np.rint(scaled, out=scaled)
    into[:] = np.clip(scaled, float(scale.lower), float(scale.upper), out=scaled)
    np.clip(into, scale.lower, scale.upper, out=into)  # bounds beyond 2^53 are no doubles
    if scale.steps:
        width = scale.upper - scale.lower
        into[:] = (2 * scale.steps * (into - scale.lower) + width) // (2 * width)
        into[:] = (into + scale.coarser // 2) // scale.coarser
    if not complete:
        into[~known] = 0
