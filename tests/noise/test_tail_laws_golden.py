"""Smooth Gamma's law: density, distribution, quantiles and moments are the golden ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from workbench.noise.rounded_error import mean_of_power
from workbench.noise.tail_laws import PowerTail

LAW = PowerTail(4)


def test_that_density_distribution_and_quantiles_are_the_golden_ones(golden: Any) -> None:
    for case in golden("smoothgamma_dist")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        if "z" in inputs and "pdf" in expected:
            z = np.array([abs(float(inputs["z"]))])
            tail = float(LAW.survival(z)[0]) / 2.0
            assert float(LAW.density(z)[0]) / 2.0 == pytest.approx(expected["pdf"], rel=1e-10)
            assert (1.0 - tail if inputs["z"] > 0 else tail) == pytest.approx(expected["cdf"], rel=1e-10)
        if "u" in inputs:
            u = inputs["u"]
            z = LAW.quantile(np.array([2.0 * min(u, 1.0 - u)]), 4)
            assert math.copysign(float(z[0]), u - 0.5) == pytest.approx(expected["quantile"], rel=1e-10, abs=1e-12)


def test_that_the_constants_are_the_golden_ones(golden: Any) -> None:
    from scipy.integrate import quad

    for case in golden("smoothgamma_constants")["cases"]:
        inputs, expected = case["inputs"], case["expected"]["value"]
        if inputs["what"] == "c":
            assert float(LAW.density(np.zeros(1))[0]) / 2.0 == pytest.approx(expected, rel=1e-10)
        elif inputs["what"] in ("abs_moment", "Var"):
            order = inputs.get("k", 2)
            near, far = (
                quad(lambda z: z**order * float(LAW.density(np.array([z]))[0]), *ends, epsabs=0, epsrel=1e-10)[0]  # noqa: B023
                for ends in ((0.0, 1.0), (1.0, 50.0))
            )
            peak = float(LAW.density(np.zeros(1))[0])
            rest = sum((-1) ** j * peak * 50.0 ** (order - 3 - 4 * j) / (3 + 4 * j - order) for j in range(4))
            assert near + far + rest == pytest.approx(expected, rel=1e-7)
    assert mean_of_power(4.0) == pytest.approx(1 / math.sqrt(2), rel=1e-12)


def test_that_the_density_sums_over_integers_to_the_golden_normaliser(golden: Any) -> None:
    for case in golden("smoothgamma_discrete")["cases"]:
        scale, expected = case["inputs"]["s"], case["expected"]
        k = np.arange(1, 200_001) / scale
        peak = float(LAW.density(np.zeros(1))[0])
        rest = 2.0 * scale / 3.0 * (200_000.5 / scale) ** -3
        total = 1.0 + 2.0 * float(LAW.density(k).sum()) / peak + rest
        assert total == pytest.approx(expected["normaliser"], rel=1e-10)
        assert 1.0 / total == pytest.approx(expected["pmf0"], rel=1e-10)
        assert float(LAW.density(np.array([3.0 / scale]))[0]) / peak / total == pytest.approx(
            expected["pmf3"], rel=1e-10
        )
