"""Neighbours of a fit: a few people, and the same with one more person at a corner of the declared bounds.

The few are made up, so that many independent fits of them can be drawn at once. They are as few as can be, because one
person weighs most among few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.model_fits.fit_data import GRID, FitData
from workbench.products.model_fits.mechanisms.published_fit import COLUMNS

_MOST_VALUES = 4_000_000  # people × copies that are drawn at once
Person = tuple[int, int]  # the corner at which every predictor lies (1 or −1), and the outcome


def with_people(prepared: FitData, people: Sequence[Person]) -> FitData:
    """The same people and some more, every predictor at its upper (1) or lower (−1) bound."""
    corners = np.array([corner for corner, _ in people], dtype=np.int64).reshape(-1, 1)
    rows = np.broadcast_to(corners * GRID, (len(people), prepared.coefficients)).copy()
    rows[:, 0] = GRID
    outcome = np.array([y for _, y in people], dtype=np.int64)
    return replace(
        prepared,
        grid=Confidential(np.concatenate([prepared.grid.reveal(), rows])),
        outcome=Confidential(np.concatenate([prepared.outcome.reveal(), outcome])),
    )


def nobody(prepared: FitData, copies: int = 1) -> FitData:
    """The declared predictors without anybody in the data."""
    return replace(
        prepared,
        grid=Confidential(np.zeros((0, prepared.coefficients), np.int64)),
        outcome=Confidential(np.zeros(0, np.int64)),
        copies=copies,
    )


def pair_of(prepared: FitData, few: Sequence[Person], more: Person, *, copies: int, words: str) -> NeighbourPair:
    """Some people with and without one more, in as many copies as fit."""
    many = max(1, min(copies, _MOST_VALUES // (len(few) + 1)))
    base = with_people(nobody(prepared, many), few)
    return NeighbourPair(
        description=words,
        first=Confidential(with_people(base, [more])),
        second=Confidential(base),
        copies=many,
        outputs=COLUMNS * prepared.coefficients,
    )


def one_more(prepared: FitData, copies: int) -> tuple[NeighbourPair, ...]:
    """One person among nobody, and one among two."""
    return (
        pair_of(
            prepared, (), (1, 1), copies=copies,
            words="one person with every predictor at its upper bound and outcome 1, alone or absent",
        ),
        pair_of(
            prepared, ((1, 1), (-1, 0)), (-1, 1), copies=copies,
            words="one person with every predictor at its lower bound and outcome 1, among two others or absent",
        ),
    )  # fmt: skip
