"""Named aggregates of groups of rows, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, raise_if
from workbench.core.progress import Context, Part
from workbench.microdata.table import Microdata
from workbench.tabulation.aggregates import (
    HALF,
    Aggregate,
    Count,
    Distinct,
    Distorted,
    Half,
    Largest,
    Product,
    Ranked,
    Sum,
    TotalOfLargest,
)
from workbench.tabulation.answers import Answer
from workbench.tabulation.contributing import Best, best_of, different, pairs_of
from workbench.tabulation.groups import Chosen, Groups
from workbench.tabulation.keys import NOWHERE, Beyond, Dimension, Key, Scale
from workbench.tabulation.positions import OnGrid, key_problems, on_grid, placement
from workbench.tabulation.sums import refuse_overflow, sums


def grouped(
    microdata: Microdata, by: Sequence[Dimension], aggregates: Mapping[str, Aggregate], context: Context
) -> Answer:
    """Named aggregates of every group that has rows, in the order of its positions."""
    context.step(0.0, "finding the groups")
    question = _Question.of(microdata, by, aggregates)
    made = {}
    for number, (name, aggregate) in enumerate(aggregates.items()):
        part = Part(context, 0.2 + 0.8 * number / len(aggregates), 0.2 + 0.8 * (number + 1) / len(aggregates))
        part.step(0.0, f"adding up {name}")
        made[name] = Confidential(question.column(aggregate, part))
    context.step(1.0, "groups ready")
    listing = [key for key in by if isinstance(key, Key) and key.texts is None]
    own = np.array([int(key.beyond is Beyond.OWN) for key in by], dtype=np.int32)
    return Answer(
        keys=Confidential(question.groups.positions() - own),
        values=made,
        met={key.column: Confidential(microdata.coded(key.column).values) for key in listing},
        left_out=Confidential(question.chosen.left_out),
    )


@dataclass(kw_only=True, repr=False)
class _Question:
    """One question while it is answered: the rows it is about, their groups, and numbers on their grids."""

    microdata: Microdata
    chosen: Chosen
    groups: Groups
    numbers: Mapping[Scale, OnGrid]
    _best: dict[tuple[str, Scale | None], Best] = field(default_factory=dict)
    _pairs: dict[str, Groups] = field(default_factory=dict)

    @classmethod
    def of(cls, microdata: Microdata, by: Sequence[Dimension], aggregates: Mapping[str, Aggregate]) -> _Question:
        raise_if(key_problems(microdata, by))
        columns = [placement(microdata, key) for key in by]
        numbers = {scale: on_grid(microdata, scale) for scale in dict.fromkeys(_scales(aggregates.values()))}
        known = [
            column.of_row != NOWHERE for key, column in zip(by, columns, strict=True) if key.beyond is Beyond.LEAVE_OUT
        ]
        known += [found.known for scale, found in numbers.items() if scale.beyond is Beyond.LEAVE_OUT]
        chosen = Chosen.where(microdata.rows, known)
        own = [key.beyond is Beyond.OWN for key in by]  # then NOWHERE is 0 while positions are packed
        groups = Groups(
            columns=[
                chosen.of(column.of_row).astype(np.int64) + 1 if extra else chosen.of(column.of_row)
                for column, extra in zip(columns, own, strict=True)
            ],
            sizes=[column.size + extra for column, extra in zip(columns, own, strict=True)],
            rows=chosen.rows,
            numbered=any(not isinstance(aggregate, Count) for aggregate in aggregates.values()),
        )
        return cls(microdata=microdata, chosen=chosen, groups=groups, numbers=numbers)

    def column(self, aggregate: Aggregate, context: Context) -> Integers:
        match aggregate:
            case Count():
                return self.groups.count
            case Sum(of):
                return self._sums(self._number(of), most=of.most, where=of.column)
            case Product():
                return self._sums(self._product(aggregate), most=aggregate.most, where=aggregate.title)
            case Ranked(of, part, parts):
                return self._ranked(self._number(of), part, parts)
            case Distinct(name):
                return different(self.groups, self._paired(name))
            case Largest(unit, of):
                return self._contributed(unit, of).held
            case TotalOfLargest(unit, of):
                return self._contributed(unit, of).total
            case Distorted(unit, factors):
                column = self.microdata.coded(unit)
                raise_if(key_problems(self.microdata, (Key.met(unit),)))
                of_unit = factors.of(column.values, context)
                most = int(of_unit.max(initial=0))
                return self._sums(of_unit[self._codes(unit)], most=most, where=unit)
        raise Defect("an aggregate that nobody knows was asked for")

    def _sums(self, values: Integers, *, most: int, where: str) -> Integers:
        largest = int(self.groups.count.max(initial=0))
        refuse_overflow(largest, most, where)
        if self.groups.dense:
            return sums(self.groups.place, values, self.groups.span, most=most, rows=largest)[self.groups.occupied]
        return sums(self.groups.of_row, values, len(self.groups.occupied), most=most, rows=largest)

    def _ranked(self, values: Integers, part: int, parts: int) -> Integers:
        order = np.lexsort((values, self.groups.of_row))
        count = self.groups.count
        rank = np.maximum(-(-part * count // parts), 1)
        found: Integers = values[order][np.cumsum(count) - count + rank - 1]
        return found

    def _product(self, product: Product) -> Integers:
        raise_if(product.check())
        made = reduce(np.multiply, (self._number(factor) for factor in product.factors))
        if product.over > 1:
            made = (2 * made + product.over) // (2 * product.over)
        match product.half:
            case Half.LOWER:
                return made & (HALF - 1)
            case Half.UPPER:
                return made >> 32
        return made

    def _number(self, scale: Scale) -> Integers:
        return self.chosen.of(self.numbers[scale].of_row)

    def _codes(self, name: str) -> Integers:
        return self.chosen.of(self.microdata.coded(name).codes.reveal())

    def _paired(self, name: str) -> Groups:
        """Rows by group and value of a column, worked out once for all who ask."""
        if name not in self._pairs:
            self._pairs[name] = pairs_of(self.groups, self._codes(name), len(self.microdata.coded(name).values))
        return self._pairs[name]

    def _contributed(self, unit: str, of: Scale | None) -> Best:
        """The largest contribution and its unit's total, worked out once for both of them."""
        if (unit, of) not in self._best:
            codes = self.microdata.coded(unit).codes.reveal()
            units = len(self.microdata.coded(unit).values)
            x = np.ones(self.microdata.rows, dtype=np.int64) if of is None else self.numbers[of].of_row
            most = 1 if of is None else of.most
            known = codes[codes >= 0]
            held = int(np.bincount(known, minlength=1).max())
            refuse_overflow(held, most, unit if of is None else of.column)
            total = sums(known, x[codes >= 0], units, most=most)
            values = None if of is None else self.chosen.of(x)[self._codes(unit) >= 0]
            self._best[unit, of] = best_of(self.groups, self._paired(unit), values, total=total, most=most)
        return self._best[unit, of]


def _scales(aggregates: Iterable[Aggregate]) -> Iterator[Scale]:
    for aggregate in aggregates:
        match aggregate:
            case Sum(of) | Ranked(of) | Largest(_, Scale() as of) | TotalOfLargest(_, Scale() as of):
                yield of
            case Product():
                yield from aggregate.factors
