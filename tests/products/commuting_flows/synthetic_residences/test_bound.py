"""The bound on δ of a pruned prior, the anchor's term included, against values worked out by two other routes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from workbench.products.commuting_flows.synthetic_residences.search import least_priors, pruned_bounds


def one_job(golden: Any) -> list[dict[str, Any]]:
    """Cases of one job with a prior that is pruned; the others have a bound of their own."""
    cases: list[dict[str, Any]] = golden("flow_bound_public_size")["cases"]
    return [case for case in cases if case["inputs"]["jobs"] == 1 and case["expected"]["keep"] < 1]


def bound(given: dict[str, Any]) -> float:
    growth = math.expm1(given["eps_star"])
    (found,) = pruned_bounds(
        np.array([given["step"] / growth]), draws=np.array([given["draws"]]), workers=np.array([given["workers"]]),
        points=np.array([given["points"]]), growth=growth, min_p=given["min_p"],
    )  # fmt: skip
    return float(found)


def test_that_the_bound_has_the_known_values(golden: Any) -> None:
    assert len(one_job(golden)) >= 4
    for case in one_job(golden):
        assert bound(case["inputs"]) == pytest.approx(case["expected"]["delta_bound"], rel=1e-6)


def test_that_half_the_workers_at_kept_points_break_the_prior_found_for_all() -> None:
    given = {"eps_star": 4.6, "min_p": 0.025, "draws": 100, "workers": 50, "points": 1000, "step": 25}
    assert bound(given) > 1e-6
    assert bound({**given, "workers": 100}) <= 1e-6


@pytest.mark.parametrize(("size", "step"), [(50, 22), (100, 25), (1000, 30)])
def test_that_the_anchor_moves_no_prior_of_the_benchmark(size: int, step: int) -> None:
    (found,) = least_priors(
        np.array([size]), np.array([size]), np.array([1000]), epsilon=4.6, delta=1e-6, min_p=0.025
    )  # fmt: skip
    assert found * math.expm1(4.6) == pytest.approx(step)
