"""Distortion factors: closed forms against published values, quadrature and sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.baselines import distortion
from workbench.tabulation.factors import Shape, quantile

BOUNDS = [(0.05, 0.25), (0.1, 0.2), (0.01, 0.15), (0.07, 0.09)]


def test_that_the_ramp_gives_the_published_values(golden: Any) -> None:
    table = golden("ramp")
    for case in table["cases"]:
        inputs = case["inputs"]
        bounds: dict[str, Any] = {"least": inputs["A"], "most": inputs["B"], "shape": Shape.RAMP}
        found = {"mean_abs": distortion.mean_absolute(**bounds), "var": distortion.variance(**bounds)}
        if "d" in inputs:
            at = np.array([inputs["d"]], dtype=np.float64)
            found["pdf"] = float(distortion.density(at, **bounds)[0])
            found["cdf"] = float(distortion.cumulative(at, **bounds)[0])
        if "u" in inputs:
            found["quantile"] = float(quantile(np.array([inputs["u"]]), **bounds)[0])
        for name, expected in case["expected"].items():
            assert found[name] == pytest.approx(expected, rel=table["rtol"], abs=1e-14)


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize(("least", "most"), BOUNDS)
def test_that_moments_and_probabilities_are_integrals_of_the_density(least: float, most: float, shape: Shape) -> None:
    from scipy.integrate import quad

    bounds: dict[str, Any] = {"least": least, "most": most, "shape": shape}

    def integral(of: Any, low: float, high: float) -> float:
        found: float = quad(lambda f: of(f) * float(distortion.density(np.array([f]), **bounds)[0]), low, high)[0]
        return found

    sides = ((1 - most, 1 - least), (1 + least, 1 + most))
    assert sum(integral(lambda _: 1.0, *side) for side in sides) == pytest.approx(1.0, rel=1e-9)
    assert sum(integral(lambda f: abs(f - 1), *side) for side in sides) == pytest.approx(
        distortion.mean_absolute(**bounds), rel=1e-9
    )
    assert sum(integral(lambda f: (f - 1) ** 2, *side) for side in sides) == pytest.approx(
        distortion.variance(**bounds), rel=1e-9
    )
    middle = 1 - most + 0.3 * (most - least)
    assert integral(lambda _: 1.0, 1 - most, middle) == pytest.approx(
        float(distortion.cumulative(np.array([middle]), **bounds)[0]), rel=1e-9
    )


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize(("least", "most"), BOUNDS)
def test_that_the_quantile_undoes_the_distribution_function(least: float, most: float, shape: Shape) -> None:
    bounds: dict[str, Any] = {"least": least, "most": most, "shape": shape}
    uniforms = np.linspace(0.001, 0.999, 998)
    factors = quantile(uniforms, **bounds)
    assert distortion.cumulative(factors, **bounds) == pytest.approx(uniforms, abs=1e-12)
    assert np.all(np.diff(factors) > 0)
    assert np.all((np.abs(factors - 1) >= least - 1e-15) & (np.abs(factors - 1) <= most + 1e-15))


@pytest.mark.parametrize("shape", list(Shape))
def test_that_factors_drawn_by_quantile_have_the_distribution(shape: Shape) -> None:
    from scipy.stats import kstest

    bounds: dict[str, Any] = {"least": 0.05, "most": 0.15, "shape": shape}
    uniforms = np.random.Generator(np.random.PCG64(3)).random(50_000)
    factors = quantile(uniforms, **bounds)
    assert kstest(factors, lambda f: distortion.cumulative(np.asarray(f), **bounds)).pvalue > 1e-4
    assert np.abs(factors - 1).mean() == pytest.approx(distortion.mean_absolute(**bounds), rel=0.01)
