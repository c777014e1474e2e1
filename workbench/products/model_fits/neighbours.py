"""Neighbours of a fit: everybody, and everybody with one more person at a corner of the declared bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.model_fits.fit_data import GRID, FitData


def with_person(prepared: FitData, corner: int, outcome: int) -> FitData:
    """The same people and one more, every predictor at its upper (1) or lower (−1) bound."""
    row = np.full((1, prepared.coefficients), corner * GRID, dtype=np.int64)
    row[0, 0] = GRID
    return replace(
        prepared,
        grid=Confidential(np.concatenate([prepared.grid.reveal(), row])),
        outcome=Confidential(np.append(prepared.outcome.reveal(), outcome)),
    )


def one_more(prepared: FitData) -> tuple[NeighbourPair, ...]:
    """Two pairs, one copy each: a fit uses all its data at once."""
    return tuple(
        NeighbourPair(
            description=f"one person with every predictor at its {word} bound and outcome {outcome}, present or absent",
            first=Confidential(with_person(prepared, corner, outcome)),
            second=Confidential(prepared),
            copies=1,
            outputs=2 * prepared.coefficients,
        )
        for word, corner, outcome in (("upper", 1, 0), ("lower", -1, 1))
    )
