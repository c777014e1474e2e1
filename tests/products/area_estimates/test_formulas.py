"""Lines, sensitivities and fractional sums against published values, and by a second route."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.mechanisms.observed_sensitivity import noise
from workbench.products.area_estimates import fractional_sums, raw_decode
from workbench.products.area_estimates.line import lines_of
from workbench.products.area_estimates.local_sensitivity import Bounds, of_estimate


def one_cell(x: np.ndarray, y: np.ndarray) -> Any:
    return lines_of(x, y, np.zeros(len(x), np.int64), 1)


def test_that_sensitivities_have_the_published_values(golden: Any) -> None:
    table = golden("mos_local_sensitivity")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        lines = one_cell(np.array(inputs["x"], float), np.array(inputs["y"], float))
        rank = None if inputs["p"] == "slope" else inputs["p"]
        bounds = Bounds(**dict(zip(("x_low", "x_high", "y_low", "y_high"), inputs["bounds"], strict=True)))
        exact, corners = of_estimate(lines, rank, bounds), of_estimate(lines, rank, bounds, corners=True)
        error = lines.slope_error() if rank is None else lines.standard_error(rank)
        assert exact.largest[0] == pytest.approx(expected["ls_add"], rel=1e-10)
        assert exact.x[0] == pytest.approx(expected["arg_x"], abs=1e-10)
        assert exact.y[0] == pytest.approx(expected["arg_y"], abs=1e-10)
        assert corners.largest[0] == pytest.approx(expected["ls_add_corners"], rel=1e-10)
        assert error[0] == pytest.approx(expected["se"], rel=1e-10)
        assert lines.slope[0] == pytest.approx(expected["slope"], rel=1e-10)


@pytest.mark.parametrize("rank", [0.1, 0.25, 0.5, 0.9, None])
@pytest.mark.parametrize("seed", range(6))
def test_that_no_added_row_moves_the_refitted_estimate_further(rank: float | None, seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.random(7), random.random(7)
    lines = one_cell(x, y)
    found = of_estimate(lines, rank, Bounds())
    most = 0.0
    for new_x in np.linspace(0, 1, 401):
        for new_y in (0.0, 1.0):
            slope, intercept = np.polyfit(np.append(x, new_x), np.append(y, new_y), 1)
            old = lines.slope[0] if rank is None else lines.at(rank)[0]
            most = max(most, abs((slope if rank is None else intercept + slope * rank) - old))
    assert most <= found.largest[0] * (1 + 1e-9)
    assert most == pytest.approx(found.largest[0], rel=1e-3)


def test_that_the_official_data_have_their_published_chi(golden: Any, shared_data: Path) -> None:
    file = shared_data / "opportunity_insights_mos" / "private_data_by_cells.csv"
    rows = np.genfromtxt(file, delimiter=",", skip_header=1)
    cell = rows[:, 2].astype(np.int64) - 1
    lines = lines_of(rows[:, 0], rows[:, 1], cell, int(cell.max()) + 1)
    pool = np.zeros(len(lines.size), np.int64)
    for case in golden("mos_official")["cases"]:
        rank = None if case["inputs"]["p"] == "slope" else case["inputs"]["p"]
        for corners, name in ((False, "chi_exact"), (True, "chi_corner")):
            local = of_estimate(lines, rank, Bounds(), corners=corners).largest
            chi = noise.largest_by_pool(lines.size, local, pool, 1)[0]
            assert chi == pytest.approx(case["expected"][name], rel=1e-9)
        assert noise.setting_cell(lines.size, local, pool, 1)[0] + 1 == case["expected"]["cell"]
    for rank, spread in ((0.25, 0.0275114), (0.75, 0.0295419), (None, 0.0694751)):
        local = of_estimate(lines, rank, Bounds()).largest
        chi = noise.largest_by_pool(lines.size, local, pool, 1)
        scale = noise.scales(lines.size, chi[pool], 4.0)
        assert float(np.sqrt(2.0) * scale.mean()) == pytest.approx(spread, rel=1e-5)


def test_that_fractional_sums_have_the_published_values(golden: Any) -> None:
    for case in golden("fractional_table")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        x, y = (np.rint(np.array(inputs[name]) * inputs["grid"]).astype(np.int64) for name in ("x", "y"))
        rows = fractional_sums.contributions(x, y)
        place = np.zeros(len(x), np.int64)
        assert fractional_sums.totals(rows.sums, place, 1)[0].tolist() == expected["integer_T"]
        assert fractional_sums.totals(rows.x_moment, place, 1)[0] == expected["integer_X"]
        assert expected["integer_sens_T"] == fractional_sums.SUMS
        assert expected["integer_sens_X"] == fractional_sums.MOMENT
        assert rows.y_moment.sum() / (4 * 1000**2) == pytest.approx(expected["Y2"], rel=1e-9)


def test_that_one_person_adds_exactly_the_declared_amount_wherever_it_lies() -> None:
    """All grid points of x, with every 37th of y: the code's own contributions, by brute force."""
    x = np.repeat(np.arange(1001), 28)
    y = np.tile(np.arange(0, 1001, 37), 1001)
    rows = fractional_sums.contributions(x, y)
    assert (rows.sums >= 0).all()
    assert set(np.abs(rows.sums).sum(axis=1).tolist()) == {fractional_sums.SUMS}
    assert np.abs(rows.x_moment).max() == fractional_sums.MOMENT
    assert np.abs(rows.y_moment).max() == fractional_sums.MOMENT


def test_that_a_noisy_cell_is_decoded_as_published(golden: Any) -> None:
    for case in golden("table_decode")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        found = raw_decode.moments(np.array(inputs["noisy_T_L0_L1_H0_H1"]), inputs["noisy_X"])
        shares = raw_decode.Shares(**dict(zip(("sums", "x_moment", "y_moment"), inputs["shares"], strict=True)))
        assert (found.n, found.x, found.xx, found.y, found.xy) == pytest.approx(
            tuple(expected[name] for name in ("n", "Sx", "Sxx", "Sy", "Sxy")), rel=1e-9
        )
        assert raw_decode.estimates(found) == pytest.approx((expected["theta25"], expected["theta75"]), rel=1e-9)
        covariance = raw_decode.privacy_covariance(found, tuple(inputs["line_a_b"]), inputs["eps"], shares)
        assert covariance == pytest.approx(np.array(expected["privacy_cov_theta"]), rel=1e-9)
        assert 4 * shares.sums_variance(inputs["eps"]) == pytest.approx(expected["var_n"], rel=1e-9)


def test_that_sums_without_noise_give_the_least_squares_line() -> None:
    random = np.random.default_rng(9)
    x, y = random.integers(0, 1001, 60), random.integers(0, 1001, 60)
    rows = fractional_sums.contributions(x, y)
    found = raw_decode.moments(rows.sums.sum(axis=0) / 1000**2, float(rows.x_moment.sum()) / (4 * 1000**2))
    slope, intercept = np.polyfit(x / 1000, y / 1000, 1)
    assert raw_decode.estimates(found) == pytest.approx((intercept + 0.25 * slope, intercept + 0.75 * slope), rel=1e-9)


def test_that_many_cells_have_the_sensitivities_of_each_alone() -> None:
    """Blocks and the search for interior extremes: 20,000 small cells against one at a time."""
    random = np.random.default_rng(12)
    cell = np.repeat(np.arange(20_000), 5)
    x, y = random.random(len(cell)), random.random(len(cell))
    lines = lines_of(x, y, cell, 20_000)
    for rank in (0.5, None):
        found = of_estimate(lines, rank, Bounds())
        for place in range(0, 20_000, 1000):
            alone = of_estimate(lines.chosen(np.array([place])), rank, Bounds())
            assert (found.largest[place], found.x[place], found.y[place]) == (alone.largest[0], alone.x[0], alone.y[0])
        lattice = np.zeros(20_000)
        for new_x in np.linspace(0, 1, 101):
            for new_y in (0.0, 1.0):
                more = lines.plus(np.full(20_000, new_x), np.full(20_000, new_y))
                moved = more.slope - lines.slope if rank is None else more.at(rank) - lines.at(rank)
                lattice = np.maximum(lattice, np.abs(moved))
        assert (lattice <= found.largest * (1 + 1e-9)).all()
        assert np.max(1 - lattice / found.largest) < 0.02
