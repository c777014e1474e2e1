"""Posterior means: published values, a second route by enumeration, and the limits of floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from workbench.products.commuting_flows.noisy_flows.posterior import (
    Noisy,
    fitted,
    means,
    report_means,
    shape_of,
    sums,
)


def noisy(y: int, mu: float, scale: float, top: int | None = None) -> Noisy:
    cut = None if top is None else np.array([top])
    return Noisy(drawn=np.array([y]), mean=np.array([mu]), share=np.array([0.1]), scale=np.array([scale]), top=cut)


def test_that_posterior_means_have_the_published_values(golden: Any) -> None:
    for case in golden("flows_posterior_mean")["cases"]:
        asked, expected = case["inputs"], case["expected"]
        one = noisy(asked["y"], float(asked["mu"]), 1.0 / asked["eps_cell"], asked.get("top"))
        mean, marginal = sums(one, np.array([float(asked["r"])]))
        assert mean[0] == pytest.approx(expected["posterior_mean"], rel=1e-12)
        assert marginal[0] == pytest.approx(expected["log_marginal"], rel=1e-12)


def test_that_means_of_reports_have_the_published_values(golden: Any) -> None:
    for case in golden("flows_report_posterior")["cases"]:
        asked, expected = case["inputs"], case["expected"]
        mu, reports = np.array([asked["mu"]]), np.array([asked["R"]], dtype=float)
        found = report_means(mu, reports, np.array([[expected["p"]]]), np.array([[expected["l"]]]))
        assert found[0] == pytest.approx(expected["xhat"], rel=1e-12)
        assert found.sum() == pytest.approx(reports.sum())


def by_hand(y: int, mu: float, r: float, e: float) -> tuple[float, float]:
    """Mean and ln Σ P(x)·P(y − x), straight from the definition, with gamma functions in logarithms."""
    logs = [
        math.lgamma(x + r) - math.lgamma(r) - math.lgamma(x + 1) + x * math.log(mu / (r + mu)) - e * abs(y - x)
        for x in range(3000)
    ]
    most = max(logs)
    weights = [math.exp(log - most) for log in logs]
    total = math.fsum(weights)
    likely = most + math.log(total) - r * math.log1p(mu / r) + math.log(math.tanh(e / 2.0))
    return sum(x * w for x, w in enumerate(weights)) / total, likely


@pytest.mark.parametrize(
    ("y", "mu", "r", "e"),
    [(240, 3.0, 0.01, 0.5), (249, 0.01, 400.0, 3.2), (-60, 200.0, 5.0, 0.3), (100, 240.0, 0.3, 12.0), (3, 1e-9, 2, 40)],
)
def test_that_far_apart_counts_and_means_neither_overflow_nor_vanish(y: int, mu: float, r: float, e: float) -> None:
    mean, marginal = sums(noisy(y, mu, 1.0 / e), np.array([r]))
    assert mean[0] == pytest.approx(by_hand(y, mu, r, e)[0], rel=1e-9)
    assert np.isfinite(marginal[0])


def test_that_large_counts_agree_with_the_sum_that_they_replace() -> None:
    mean, _ = sums(noisy(400, 380.0, 1.0), np.array([20.0]))
    assert mean[0] == pytest.approx(by_hand(400, 380.0, 20.0, 1.0)[0], rel=0.01)


def test_that_the_fit_finds_how_far_counts_stray_from_the_prior() -> None:
    rng = np.random.default_rng(5)
    share = np.full(8_000, 0.01)
    mean = rng.uniform(0.5, 20.0, len(share))
    for tau, kappa in ((0.6, 1e5), (0.05, 30.0)):
        shape = shape_of(share, tau, kappa)
        true = rng.poisson(rng.gamma(shape, mean / shape))
        noise = rng.geometric(0.6, len(mean)) - rng.geometric(0.6, len(mean))
        scale = np.full(len(mean), -1.0 / math.log(0.4))
        found = fitted(Noisy(drawn=true + noise, mean=mean, share=share, scale=scale))
        assert shape_of(share[:1], *found)[0] == pytest.approx(shape[0], rel=0.3)


def test_that_closed_forms_of_small_counts_are_the_sums_that_they_replace() -> None:
    """Below zero, a little above, and where a difference would lose its digits; e^1 lies within rounding of a limit."""
    grid = [
        (y, mu, r, e)
        for y in range(-4, 7)
        for mu in (1e-7, 0.02, 0.9, 7.0, 120.0)
        for r in (1e-6, 0.3, 5.0, 400.0)
        for e in (0.05, 0.7, 1.0, 3.2, 9.0, 60.0)
    ]
    drawn, mean, shape, rate = (np.array(column, dtype=float) for column in zip(*grid, strict=True))
    asked = Noisy(drawn=drawn.astype(np.int64), mean=mean, share=np.full(len(mean), 0.1), scale=1.0 / rate)
    expected, marginal = sums(asked, shape)
    by_definition, likely = (np.array(column) for column in zip(*(by_hand(*each) for each in grid), strict=True))
    assert np.allclose(expected, by_definition, rtol=1e-8, atol=0.0)
    assert np.allclose(marginal, likely, rtol=1e-9, atol=1e-9)
    assert np.array_equal(means(asked, shape), expected)
    for e in (0.7, 3.2):
        some = rate == e
        alone = Noisy(drawn=asked.drawn[some], mean=mean[some], share=asked.share[some], scale=1.0 / e)
        assert np.allclose(means(alone, shape[some]), by_definition[some], rtol=1e-8, atol=0.0)
