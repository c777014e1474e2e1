"""The heavy tail of block noise: its loss, its calibration and its moments, each by a second route."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from workbench.core.arrays import Floats
from workbench.products.employment_tables.mechanisms.block.rounding import mean_rounded
from workbench.products.employment_tables.mechanisms.block.steps import growth, steps_of
from workbench.products.employment_tables.mechanisms.block.tail import (
    Tail,
    best_tail,
    kappa_for,
    least_epsilon,
    loss_along_ray,
    spent,
)

CASES = [(2.0, 0.1, 8), (2.0, 0.1, 1), (1.0, 0.1, 2), (4.0, 0.2, 8), (0.5, 0.05, 4), (2.0, 0.1, 20)]


def known(epsilon: float, alpha: float, cells: int) -> Tail:
    tail = best_tail(epsilon, alpha, cells)
    assert tail is not None
    return tail


@pytest.mark.parametrize(
    ("cells", "epsilon", "exponent", "kappa", "error"),
    [(8, 2.0, 11.2, 4.34, 0.733), (8, 4.0, 11.6, None, 0.327), (4, 2.0, 6.8, None, 0.738)],
)
def test_that_the_density_with_one_exponent_costs_what_the_methods_say(
    cells: int, epsilon: float, exponent: float, kappa: float | None, error: float
) -> None:
    g = np.array([exponent])
    found = float(kappa_for(epsilon, 0.1, cells=cells, exponent=g, sharpness=g)[0])
    length = math.sin(math.pi * cells / exponent) / math.sin(math.pi * (cells + 1) / exponent)
    assert found * length / cells == pytest.approx(error, abs=5e-4)
    if kappa is not None:
        assert found == pytest.approx(kappa, abs=5e-3)


def test_that_one_cell_with_the_fourth_power_is_smooth_gamma() -> None:
    four = np.array([4.0])
    tight = max(((math.exp(2 / 3) - r) ** 3 * (r - math.exp(-2))) ** -0.25 for r in (1.0, 1.1))
    assert float(kappa_for(2.0, 0.1, cells=1, exponent=four, sharpness=four)[0]) == pytest.approx(tight, rel=1e-9)


def test_that_the_best_tail_beats_every_density_with_one_exponent() -> None:
    for epsilon, alpha, cells in CASES:
        exponents = np.linspace(cells + 1.01, cells + epsilon / math.log1p(alpha) - 0.01, 300)
        kappa = kappa_for(epsilon, alpha, cells=cells, exponent=exponents, sharpness=exponents)
        length = np.sin(np.pi * cells / exponents) / np.sin(np.pi * (cells + 1) / exponents)
        assert known(epsilon, alpha, cells).error_per_scale < 0.95 * (kappa * length / cells).min()


def test_that_eight_cells_at_two_and_a_tenth_cost_as_documented() -> None:
    assert known(2.0, 0.1, 8).error_per_scale == pytest.approx(0.552, abs=5e-4)


@pytest.mark.parametrize(("epsilon", "alpha", "cells"), CASES)
def test_that_the_largest_loss_over_all_outputs_is_epsilon(epsilon: float, alpha: float, cells: int) -> None:
    """The curve along the worst ray, without the closed form, over scale changes between the ends too."""
    tail = known(epsilon, alpha, cells)
    t = np.concatenate([[0.0], np.geomspace(1e-6, 1e8, 200_001)])
    worst = [
        max(float(side.max()) for side in loss_along_ray(t, shift=1 / tail.kappa, ratio=ratio, tail=tail))
        for ratio in np.linspace(1.0, 1.0 + alpha, 9)
    ]
    assert max(worst) == pytest.approx(epsilon, rel=1e-6)
    assert max(worst) <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("cells", [2, 5])
def test_that_no_output_in_many_dimensions_gives_away_more_than_the_ray(cells: int) -> None:
    """Random vectors and shifts of all directions, with densities written down anew."""
    rng = np.random.default_rng(3)
    tail = known(2.0, 0.1, cells)
    seen = 0.0
    for ratio in (1.0, 1.04, 1.1):
        for _ in range(30):
            shift = rng.dirichlet(np.full(cells, 0.4)) / tail.kappa
            at = rng.standard_normal((4000, cells)) * np.exp(1.5 * rng.standard_normal((4000, 1)))
            at[:2000] = shift * 20 * rng.standard_normal((2000, 1))
            loss = log_density(at, tail) - log_density((at - shift) / ratio, tail) + cells * math.log(ratio)
            seen = max(seen, float(np.abs(loss).max()))
    assert 1.99 < seen <= 2.0 * (1 + 1e-12)


def log_density(z: Floats, tail: Tail) -> Floats:
    value: Floats = -tail.exponent / tail.sharpness * np.log1p(np.abs(z).sum(axis=1) ** tail.sharpness)
    return value


@pytest.mark.parametrize(("epsilon", "alpha", "cells"), CASES)
def test_that_the_spent_loss_of_any_pair_is_the_largest_on_its_curve(epsilon: float, alpha: float, cells: int) -> None:
    rng = np.random.default_rng(5)
    tail = known(epsilon, alpha, cells)
    shift = np.exp(rng.normal(-1.0, 1.5, 40))
    ratio = np.concatenate([np.ones(10), np.exp(rng.uniform(0, 0.3, 30))])
    t = np.concatenate([[0.0], np.geomspace(1e-8, 1e10, 100_001)])
    curves = [loss_along_ray(t, shift=s, ratio=r, tail=tail) for s, r in zip(shift, ratio, strict=True)]
    brute = np.array([max(float(side.max()) for side in sides) for sides in curves])
    assert spent(shift, ratio, tail) == pytest.approx(brute, rel=1e-5)


@pytest.mark.parametrize("alpha", ["0.1", "0.35"])
@pytest.mark.parametrize("cells", [1, 4])
def test_that_no_step_of_any_establishment_costs_more_than_the_three_kinds(alpha: str, cells: int) -> None:
    """All establishments up to the largest, all whole steps, both directions, with and without overtaking."""
    share = Fraction(alpha)
    tail = known(3.0, float(share), cells)
    sizes = np.array([0, 1, 2, 3, 9, 10, 11, 19, 20, 29, 57, 100])
    steps = steps_of(sizes, Decimal(alpha))
    bound = spent(steps.shift(tail.kappa), steps.ratio, tail).max(axis=0)
    for size, most in zip(sizes.tolist(), bound, strict=True):
        pairs = np.array(list(every_step(size, share)), dtype=np.float64)
        before, after = (np.maximum(float(share) * pairs[:, i], 1.0) for i in (1, 2))
        losses = spent(pairs[:, 0] / (tail.kappa * before), after / before, tail)
        assert losses.max() == pytest.approx(most, rel=1e-9)


def every_step(largest: int, share: Fraction) -> set[tuple[int, int, int]]:
    """(workers gained, largest before, largest after) of every step from or to a cell with this largest size."""
    found = set()
    for size in range(largest + 1):
        for gained in range(1, growth(size, share) + 1):
            found.add((gained, largest, max(largest, size + gained)))
        for lost in range(1, size + 1):
            if lost <= growth(size - lost, share):
                lows = range(size - lost, largest + 1) if size == largest else (largest,)
                found.update((lost, low, largest) for low in lows)
    return found


@pytest.mark.parametrize(("alpha", "cells"), [(0.1, 8), (0.2, 3), (0.1, 1), (0.01, 50)])
def test_that_it_is_feasible_just_above_the_least_epsilon_and_not_below(alpha: float, cells: int) -> None:
    least = least_epsilon(alpha, cells)
    assert best_tail(least * 0.999, alpha, cells) is None
    tail = best_tail(least * 1.05, alpha, cells)
    assert tail is not None
    assert math.isfinite(tail.error_per_scale)


@pytest.mark.parametrize(("epsilon", "alpha", "cells"), CASES)
def test_that_the_moments_are_those_of_the_radius(epsilon: float, alpha: float, cells: int) -> None:
    from scipy.integrate import quad

    tail = known(epsilon, alpha, cells)

    def integral(power: float) -> float:
        def weight(log_t: float) -> float:
            tail_part = tail.exponent / tail.sharpness * np.logaddexp(0.0, tail.sharpness * log_t)
            return math.exp((cells + power) * log_t - float(tail_part))

        return sum(quad(weight, low, low + 5, epsabs=0, epsrel=1e-11)[0] for low in range(-60, 200, 5))

    assert tail.moment(1.0) == pytest.approx(integral(1.0) / integral(0.0), rel=1e-8)


@pytest.mark.parametrize("cells", [1, 2, 8])
def test_that_the_error_with_rounding_is_the_sum_over_integers(cells: int) -> None:
    """E|round(σz)| from many draws of gamma and Dirichlet variates, and σ·E t/d for large σ."""
    rng = np.random.default_rng(7)
    tail = known(2.0, 0.1, cells)
    radius = rng.gamma(float(tail.core), size=400_000) / rng.gamma(float(tail.far), size=400_000)
    share = rng.beta(1, cells - 1, size=400_000) if cells > 1 else 1.0
    size = radius ** (1 / tail.sharpness) * share
    for scale in (0.7, tail.kappa, 3 * tail.kappa):
        drawn = np.rint(scale * size)
        expected = float(mean_rounded(np.array([scale]), tail)[0])
        assert abs(drawn.mean() - expected) < 4.5 * drawn.std() / math.sqrt(len(drawn))
    large = np.array([500.0, 1e6]) * tail.kappa
    assert mean_rounded(large, tail) == pytest.approx(large / tail.kappa * tail.error_per_scale, rel=1e-6)


@pytest.mark.parametrize("cells", [1, 2, 8])
def test_that_the_error_has_no_step_where_the_closed_form_takes_over(cells: int) -> None:
    tail = known(2.0, 0.1, cells)
    edge = 40.0 / tail.moment(1.0) * cells
    below, above = mean_rounded(np.array([edge * (1 - 1e-9), edge * (1 + 1e-9)]), tail)
    assert below == pytest.approx(above, abs=2e-3)
