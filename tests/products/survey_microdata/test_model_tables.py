"""Model-based tables: nearer to the truth than noisy ones, near a second route, and positive."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.products.survey_microdata.test_mixture import distance, measured, survey
from workbench.core.progress import QUIET
from workbench.products.survey_microdata import mixture, model_tables, records


def modelled(tables: mixture.NoisyTables) -> np.ndarray:
    return model_tables.counts(replace(tables, pair=model_tables.model_based(tables, QUIET)))


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_that_model_based_tables_are_nearer_to_the_survey_than_noise_and_than_independence(seed: int) -> None:
    data, categories = survey(6000, seed)
    truth = records.file_tables(data, categories)
    tables = measured(data, categories, 0.5, seed + 1)
    alone = np.outer(np.diag(truth), np.diag(truth)) / len(data)
    nearest = min(distance(each, truth, categories) for each in (model_tables.counts(tables), alone))
    assert distance(modelled(tables), truth, categories) < 0.9 * nearest


def test_that_hardly_noise_leaves_errors_below_those_of_sampling() -> None:
    data, categories = survey(20_000, 5)
    half = data[:10_000]
    truth, own = records.file_tables(half, categories), records.file_tables(data, categories) / 2.0
    found = modelled(measured(half, categories, 500.0, 6))
    assert distance(found, truth, categories) < distance(own, truth, categories)


def test_that_counts_are_positive_with_the_noisy_margins() -> None:
    data, categories = survey(400, 9)
    tables = measured(data, categories, 0.5, 10)
    found, ends = modelled(tables), tables.offsets
    assert found.min() > 0.0
    for first, last in pairwise(ends):
        assert found[:, first:last].sum(axis=1) == pytest.approx(tables.positive_margins(), rel=0.02)


def test_that_noise_of_pairs_that_differ_counts_pair_by_pair() -> None:
    data, categories = survey(6000, 14)
    tables = measured(data, categories, 2.0, 15)
    blurred = tables.pair_variance.copy()
    blurred[0, 1:] *= 1e6
    blurred[1:, 0] *= 1e6
    found = model_tables.model_based(replace(tables, pair_variance=blurred), QUIET)
    own = tables.variable == 0
    assert np.abs(found[own][:, ~own]).max() < 0.2 * np.abs(tables.pair[own][:, ~own]).max()


@pytest.mark.parametrize("seed", [20, 21, 22])
def test_that_a_gibbs_sampler_of_the_same_model_is_hardly_nearer_to_the_survey(seed: int) -> None:
    """λ row by row and its variances from their exact conditional laws: what the half steps approximate."""
    data, categories = survey(6000, seed)
    truth, tables = records.file_tables(data, categories), measured(data, categories, 1.0, seed + 1)
    axes, spread = model_tables._axes(tables)
    own, n, deviation = model_tables._own(tables), tables.size(), np.sqrt(spread)
    scale, size = np.outer(deviation, deviation), len(own)
    noise = tables.pair_variance[np.ix_(own, own)] / (n * scale) ** 2 + 1.0 / n
    entries, apart = axes.T @ tables.pair @ axes / (n * scale), own[:, None] != own[None, :]
    seen = model_tables._Seen(entries=entries, deviation=deviation, noise=noise, apart=apart.astype(float))
    rows, alone = model_tables._settled(seen, size, QUIET)
    random, total, prior = np.random.default_rng(5), np.zeros_like(noise), (rows**2).mean(axis=0)
    for sweep in range(200):
        for row in range(size):
            weight = apart[row] / (noise[row] + alone)
            precision = (rows * weight[:, None]).T @ rows + np.diag(1.0 / prior)
            place = np.linalg.solve(precision, rows.T @ (weight * entries[row]))
            rows[row] = place + np.linalg.solve(np.linalg.cholesky(precision).T, random.normal(size=size))
        prior = (1e-3 + (rows**2).sum(axis=0) / 2.0) / random.gamma(1.0 + size / 2.0, size=size)
        total += rows @ rows.T / 100.0 if sweep >= 100 else 0.0
    shrunk = apart * (total + alone / (noise + alone) * (entries - total)) * scale
    drawn = model_tables.counts(replace(tables, pair=n * axes @ shrunk @ axes.T))
    assert distance(modelled(tables), truth, categories) < 1.1 * distance(drawn, truth, categories)
