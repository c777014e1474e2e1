"""Neighbours of an area release: everybody, and everybody with one more person in one cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.area_estimates.area_data import AreaData, lines_by_outcome, sides_by_outcome, table_of
from workbench.products.area_estimates.people import FINE, People


def with_people(prepared: AreaData, people: People) -> AreaData:
    """The same plan for other people."""
    return replace(
        prepared,
        people=Confidential(people),
        lines=Confidential(lines_by_outcome(people, prepared.places.cells)),
        table=Confidential(table_of(people, prepared.places)),
        sides=sides_by_outcome(people, prepared.places.cells, prepared.estimator),
        which=None,
    )


def with_person(prepared: AreaData, cell: int, x: float, y: float) -> AreaData:
    """The same people and one more, predictor and every outcome between 0 and 1."""
    people = prepared.people.reveal()

    def one_more(values: np.ndarray, value: int) -> np.ndarray:
        return np.append(values, np.asarray(value, values.dtype))

    more = People(
        cell=one_more(people.cell, cell),
        x=one_more(people.x, round(x * FINE)),
        y=tuple(one_more(outcome, round(y * FINE)) for outcome in people.y),
        weight=None if people.weight is None else one_more(people.weight, prepared.most_weight),
    )
    return with_people(prepared, more)


def one_more(prepared: AreaData, columns: int) -> tuple[NeighbourPair, ...]:
    """Two pairs, one copy each: estimates of all cells are made together. The first attains the loss of the table."""
    return tuple(
        NeighbourPair(
            description=f"one person with predictor and outcomes at their {word} bound, present or absent",
            first=Confidential(with_person(prepared, 0, corner, corner)),
            second=Confidential(prepared),
            copies=1,
            outputs=columns * prepared.rows,
        )
        for word, corner in (("upper", 1.0), ("lower", 0.0))
    )
