"""Bias: closed forms against draws, and what truncation leaves out against a count by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from tests.products.employment_tables.usefulness.test_measures import comparison
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.mechanisms.cell import log_laplace
from workbench.products.employment_tables.noise_infusion import SPEC as NOISE_INFUSION
from workbench.products.employment_tables.product import SPEC as PRODUCT
from workbench.products.employment_tables.usefulness import bias


def measured(mechanism: Any, params: Any) -> Any:
    of = replace(comparison(), mechanism=mechanism, mechanism_params=params)
    return bias.SPEC.run(of, bias.BiasParams(), QUIET)[0], of


@pytest.mark.parametrize("mechanism", [laplace.SPEC, block_gamma.SPEC])
def test_that_noise_that_is_kept_is_right_on_average(mechanism: Any) -> None:
    finding, _ = measured(mechanism, mechanism.params())
    assert finding.values["bias_total"] == 0
    assert finding.sentence == "Every cell and the total are right on average."


def test_that_the_bias_of_log_laplace_is_that_of_its_draws() -> None:
    params = log_laplace.LogLaplaceParams(epsilon=Epsilon("2"), unbiased=False)
    _, of = measured(log_laplace.SPEC, params)
    known = bias.closed_form(of)
    assert known is not None
    rng = StudyRandom(3)
    draws = [log_laplace.SPEC.study(of.prepared, params, rng, QUIET).reveal().values for _ in range(400)]
    off = np.array(draws) - of.prepared.count.reveal()
    slack = 5 * off.std(axis=0) / math.sqrt(len(draws)) + 0.05
    assert np.all(np.abs(off.mean(axis=0) - known.per_cell) < slack)


def test_that_values_set_to_zero_are_found_too_large_by_drawing() -> None:
    params = block_gamma.BlockGammaParams(post_processing=PostProcessing.NON_NEGATIVE)
    finding, _ = measured(block_gamma.SPEC, params)
    assert finding.values["bias_total"] > 0
    assert "too large" in finding.sentence and "from the draws" in finding.sentence


def test_that_truncation_tells_the_establishments_and_jobs_it_leaves_out() -> None:
    finding, _ = measured(node_truncation.SPEC, node_truncation.NodeTruncationParams(theta=50))
    sizes = [sum(jobs) for _, _, _, jobs in hand_made.establishments()]
    assert finding.values["left_out_establishments"] == sum(size > 50 for size in sizes)
    assert finding.values["left_out_jobs"] == sum(size for size in sizes if size > 50)
    assert finding.values["bias_total"] == -finding.values["left_out_jobs"]


def test_that_baselines_say_what_must_stay_secret() -> None:
    assert NOISE_INFUSION in PRODUCT.baselines
    assert all("secret" in baseline.summary for baseline in PRODUCT.baselines)
