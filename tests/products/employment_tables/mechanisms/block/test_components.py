"""Components of variance: the golden predictor, a second route by dense matrices, and components that are there."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables.mechanisms.block.test_post import made_up
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha
from workbench.products.employment_tables.mechanisms.block import components
from workbench.products.employment_tables.mechanisms.block.components import (
    Components,
    Covariance,
    groups_of,
    predicted,
)
from workbench.products.employment_tables.mechanisms.block.scale_meter import ScaleMeter
from workbench.products.employment_tables.mechanisms.block.shrinkage import Pool, alike


def fixed(*phi: float) -> Components:
    return Components(groups=groups_of((2, 4)), constant=np.array(phi), slope=np.zeros(3))


def test_that_the_prediction_is_the_golden_one(golden: Any) -> None:
    table = golden("worker_components")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        y, p, total = (np.array([inputs[name]], dtype=float) for name in ("noisy", "shares", "noisy_total"))
        found = predicted(
            y, p, total,
            components=fixed(inputs["phi_sex"], inputs["phi_education"], inputs["phi_rest"]),
            noise=Covariance(inputs["noise_variance_per_S2"]),
            scale=np.array([float(inputs["S"])]),
        )  # fmt: skip
        assert found[0] == pytest.approx(expected["estimate"], rel=table["rtol"])
        assert found.sum() == pytest.approx(expected["total"], rel=table["rtol"])
        whole = np.eye(8)
        for name, group in zip(("trace_B_sex", "trace_B_education"), groups_of((2, 4)), strict=True):
            assert components._trace(group, whole, p)[0] == pytest.approx(expected[name], rel=table["rtol"])


def dense(group: np.ndarray[Any, Any], p: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """B_A written out: M(diag q − qq′)M′."""
    q = p @ group
    given = (p[:, None] * group) / q
    return given @ (np.diag(q) - np.outer(q, q)) @ given.T


def test_that_traces_are_those_of_matrices_written_out() -> None:
    rng = np.random.default_rng(2)
    groups = groups_of((2, 3, 2))
    p = rng.dirichlet(np.ones(12), size=5)
    noise = Covariance(0.7, 0.2)
    middle = 0.7 * np.eye(12) + 0.2
    for look in (*groups, np.eye(12)):
        for group in (*groups, np.eye(12)):
            told = [np.trace(look.T @ dense(group, row) @ look) for row in p]
            assert components._trace(group, look, p) == pytest.approx(told, rel=1e-10)
        kept = [np.eye(12) - np.outer(row, np.ones(12)) for row in p]
        told = [np.trace(look.T @ one @ middle @ one.T @ look) for one in kept]
        assert components._noise_trace(look, p, noise) == pytest.approx(told, rel=1e-10)


def test_that_components_that_are_there_are_found() -> None:
    """Women's shares differ between employers by a variance of .06·q(1 − q), nothing else does; noise is known."""
    rng = np.random.default_rng(5)
    count, total = 6000, 400.0
    base = rng.dirichlet(np.full(8, 4.0))
    women = np.arange(8) < 4
    q = base[women].sum()
    share = q * (1 - q)
    mean = np.clip(rng.normal(q, np.sqrt(0.06 * share), count), 0.02, 0.98)
    probability = np.where(women, base / q * mean[:, None], base / (1 - q) * (1 - mean[:, None]))
    drawn = np.stack([rng.multinomial(int(total), row) for row in probability])
    noisy = drawn + rng.normal(0.0, 10.0, drawn.shape)
    pool = Pool.over(noisy, np.zeros(count, dtype=np.int64))
    one = components.Classed(rows=np.arange(count), square=1.0, noise=np.full(count, (10.0 / total) ** 2))
    shares = components._shares(pool, [one], [np.full(count, 0.01)])
    found = components._fitted(pool, [one], shares, groups=groups_of((2, 4)), noise=Covariance(1.0)).at(1.0)
    assert found[0] == pytest.approx(0.06, rel=0.15)
    assert found[1] < 0.01
    assert found[2] < 0.01


def test_that_nothing_is_read_but_drawn_values_and_the_meter() -> None:
    cells = made_up(like_sectors=True)
    noisy = cells.count.reveal().reshape(-1, 8).astype(float)
    pool = alike(noisy, cells.domain, QUIET)
    assert pool is not None
    asked: list[int] = []

    def answer(sums: Any, *_: Any) -> Any:
        asked.append(len(sums))
        return sums

    meter = ScaleMeter(largest=cells.workplace_largest, alpha=Alpha("0.1"), epsilon=Fraction(1, 100), noisy=answer)
    components.estimated(pool, (2, 4), Covariance(0.6), meter, QUIET)
    assert len(asked) == 1
