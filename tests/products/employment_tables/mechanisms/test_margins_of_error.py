"""A margin of error per row where it follows from the plan, by enumeration and by draws; none, and why, elsewhere."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables.test_selection import SMALL, params, prepared
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.employment_tables.mechanisms import laplace, node_down_sensitivity, node_truncation
from workbench.products.employment_tables.mechanisms.cell import log_laplace
from workbench.products.employment_tables.mechanisms.error_law import discrete_half_width
from workbench.products.employment_tables.mechanisms.margins_of_error import (
    relative_half_widths,
    sum_half_width,
    sum_half_widths,
)
from workbench.products.employment_tables.product import SPEC as PRODUCT

TOLD = ("laplace", "node-truncation", "log-laplace")
GIANT = [*SMALL, ("F", 3, 2, (40_000, 60_000))]


def enumerated(scale: float, cells: int) -> int:
    """The same from the law itself, convolved as often as there are cells."""
    q = np.exp(-1.0 / scale)
    reach = int(50 * scale)
    one = (1 - q) / (1 + q) * q ** np.abs(np.arange(-reach, reach + 1))
    law = one
    for _ in range(cells - 1):
        law = np.convolve(law, one)
    middle = len(law) // 2
    inside = law[middle] + 2 * np.cumsum(law[middle + 1 :])
    return int(np.argmax(inside >= 0.99)) + 1


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 10.0])
@pytest.mark.parametrize("cells", [1, 2, 3, 7])
def test_that_the_half_width_of_a_sum_is_that_of_the_convolved_law(scale: float, cells: int) -> None:
    assert sum_half_width(scale, cells) == enumerated(scale, cells)


def test_that_one_cell_has_the_closed_form_and_many_the_normal_law() -> None:
    for scale in (0.5, 3.0, 200.0):
        assert sum_half_width(scale, 1) == discrete_half_width(scale)
    many = sum_half_width(5.0, 60_000)
    q = np.exp(-1 / 5.0)  # the variance of one cell is 2q/(1 − q)²
    assert many == pytest.approx(2.5758 * np.sqrt(60_000 * 2 * q) / (1 - q), rel=1e-3)
    assert sum_half_widths(2.0, np.array([1, 3, 1])).tolist() == [
        sum_half_width(2.0, 1), sum_half_width(2.0, 3), sum_half_width(2.0, 1),
    ]  # fmt: skip


def test_that_a_scale_beyond_the_grid_is_rounded_upward() -> None:
    drawn = np.random.default_rng(3).laplace(scale=1000.0, size=(200_000, 4)).sum(axis=1)
    width = sum_half_width(1000.0, 4)
    assert 0.0085 < np.mean(np.abs(drawn) > width) < 0.0101
    assert np.quantile(np.abs(drawn), 0.99) < 1.03 * width


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("count", [0, 1, 30, 5000])
def test_that_the_margin_of_log_laplace_covers_the_truth_whatever_it_is(count: int, unbiased: bool) -> None:
    chosen = log_laplace.LogLaplaceParams(unbiased=unbiased)
    spread = log_laplace.spread_of(chosen, 1)
    factor = 1 - spread**2 if unbiased else 1.0
    real = factor * (count + chosen.offset) * np.exp(np.random.default_rng(4).laplace(scale=spread, size=100_000))
    values = np.floor(real - chosen.offset + 0.5).astype(np.int64)
    within = relative_half_widths(values, offset=chosen.offset, spread=spread, factor=factor)
    assert np.mean(np.abs(values - count) <= within) >= 0.99


def published(mechanism: Any, chosen: Any, rows: Any = SMALL, **more: Any) -> Any:
    cells = prepared(rows, params({}, **more))
    return PRODUCT.public_table(cells, mechanism.release(cells, chosen, ReleaseRandom(), QUIET))


@pytest.mark.parametrize("mechanism", PRODUCT.mechanisms, ids=lambda each: each.id)
def test_that_a_margin_stands_where_it_is_public_and_a_reason_elsewhere(mechanism: Any) -> None:
    table = published(mechanism, mechanism.params())
    assert ("margin_of_error" in table.names) == (mechanism.id in TOLD)
    [note] = table.notes
    book = next(file for file in PRODUCT.outputs(table) if file.kind == "code-book").write().decode("utf-8")
    assert note in [row["title"] for row in csv.DictReader(io.StringIO(book))]
    assert ("confidential" in note) == (mechanism.id not in TOLD)


@pytest.mark.parametrize(
    "mechanism", [laplace.SPEC, node_truncation.SPEC, node_down_sensitivity.SPEC], ids=lambda each: each.id
)
def test_that_no_margin_moves_with_a_confidential_size(mechanism: Any) -> None:
    tables = [published(mechanism, mechanism.params(), rows, marginals=("all",)) for rows in (SMALL, GIANT)]
    for one, other in (tables, [table.published_beside for table in tables]):
        assert one.names == other.names
        assert one.notes == other.notes
        if "margin_of_error" in one.names:
            first, second = (table.units("margin_of_error").integers.tolist() for table in (one, other))
            assert first == second


def test_that_margins_of_the_margins_are_those_of_their_sums() -> None:
    cells = prepared(SMALL, params({}, marginals=("all",)))
    drawn = laplace.SPEC.study(cells, laplace.LaplaceParams(), StudyRandom(2), QUIET).reveal()
    beside = PRODUCT.public_table(cells, drawn).published_beside
    assert beside is not None
    told = dict(zip(beside.coded("margin").texts(), beside.units("margin_of_error").integers.tolist(), strict=True))
    scale = laplace.scale_of(laplace.LaplaceParams())
    assert told["total"] == sum_half_width(scale, cells.domain.cells)
    assert told["place"] == sum_half_width(scale, 3)


def test_that_a_value_called_like_the_margin_keeps_its_name() -> None:
    cells = prepared(SMALL, params({}, value_name="margin_of_error"))
    drawn = laplace.SPEC.study(replace(cells), laplace.LaplaceParams(), StudyRandom(2), QUIET).reveal()
    assert PRODUCT.public_table(cells, drawn).names[-2:] == ("margin_of_error", "margin_of_error_99")
