"""The δ of vector Laplace noise: exact against published figures and sampling, the ceiling above it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workbench.core.arrays import Floats
from workbench.products.employment_tables.mechanisms.block import laplace_delta as block_laplace_delta
from workbench.products.employment_tables.mechanisms.block.laplace_delta import ceiling, exact, kappa_for, least_delta


@pytest.mark.parametrize(("kappa", "delta"), [(0.5, 0.056), (0.6, 0.013), (0.8, 0.0012), (1.0, 2.5e-4)])
def test_that_the_exact_delta_is_what_the_methods_say(kappa: float, delta: float) -> None:
    found = exact(2.0, shift=1 / kappa, ratio=1.1, cells=8)
    assert found == pytest.approx(delta, rel=0.05)
    assert float(f"{found:.2g}") == pytest.approx(delta, rel=1e-9)


PAIRS = [(2.0, 1.9, 1.1, 1), (1.0, 0.9, 1.2, 2), (2.0, 2.5, 1.1, 3), (1.0, 0.8, 1.1, 8), (0.5, 0.4, 1.1, 8)]


def sampled(epsilon: float, shift: Floats, ratio: float, seed: int) -> tuple[float, float]:
    """The larger hockey-stick direction from draws of the two laws, and its standard error."""
    cells = len(shift)
    noise = np.random.default_rng(seed).laplace(size=(400_000, cells))
    up = -cells * math.log(ratio) + np.abs(shift + ratio * noise).sum(axis=1) - np.abs(noise).sum(axis=1)
    down = cells * math.log(ratio) + np.abs(noise - shift).sum(axis=1) / ratio - np.abs(noise).sum(axis=1)
    lost = [np.maximum(-np.expm1(epsilon - loss), 0.0) for loss in (up, down)]
    larger = max(lost, key=lambda values: float(values.mean()))
    return float(larger.mean()), float(larger.std() / math.sqrt(len(larger)))


@pytest.mark.parametrize(("epsilon", "shift", "ratio", "cells"), PAIRS)
def test_that_the_exact_delta_is_that_of_the_draws(epsilon: float, shift: float, ratio: float, cells: int) -> None:
    along = np.zeros(cells)
    along[0] = shift
    seen, error = sampled(epsilon, along, ratio, 1)
    assert abs(exact(epsilon, shift=shift, ratio=ratio, cells=cells) - seen) < 4.5 * error


@pytest.mark.parametrize("spread", [(0.5, 0.5), (0.9, 0.1), (0.25, 0.25, 0.25, 0.25), (0.7, 0.2, 0.1)])
@pytest.mark.parametrize(("epsilon", "shift", "ratio"), [(2.0, 1.7, 1.1), (1.0, 1.3, 1.2), (0.5, 0.45, 1.05)])
def test_that_one_kind_of_worker_is_the_worst_shift_tried(
    epsilon: float, shift: float, ratio: float, spread: tuple[float, ...]
) -> None:
    seen, error = sampled(epsilon, shift * np.array(spread), ratio, 2)
    assert seen < exact(epsilon, shift=shift, ratio=ratio, cells=len(spread)) + 4.5 * error


@pytest.mark.parametrize(("epsilon", "shift", "ratio", "cells"), PAIRS)
def test_that_the_ceiling_lies_above_and_at_most_about_twice_as_high(
    epsilon: float, shift: float, ratio: float, cells: int
) -> None:
    high = ceiling(epsilon, shift=shift, ratio=ratio, cells=cells)
    assert 1.0 <= high / exact(epsilon, shift=shift, ratio=ratio, cells=cells) <= 2.0 + 1e-9


@pytest.mark.parametrize(("epsilon", "shift", "ratio", "cells"), PAIRS)
def test_that_the_ceiling_is_the_best_threshold_on_the_radius(
    epsilon: float, shift: float, ratio: float, cells: int
) -> None:
    """Both directions as suprema over thresholds, searched on a grid with scipy's gamma law."""
    from scipy.stats import gamma

    at, weight = np.linspace(0.0, 120.0, 200_001), math.exp(epsilon - shift)
    up = gamma.sf(at / ratio, cells) - weight * gamma.sf(at, cells)
    down = gamma.cdf(at, cells) - weight * gamma.cdf(at / ratio, cells)
    best = max(float(up.max()), float(down.max()))
    assert ceiling(epsilon, shift=shift, ratio=ratio, cells=cells) == pytest.approx(best, rel=1e-5)


def test_that_both_bounds_grow_with_shift_and_with_the_change_of_scale() -> None:
    for bound in (ceiling, exact):
        by_shift = [bound(2.0, shift=shift, ratio=1.1, cells=8) for shift in np.linspace(0.2, 3.0, 15)]
        by_ratio = [bound(2.0, shift=1.5, ratio=ratio, cells=8) for ratio in np.linspace(1.0, 1.3, 16)]
        assert by_shift == sorted(by_shift)
        assert by_ratio == sorted(by_ratio)


@pytest.mark.parametrize("cells", [1, 2, 8])
@pytest.mark.parametrize("delta", [0.01, 0.001, 1e-5])
def test_that_the_calibrated_noise_reaches_its_ceiling(cells: int, delta: float) -> None:
    kappa = kappa_for(2.0, delta, 0.1, cells)
    assert kappa is not None
    assert ceiling(2.0, shift=1 / kappa, ratio=1.1, cells=cells) == pytest.approx(delta, rel=1e-6)
    assert exact(2.0, shift=1 / kappa, ratio=1.1, cells=cells) <= delta


def test_that_a_delta_below_the_cost_of_the_scale_alone_is_infeasible() -> None:
    least = least_delta(2.0, 0.1, 8)
    assert kappa_for(2.0, least * 0.99, 0.1, 8) is None
    assert kappa_for(2.0, least * 1.2, 0.1, 8) is not None


@pytest.mark.parametrize("cells", [1, 8, 500])
def test_that_gamma_tails_are_those_of_the_library_at_every_distance(cells: int) -> None:
    from scipy.special import gammainc, gammaincc

    for time in (1e-6, 0.3, 1.0, 7.9, 8.1, 499.0, 501.0, 800.0, 4e8):
        beyond, within = gammaincc(cells, time), gammainc(cells, time)
        if beyond > 1e-250:
            assert block_laplace_delta._waits(cells, time) == pytest.approx(beyond, rel=1e-11)
        if within > 1e-250:
            assert block_laplace_delta._arrives(cells, time) == pytest.approx(within, rel=1e-11)
