"""All one- and two-way tables and sums of numbers, asked for at the door where single answers stay where they are.

What central methods, their audit and their comparison need is here, with the digits that single answers would give.
Whatever needs the answers themselves (records drawn locally, attacks on records) is refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.progress import Context, Part
from workbench.products.survey_microdata.survey_data import Variable
from workbench.tabulation.aggregates import HALF, Aggregate, Count, Half, Product, Sum
from workbench.tabulation.contract import Rows
from workbench.tabulation.keys import Beyond, Bins, Dimension, Key, Scale


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Weighed:
    """The same tables as sums of weights W, whole hundredths. Of a number: ΣW·x of each of its classes.

    `rounded` has Σ W²/W_max of every category, each term rounded; `squared` is ΣW² of everybody.
    """

    total: int
    single: tuple[Integers, ...]
    pair: tuple[Integers, ...]
    sums: tuple[Integers, ...]
    rounded: tuple[Integers, ...]
    squared: int
    at_most: int  # respondents who reach the largest weight
    without: int  # and who have none


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Counted:
    """`pair` has every two variables in turn. Of a number: Σx and Σx² of each of its classes. All of respondents."""

    total: int
    single: tuple[Integers, ...]
    pair: tuple[Integers, ...]
    sums: tuple[Integers, ...]
    squares: tuple[Integers, ...]
    settled: Integers
    weighed: Weighed | None = None

    def above(self, variables: Sequence[Variable]) -> list[Integers]:
        """Σ(x − first number of its class) by class, for each number, as often as each respondent counts."""
        held = self if self.weighed is None else self.weighed
        counts = [held.single[place] for place, variable in enumerate(variables) if variable.number]
        starts = [np.array(variable.starts, dtype=np.int64) for variable in variables if variable.number]
        return [total - start * count for total, start, count in zip(held.sums, starts, counts, strict=True)]


def counted(
    rows: Rows, variables: Sequence[Variable], instead: Sequence[int], weight: Scale | None, context: Context
) -> Counted:
    """`instead` is the answer that missing and undeclared ones count as, for each variable."""
    keys = [_key(variable) for variable in variables]
    total = rows.count.reveal()
    places = [int(each.classed(np.array([answer]))[0]) for each, answer in zip(variables, instead, strict=True)]
    pair = _pairs(rows, keys, places, None, Part(context, 0.0, 0.4))
    single, settled = [], []
    for number, (variable, key) in enumerate(zip(variables, keys, strict=True)):
        asked = _asked(variable, weight)
        answer = rows.grouped([key], asked, Part(context, 0.4 + 0.3 * number / len(keys), 0.7))
        at = answer.keys.reveal()[:, 0].astype(np.int64) + 1
        held = {name: _laid(at, answer.column(name), variable.categories + 1) for name in asked}
        settled.append(int(held["n"][0]))
        single.append({name: _settled(held, name, places[number], instead[number]) for name in asked})
    numbers = [held for held, variable in zip(single, variables, strict=True) if variable.number]
    return Counted(
        total=total, single=tuple(held["n"] for held in single), pair=pair,
        sums=tuple(held["x"] for held in numbers), squares=tuple(held["xx"] for held in numbers),
        settled=np.array(settled, dtype=np.int64),
        weighed=None
        if weight is None
        else _weighed(rows, weight, single, _pairs(rows, keys, places, weight, Part(context, 0.7, 0.9)), context),
    )  # fmt: skip


def _asked(variable: Variable, weight: Scale | None) -> dict[str, Aggregate]:
    asked: dict[str, Aggregate] = {"n": Count()}
    if variable.number:
        asked |= {"x": Sum(scale_of(variable)), "xx": Product(scale_of(variable), scale_of(variable))}
    if weight is not None:
        asked |= {"w": Sum(weight), "rounded": Product(weight, weight, over=weight.upper)}
        if variable.number:
            asked["wx"] = Product(scale_of(variable), weight)
    return asked


_COUNTED_BY = {"x": ("n", 1), "xx": ("n", 2), "wx": ("w", 1)}  # of sums: what counts rows, and the power of x


def _settled(held: Mapping[str, Integers], name: str, place: int, instead: int) -> Integers:
    """What is missing or undeclared counts as the answer of the plan's rule."""
    if name not in _COUNTED_BY:
        return _folded(held[name], place)
    rows, power = _COUNTED_BY[name]
    return _with(held[name], place, int(held[rows][0]) * instead**power)


def _weighed(
    rows: Rows, weight: Scale, single: Sequence[Mapping[str, Integers]], pair: tuple[Integers, ...], context: Context
) -> Weighed:
    classes = Bins(of=weight, edges=(1, weight.upper))  # none, some, and the most there is
    low, high = (Product(weight, weight, half=half) for half in (Half.LOWER, Half.UPPER))
    asked: dict[str, Aggregate] = {"n": Count(), "w": Sum(weight), "low": low, "high": high}
    answer = rows.grouped([classes], asked, Part(context, 0.9, 1.0))
    held = {name: answer.column(name) for name in asked}
    people = _laid(answer.keys.reveal()[:, 0].astype(np.int64) + 1, held["n"], classes.size + 1)
    return Weighed(
        total=int(held["w"].sum()), single=tuple(each["w"] for each in single), pair=pair,
        sums=tuple(each["wx"] for each in single if "wx" in each), rounded=tuple(each["rounded"] for each in single),
        squared=int(held["low"].sum()) + HALF * int(held["high"].sum()),
        at_most=int(people[3]), without=int(people[0] + people[1]),
    )  # fmt: skip


def _pairs(
    rows: Rows, keys: Sequence[Dimension], places: Sequence[int], weight: Scale | None, context: Context
) -> tuple[Integers, ...]:
    found = rows.two_way(keys, context, weight)
    return tuple(
        _folded(_folded(found.tables[i, j].reveal(), places[i]).T, places[j]).T
        for i, j in combinations(range(len(keys)), 2)
    )


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
