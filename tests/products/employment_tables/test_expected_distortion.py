"""Today's expected error in closed form, against many draws of the factors."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.baselines.alternatives import CellValues, error_of
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.noise_infusion import SPEC, NoiseInfusionParams
from workbench.products.employment_tables.usefulness.evaluation import Ground
from workbench.products.employment_tables.usefulness.workloads import Workload
from workbench.tabulation.factors import Shape

DRAWS = 400


@pytest.mark.parametrize(
    "settings",
    [{}, {"least": Decimal("0.1"), "most": Decimal("0.25")}, {"rounded": False}, {"shape": Shape.UNIFORM}],
    ids=["default", "wide", "unrounded", "uniform"],
)
def test_that_the_closed_form_is_the_mean_over_many_factors(settings: dict[str, Any]) -> None:
    cells, params = hand_made.cells(worker=True), NoiseInfusionParams(**settings)
    true = cells.count.reveal()
    drawn = [SPEC.protect(cells, params, StudyRandom(seed), QUIET).values for seed in range(DRAWS)]
    first = drawn[0]
    assert isinstance(first, CellValues)
    told = first.expected_error
    seen = np.abs(np.stack([values.reveal() for values in drawn]) - true)
    off = np.abs(seen.mean(axis=0) - told.mean)
    assert np.all(off < 5 * np.maximum(seen.std(axis=0), told.deviation) / np.sqrt(DRAWS) + 0.01)
    spread = told.spread(np.ones(len(true), dtype=np.bool_))
    assert seen.sum(axis=1).std() == pytest.approx(spread, rel=0.2)


def test_that_the_ratio_does_not_depend_on_the_draw_of_the_factors() -> None:
    cells, params = hand_made.cells(worker=False), NoiseInfusionParams()
    grounds = [
        Ground(Workload(title="", cells=cells, baseline=SPEC.protect(cells, params, StudyRandom(seed), QUIET).values))
        for seed in (1, 2)
    ]
    assert grounds[0].baseline_error == pytest.approx(grounds[1].baseline_error, rel=1e-12)
    assert grounds[0].baseline_spread > 0


def test_that_values_without_factors_are_off_by_what_they_are_off_by() -> None:
    found = error_of(Confidential(np.array([1.0, 5.0])), np.array([2.0, 5.0]))
    assert found.mean.tolist() == [1.0, 0.0]
    assert found.spread(np.ones(2, dtype=np.bool_)) == 0.0
