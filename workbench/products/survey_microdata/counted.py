"""All one- and two-way tables and sums of numbers, asked for at the door where single answers stay where they are.

What central methods, their audit and their comparison need is here, with the digits that single answers would give.
Whatever needs the answers themselves (records drawn locally, attacks on records) is refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.progress import Context, Part
from workbench.products.survey_microdata.survey_data import Variable
from workbench.tabulation.aggregates import Count, Product, Sum
from workbench.tabulation.contract import Rows
from workbench.tabulation.keys import Beyond, Bins, Dimension, Key, Scale


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Counted:
    """`pair` has every two variables in turn. Of a number: Σx and Σx² of each of its classes."""

    total: int
    single: tuple[Integers, ...]
    pair: tuple[Integers, ...]
    sums: tuple[Integers, ...]
    squares: tuple[Integers, ...]
    settled: Integers

    def above(self, variables: Sequence[Variable]) -> list[Integers]:
        """Σ(x − first number of its class) by class, for each number."""
        counts = [self.single[place] for place, variable in enumerate(variables) if variable.number]
        starts = [np.array(variable.starts, dtype=np.int64) for variable in variables if variable.number]
        return [total - start * count for total, start, count in zip(self.sums, starts, counts, strict=True)]


def counted(rows: Rows, variables: Sequence[Variable], instead: Sequence[int], context: Context) -> Counted:
    """`instead` is the answer that missing and undeclared ones count as, for each variable."""
    keys = [_key(variable) for variable in variables]
    total, sums, squares = rows.count.reveal(), [], []
    places = [int(each.classed(np.array([answer]))[0]) for each, answer in zip(variables, instead, strict=True)]
    found = rows.two_way(keys, Part(context, 0.0, 0.7))
    pair = tuple(
        _folded(_folded(found.tables[i, j].reveal(), places[i]).T, places[j]).T
        for i, j in combinations(range(len(keys)), 2)
    )
    single, settled = [], []
    for number, (variable, key) in enumerate(zip(variables, keys, strict=True)):
        asked: dict[str, Count | Sum | Product] = {"n": Count()}
        if variable.number:
            asked |= {"x": Sum(scale_of(variable)), "xx": Product(scale_of(variable), scale_of(variable))}
        answer = rows.grouped([key], asked, Part(context, 0.7 + 0.3 * number / len(keys), 1.0))
        at = answer.keys.reveal()[:, 0].astype(np.int64) + 1
        held = {name: _laid(at, answer.column(name), variable.categories + 1) for name in asked}
        absent = int(held["n"][0])
        settled.append(absent)
        single.append(_folded(held["n"], places[number]))
        if variable.number:
            sums.append(_with(held["x"], places[number], absent * instead[number]))
            squares.append(_with(held["xx"], places[number], absent * instead[number] ** 2))
    return Counted(
        total=total, single=tuple(single), pair=pair, sums=tuple(sums), squares=tuple(squares),
        settled=np.array(settled, dtype=np.int64),
    )  # fmt: skip


def _key(variable: Variable) -> Dimension:
    if variable.number:
        return Bins(of=scale_of(variable), edges=variable.starts[1:])
    return Key.listed(variable.name, variable.values, Beyond.OWN)


def scale_of(variable: Variable) -> Scale:
    return Scale(column=variable.name, lower=variable.lower, upper=variable.upper, decimals=0, beyond=Beyond.OWN)


def _laid(at: Integers, values: Integers, size: int) -> Integers:
    full = np.zeros(size, dtype=np.int64)
    full[at] = values
    return full


def _folded(table: Integers, place: int) -> Integers:
    """The first row, which has what is missing or undeclared, added to the row that it counts as."""
    made: Integers = table[1:].copy()
    made[place] += table[0]
    return made


def _with(values: Integers, place: int, more: int) -> Integers:
    made: Integers = values[1:].copy()
    made[place] += more
    return made
