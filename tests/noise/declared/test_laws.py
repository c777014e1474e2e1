"""Declared laws: golden scores, tails and their inverses, losses by the mechanisms' own formulas as a second route."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.noise import discrete_gaussian, geometric
from workbench.noise.declared.discrete import DiscreteGaussian, DiscreteLaplace, Response
from workbench.noise.declared.radial import Coordinate, LaplaceBlocks, Radius
from workbench.noise.declared.samples import SampleSize
from workbench.noise.declared.scalar import Rounded
from workbench.noise.declared.shapes import LaplaceShape, NormalShape, PowerShape, between, information_of
from workbench.noise.declared.urn import UrnDraws
from workbench.products.employment_tables.mechanisms.block import laplace_delta
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma_loss, smooth_laplace_delta


def test_that_scores_and_information_are_the_published_ones(golden: Any) -> None:
    table = golden("noise_law_score")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        kappa = smooth_gamma_loss.tight_kappa(inputs["eps"], inputs["alpha"], 4.0)
        assert kappa == pytest.approx(expected["kappa"], rel=1e-9)
        scale = kappa * np.maximum(inputs["alpha"] * np.array(inputs["largest"]), 1.0)
        noise, cells = np.array(inputs["noise"]), expected["cells"]
        law = Rounded(np.zeros(len(noise), dtype=np.int64), scale, PowerShape(4.0))
        evidence = law.evidence(noise, np.full(len(noise), 0.5))
        close = {"rel": table["rtol"]}
        assert evidence.scale == pytest.approx([cell["score"] for cell in cells], **close)
        assert [information_of(PowerShape(4.0), s)[0] for s in scale] == pytest.approx(
            [cell["information"] for cell in cells], **close
        )
        assert between(PowerShape(4.0), *law.edges(noise)) == pytest.approx(
            [cell["probability"] for cell in cells], **close
        )
        assert evidence.scale.sum() == pytest.approx(expected["score_sum"], **close)
        exact = sum(information_of(PowerShape(4.0), s)[0] for s in scale)
        assert evidence.scale.sum() / exact**0.5 == pytest.approx(expected["z"], **close)
        assert evidence.scale.sum() / exact == pytest.approx(expected["log_scale_estimate"], **close)
        assert evidence.scale_information == pytest.approx([cell["information"] for cell in cells], rel=1e-3)


@pytest.mark.parametrize("exponent", [2.5, 4.0, 7.0])
def test_that_the_tail_and_its_inverse_belong_together(exponent: float) -> None:
    shape, z = PowerShape(exponent), np.array([0.01, 0.5, 1.0, 2.999, 3.001, 40.0, 1e4])
    assert shape.size(shape.tail(z)) == pytest.approx(z, rel=1e-9)
    grid = np.linspace(0.0, 30.0, 300_001)
    inside = float(np.trapezoid(shape.density(grid), grid))
    assert 2.0 * inside == pytest.approx(1.0 - float(shape.tail(np.array([30.0]))[0]), rel=1e-6)


def test_that_searched_losses_are_those_of_the_closed_forms() -> None:
    shift, ratio = np.array([0.3, 0.6, 0.9, 0.5]), np.array([1.0, 1.1, 1.05, 1.1])
    laws = [
        Rounded(center, scale, PowerShape(4.0))
        for center, scale in ((np.zeros(4, dtype=np.int64), np.full(4, 1000.0)),
                              ((1000 * shift).astype(np.int64), 1000.0 * ratio))
    ]  # fmt: skip
    loss, _ = laws[0].loss(laws[1], 2.0)
    assert loss == pytest.approx(smooth_gamma_loss.pair_loss(shift, ratio, 4.0), rel=1e-5)
    thin = [Rounded(law.center, law.scale, LaplaceShape()) for law in laws]
    _, delta = thin[0].loss(thin[1], 0.5)
    assert delta == pytest.approx(smooth_laplace_delta.pair_delta(shift, ratio, 0.5), rel=1e-2, abs=1e-9)


@pytest.mark.parametrize("cells", [1, 2, 8])
def test_that_the_delta_of_whole_laplace_blocks_is_the_exact_one(cells: int) -> None:
    before = LaplaceBlocks.of(np.zeros(cells, dtype=np.int64), np.array([1000.0]), cells)
    moved = np.zeros(cells, dtype=np.int64)
    moved[0] = 500
    after = LaplaceBlocks.of(moved, np.array([1100.0]), cells)
    _, delta = before.loss(after, 1.0)
    exact = laplace_delta.exact(1.0, shift=0.5, ratio=1.1, cells=cells)
    assert float(delta[0]) == pytest.approx(exact, rel=2e-2)


def test_that_one_coordinate_of_a_block_has_the_law_of_its_draws() -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    radius = Radius(8, 1.5, 2.25)
    length = (rng.gamma(1.5, size=200_000) / rng.gamma(2.25, size=200_000)) ** (1.5 / 8)
    parts = rng.exponential(size=(200_000, 8))
    one = length * parts[:, 0] / parts.sum(axis=1)
    y = np.array([0.01, 0.05, 0.1, 0.3])
    told = Coordinate(radius).tail(y)
    seen = np.array([(one > edge).mean() for edge in y])
    assert np.all(np.abs(seen - told) < 5 * np.sqrt(told * (1 - told) / len(one)))
    assert float(np.abs(radius.below(np.median(length, keepdims=True)) - 0.5)[0]) < 0.005


@pytest.mark.parametrize("law", ["laplace", "gaussian", "response"])
def test_that_discrete_noise_is_uniform_and_scored_under_its_own_law(law: str) -> None:
    """What later mechanisms declare: the samplers of the house against it, and two percent off against it."""
    draws, rng = 120_000, StudyRandom(8)
    inside, center = rng.generator.random(draws), np.zeros(draws, dtype=np.int64)
    scale = np.where(np.arange(draws) % 2, 3.0, 11.5)
    if law == "laplace":
        drawn, declared = geometric.discrete_laplace(scale, rng, QUIET), DiscreteLaplace(center, scale)
        wrong: Any = DiscreteLaplace(center, scale * 1.02)
    elif law == "gaussian":
        drawn, declared = discrete_gaussian.draw(scale, rng, QUIET), DiscreteGaussian(center, scale)
        wrong = DiscreteGaussian(center, scale * 1.02)
    else:
        kept, levels = np.full(draws, 0.4), np.full(draws, 5)
        changed = rng.generator.random(draws) > kept
        drawn = np.where(changed, 1 + rng.generator.integers(0, 4, draws), 0)
        declared, wrong = Response(center, levels, kept), Response(center, levels, kept * 0.96)
    for one, fits in ((declared, True), (wrong, False)):
        evidence = one.evidence(drawn, inside)
        z = evidence.scale.sum() / np.sqrt(evidence.scale_information.sum())
        assert bool(abs(z) < 4.0) is fits
    good = declared.evidence(drawn, inside)
    bins = np.bincount((good.uniform * 32).astype(int), minlength=32)
    assert ((bins - draws / 32) ** 2 / (draws / 32)).sum() < 80
    for modulus in (2, 3):
        places, expected = declared.lattice(modulus)
        seen = np.bincount(declared.noise(drawn)[places] % modulus, minlength=modulus)
        kept_classes = expected > 0
        assert ((seen - expected)[kept_classes] ** 2 / expected[kept_classes]).sum() < 25


def test_that_normal_noise_has_the_tails_scores_and_information_of_the_normal_law() -> None:
    """Against scipy's own normal law, and the information against sums over the rounded law."""
    from scipy.stats import norm

    shape, z = NormalShape(), np.array([0.01, 0.5, 1.0, 3.0, 8.0, 12.0])
    assert shape.tail(z) == pytest.approx(2.0 * norm.sf(z), rel=1e-12)
    assert shape.density(z) == pytest.approx(norm.pdf(z), rel=1e-12)
    assert shape.size(shape.tail(z)) == pytest.approx(z, rel=1e-10)
    scale = 7.3
    k = np.arange(-200, 201)
    chance = norm.cdf((k + 0.5) / scale) - norm.cdf((k - 0.5) / scale)
    law = Rounded(np.zeros(len(k), dtype=np.int64), np.full(len(k), scale), shape)
    evidence = law.evidence(k, np.full(len(k), 0.5))
    some = chance > 1e-12
    for score, known in ((evidence.scale, evidence.scale_information), (evidence.place, evidence.place_information)):
        assert float((chance * score)[some].sum()) == pytest.approx(0.0, abs=1e-6)
        assert float((chance * score**2)[some].sum()) == pytest.approx(known[0], rel=2e-3)
    assert shape.information == (2.0, 1.0)


@pytest.mark.parametrize(("people", "share"), [(1, 0.05), (7, 0.3), (4000, 0.05)])
def test_that_the_size_of_a_sample_is_binomial(people: int, share: float) -> None:
    from scipy.stats import binom

    k = np.arange(people + 1)
    law = SampleSize(np.full(len(k), people), share)
    evidence, chance = law.evidence(k, np.full(len(k), 1.0)), binom.pmf(k, people, share)
    assert evidence.uniform == pytest.approx(binom.cdf(k, people, share), abs=1e-10)
    for score, known in ((evidence.scale, evidence.scale_information), (evidence.place, evidence.place_information)):
        assert float((chance * score).sum()) == pytest.approx(0.0, abs=1e-8)
        assert float((chance * score**2).sum()) == pytest.approx(float(known[0]), rel=1e-9)
    one = SampleSize(np.array([people]), share)
    for modulus in (2, 3, 10):
        assert one.lattice(modulus)[1] == pytest.approx(np.bincount(k % modulus, chance, modulus), abs=1e-12)
    larger = law.log_density(k, 1.0 + 1e-6) - law.log_density(k, 1.0 - 1e-6)
    likely = chance > 1e-9
    assert larger[likely] / 2e-6 == pytest.approx(evidence.scale[likely], rel=1e-3, abs=1e-3)


def test_that_homes_from_the_urn_have_the_law_that_is_written_out() -> None:
    """Every order of three draws over three points: chances add up to one, scores to nothing; and Dirichlet's law."""
    true, prior = np.array([[2.0, 1.0, 0.0]]), np.array([[0.3, 0.0, 0.05]])
    orders = np.array(list(product(range(3), repeat=3)))
    many = UrnDraws(np.repeat(true, len(orders), axis=0), np.repeat(prior, len(orders), axis=0), 3)
    logs = many.log_density(orders.ravel(), 1.0).reshape(-1, 3).sum(axis=1)
    chance = np.exp(logs)
    assert chance.sum() == pytest.approx(1.0, rel=1e-12)
    for order, log in zip(orders, logs, strict=True):
        counts = np.bincount(order, minlength=3)
        by_gammas = math.exp(math.lgamma(3.35) - math.lgamma(6.35)) * math.prod(
            math.gamma(w + y) / math.gamma(w) for w, y in zip((true + prior)[0], counts, strict=True)
        )
        assert math.exp(log) == pytest.approx(by_gammas, rel=1e-12)
    low, high = (many.evidence(orders.ravel(), np.full(len(many), share)) for share in (0.0, 1.0))
    turn_of = chance[:, None]
    for score, known in ((low.scale, low.scale_information), (low.place, low.place_information)):
        each, expected = score.reshape(-1, 3), known.reshape(-1, 3)
        assert (turn_of * each).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
        assert (turn_of * each**2).sum(axis=0) == pytest.approx((turn_of * expected).sum(axis=0), rel=1e-9)
    wide = (high.uniform - low.uniform).reshape(-1, 3)
    assert np.prod(wide, axis=1) == pytest.approx(chance, rel=1e-12)
    up, down = (many.log_density(orders.ravel(), factor) for factor in (1.0 + 1e-6, 1.0 - 1e-6))
    seen = np.isfinite(up)
    assert ((up - down)[seen] / 2e-6) == pytest.approx(low.scale[seen], abs=1e-6)
