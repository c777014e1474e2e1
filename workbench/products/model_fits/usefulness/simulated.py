"""Data of any size that look like the prepared ones: rows drawn again, outcomes from the exact fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.randomness import StudyRandom
from workbench.products.model_fits import logit
from workbench.products.model_fits.fit_data import FitData


def simulated(prepared: FitData, people: int, rng: StudyRandom) -> FitData:
    """So many people with predictors drawn from the rows, whose true coefficients are those of the exact fit."""
    rows = rng.generator.integers(0, len(prepared.outcome.reveal()), size=people)
    chance = logit.probability(prepared.design.reveal()[rows], prepared.exact.reveal())
    outcome = (rng.generator.random(people) < chance).astype(np.int64)
    return replace(prepared, grid=Confidential(prepared.grid.reveal()[rows]), outcome=Confidential(outcome), copies=1)
