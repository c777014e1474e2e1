"""Maximum observed sensitivity: the published formulas, and what they lose, by closed form and by quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from workbench.mechanisms.observed_sensitivity import losses, noise


def test_that_a_release_has_the_published_scales(golden: Any) -> None:
    table = golden("mos_release")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        sizes, local = np.array(inputs["N"]), np.array(inputs["LS"])
        pool = np.zeros(len(sizes), np.int64)
        chi = noise.largest_by_pool(sizes, local, pool, 1)
        scale = noise.scales(sizes, chi[pool], inputs["eps"])
        error = noise.published_error(np.array(inputs["se"]), scale)
        assert chi[0] == pytest.approx(expected["chi"], rel=table["rtol"])
        assert scale == pytest.approx(expected["scale"], rel=table["rtol"])
        assert math.sqrt(2) * scale == pytest.approx(expected["noise_sd"], rel=table["rtol"])
        assert error == pytest.approx(expected["se_pub"], rel=table["rtol"])


def test_that_each_pool_has_its_own_setting_cell() -> None:
    sizes, local = np.array([10, 20, 30, 5]), np.array([0.5, 0.1, 0.1, 1.0])
    pool = np.array([0, 1, 1, 0])
    assert noise.largest_by_pool(sizes, local, pool, 3).tolist() == [5.0, 3.0, 0.0]
    assert noise.setting_cell(sizes, local, pool, 3).tolist() == [0, 2, -1]


def test_that_the_conditional_delta_has_the_published_values(golden: Any) -> None:
    for case in golden("mos_conditional_delta")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        shift = inputs["theta_shift"] / inputs["chi"]
        given, taken = losses.conditional_delta(size=inputs["N"], epsilon=inputs["eps"], shift=shift)
        assert taken == pytest.approx(expected["delta_without_to_with"], rel=case["rtol"])
        if "delta_with_to_without" in expected:
            assert given == pytest.approx(expected["delta_with_to_without"], rel=case["rtol"], abs=1e-12)


def test_that_the_least_delta_has_the_published_value_and_does_not_depend_on_epsilon(golden: Any) -> None:
    case = golden("mos_conditional_delta_closed_form")["cases"][0]
    size = case["inputs"]["N"]
    assert losses.least_delta(size) == pytest.approx(case["expected"]["delta"], rel=case["rtol"])
    for epsilon in (1.0, 4.0, 8.0):
        at_shift = losses.conditional_delta(size=size, epsilon=epsilon, shift=1.0 / size)
        assert max(at_shift) == pytest.approx(losses.least_delta(size), rel=1e-9)


@pytest.mark.parametrize(("size", "expected"), [(6, (0.091, 0.308, 0.519)), (20, (0.026, 0.098, 0.186))])
def test_that_somebody_who_joins_costs_far_more(size: int, expected: tuple[float, ...]) -> None:
    found = [losses.joining_delta(size, epsilon) for epsilon in (1.0, 4.0, 8.0)]
    assert found == pytest.approx(expected, abs=6e-4)
    for epsilon, delta in zip((4.0, 8.0), found[1:], strict=True):
        c = math.log(size / (size - 1))
        x = (2 * epsilon + c) / (epsilon * (2 * size - 1))
        closed = 1 - 0.5 * math.exp(-epsilon * (1 - (size - 1) * x)) - 0.5 * math.exp(epsilon - epsilon * size * x)
        assert delta == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize("shift", [0.0, 0.1, -0.3, 0.6])
@pytest.mark.parametrize("size", [2, 6, 50])
def test_that_the_conditional_delta_is_the_integral(shift: float, size: int) -> None:
    epsilon = 2.0
    own, other = 1 / (epsilon * size), 1 / (epsilon * (size - 1))
    reach = 40 * other + abs(shift)
    x = np.linspace(-reach, reach, 4_000_001)
    first = np.exp(-np.abs(x) / own) / (2 * own)
    second = np.exp(-np.abs(x - shift) / other) / (2 * other)
    step = x[1] - x[0]
    brute = (
        np.maximum(first - math.exp(epsilon) * second, 0).sum() * step,
        np.maximum(second - math.exp(epsilon) * first, 0).sum() * step,
    )
    found = losses.conditional_delta(size=size, epsilon=epsilon, shift=shift)
    assert found == pytest.approx(brute, rel=1e-3, abs=1e-6)


def test_that_normal_noise_has_the_published_delta(golden: Any) -> None:
    case = golden("mos_normal_noise_delta")["cases"][0]
    found = losses.normal_noise_delta(case["inputs"]["eps"])
    assert found == pytest.approx(case["expected"]["delta"], rel=case["rtol"])


def test_that_rescaling_other_cells_has_the_published_price(golden: Any) -> None:
    for case in golden("mos_rescaling_epsilon")["cases"]:
        forward, backward = losses.rescaling_epsilon(**case["inputs"])
        assert forward == pytest.approx(case["expected"]["forward"], rel=1e-8)
        assert backward == pytest.approx(case["expected"]["backward"], rel=1e-8)
        assert max(forward, backward) == pytest.approx(case["expected"]["epsilon"], rel=1e-8)


def test_that_a_price_beyond_all_doubles_is_told_as_the_largest() -> None:
    """One person of the methods' worst case multiplies χ by 126, in a pool of 1,400 cells."""
    assert losses.rescaling_epsilon(cells=1_400, ratio=126.0, delta=1e-6) == (losses.MOST_TOLD, losses.MOST_TOLD)
    assert losses.rescaling_epsilon(cells=79, ratio=1e-30, delta=1e-6) == (losses.MOST_TOLD, losses.MOST_TOLD)


def test_that_nothing_is_told_where_no_removal_changes_the_scale_or_no_other_cell_has_it() -> None:
    """Two cells alike set χ together: without anybody of one, the other holds it."""
    assert losses.rescaling_epsilon(cells=79, ratio=1.0, delta=1e-6) == (0.0, 0.0)
    assert losses.rescaling_epsilon(cells=0, ratio=0.0, delta=1e-6) == (0.0, 0.0)


def test_that_one_shared_draw_confirms_the_true_candidate(golden: Any) -> None:
    case = golden("mos_shared_omega")["cases"][0]
    inputs = case["inputs"]
    residuals = [
        losses.shared_draw_residual(
            estimate=inputs["theta_pub"], count=inputs["N_pub"], chi=inputs["chi"], candidate=tuple(candidate)
        )
        for candidate in inputs["candidates"]
    ]
    assert residuals == pytest.approx(case["expected"]["residuals"], rel=1e-9, abs=1e-12)
    assert int(np.argmin(np.abs(residuals))) == case["expected"]["consistent_index"]
