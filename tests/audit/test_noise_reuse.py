"""Noise that was used before is seen in a handful of common cells, and independent noise is not accused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.contract import twins
from tests.products.employment_tables import hand_made
from workbench.audit.law_loss import law_of
from workbench.audit.noise_reuse import at_least, by_chance, overlaps
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom
from workbench.noise.declared.scalar import Rounded
from workbench.noise.declared.shapes import PowerShape
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.cell import log_laplace, smooth_gamma, smooth_laplace

CASES = [
    (smooth_gamma.SPEC, "2", "2"),
    (smooth_gamma.SPEC, "2", "1"),
    (smooth_laplace.SPEC, "2", "1"),
    (log_laplace.SPEC, "2", "1"),
    (laplace.SPEC, "0.25", "0.25"),  # at ε 2 this noise is so coarse that cells agree by chance
    (block_gamma.SPEC, "2", "2"),
]


def _released(mechanism: Any, epsilon: str, drawing: Any) -> tuple[Any, Any]:
    cells = hand_made.cells(worker=mechanism is block_gamma.SPEC)
    params = mechanism.params(epsilon=Epsilon(epsilon))
    law = law_of(mechanism, cells, params)
    return law, drawing.release(cells, params, ReleaseRandom(), QUIET).values.ravel()


@pytest.mark.parametrize(("mechanism", "first", "second"), CASES)
def test_that_reused_noise_is_seen(mechanism: Any, first: str, second: str) -> None:
    """Twelve common cells or more, the same words for both; at another ε inversion gives the same noise, rescaled."""
    twin = twins.Reused(mechanism)
    found = overlaps(_released(mechanism, first, twin), _released(mechanism, second, twin))
    assert found is not None
    assert found.cells >= 8
    assert found.reused, found


def test_that_mirrored_noise_is_seen() -> None:
    law, drawn = _released(smooth_gamma.SPEC, "2", smooth_gamma.SPEC)
    found = overlaps((law, drawn), (law, 2 * law.center - drawn))
    assert found is not None and found.reused


def test_that_independent_noise_is_accused_no_more_often_than_the_level_says() -> None:
    rng = np.random.Generator(np.random.PCG64(5))
    scale = np.array([1.2, 1.2, 3.0, 8.0, 20.0, 60.0, 150.0, 400.0])
    law = Rounded(np.zeros(8, dtype=np.int64), scale, PowerShape(4.0))
    chance = by_chance(law, law)
    hits, accused = np.zeros(8), 0
    runs = 300
    for _ in range(runs):
        draws = [np.rint(law.real(rng.random(8) < 0.5, law.shape.size(rng.random(8)))).astype(np.int64) for _ in "ab"]
        found = overlaps((law, draws[0]), (law, draws[1]))
        assert found is not None
        accused += found.reused
        hits += draws[0] == draws[1]
    assert accused <= 2
    assert np.all(np.abs(hits / runs - chance) < 5 * np.sqrt(chance * (1 - chance) / runs) + 0.01)


def test_that_the_tail_of_the_count_is_exact() -> None:
    chance = np.array([0.1, 0.5, 0.9])
    assert at_least(chance, 3) == pytest.approx(0.045)
    assert at_least(chance, 0) == pytest.approx(1.0)
    assert at_least(chance, 1) == pytest.approx(1 - 0.9 * 0.5 * 0.1)
