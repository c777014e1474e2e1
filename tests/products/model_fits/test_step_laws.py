"""What sampled steps cost, by integrating their laws: a second route to the accounting, both directions.

The worst pair of a step is N(0, σ²) against (1 − q)·N(0, σ²) + q·N(1, σ²) in one dimension, steps independent
(Mironov, Talwar and Zhang 2019; Zhu, Dong and Wang 2022).
"""

from __future__ import annotations

import numpy as np
import pytest

from workbench.products.model_fits.mechanisms import step_accounting


def exact_delta(sampling: float, sigma: float, steps: int, epsilon: float) -> float:
    """The larger hockey-stick value of the two directions, on a grid."""
    axis = np.linspace(-9 * sigma, 1 + 9 * sigma, {1: 400_001, 2: 1501}[steps])
    width = axis[1] - axis[0]
    without = np.exp(-(axis**2) / (2 * sigma**2)) / (sigma * np.sqrt(2 * np.pi))
    moved = np.exp(-((axis - 1) ** 2) / (2 * sigma**2)) / (sigma * np.sqrt(2 * np.pi))
    with_ = (1 - sampling) * without + sampling * moved
    first, second = (law if steps == 1 else np.outer(law, law) for law in (with_, without))
    return max(
        float(np.maximum(p - np.exp(epsilon) * q, 0.0).sum()) * width**steps
        for p, q in ((first, second), (second, first))
    )


@pytest.mark.parametrize(("sampling", "sigma", "steps"), [(0.3, 0.8, 1), (0.05, 0.6, 1), (1.0, 2.0, 1), (0.3, 0.8, 2)])
def test_that_the_claimed_epsilon_keeps_delta_and_little_less_would_not(
    sampling: float, sigma: float, steps: int
) -> None:
    delta = 1e-3
    epsilon = float(step_accounting.upwards(step_accounting.epsilon_by_pld(sampling, sigma, steps, delta)))
    assert exact_delta(sampling, sigma, steps, epsilon) <= delta * (1 + 1e-6)
    assert exact_delta(sampling, sigma, steps, 0.99 * epsilon) > delta, "the bound is tight"
    assert step_accounting.epsilon_by_renyi(sampling, sigma, steps, delta) >= epsilon - 2e-4


@pytest.mark.parametrize(("sampling", "sigma", "steps", "delta"), [(0.01, 1.1, 1000, 1e-5), (0.05, 4.376, 400, 1e-6)])
def test_that_renyi_accounting_agrees_with_that_of_dp_accounting(
    sampling: float, sigma: float, steps: int, delta: float
) -> None:
    from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(orders=step_accounting.ORDERS.tolist())
    accountant.compose(SelfComposedDpEvent(PoissonSampledDpEvent(sampling, GaussianDpEvent(sigma)), steps))
    found = step_accounting.epsilon_by_renyi(sampling, sigma, steps, delta)
    assert found == pytest.approx(accountant.get_epsilon(delta), rel=1e-9)
