"""The synthesiser: its draws follow the laws on paper, and its settings do what they say."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows.few_flows import geography, populations
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.commuting_flows.flows.structures import BLOCK, POPULATION, Populations
from workbench.products.commuting_flows.synthetic_residences import SPEC, MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.blocks import BlockDraw
from workbench.products.commuting_flows.synthetic_residences.draw import keep_chance, true_workers
from workbench.products.commuting_flows.synthetic_residences.mechanism import synthesis
from workbench.products.commuting_flows.synthetic_residences.uniform import below, study_words
from workbench.products.commuting_flows.synthetic_residences.weights import ONE, kept_points, weights_of

FIXED = SyntheticResidencesParams(
    minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal("0.4"), pruning=False, prior_weight=Decimal(0)
)


def fits(seen: Any, expected: Any) -> float:
    """The p-value of a chi-squared test."""
    from scipy.stats import chisquare

    expected = np.asarray(expected, dtype=float)
    return float(chisquare(seen, expected * np.sum(seen) / expected.sum()).pvalue)


def outcomes(draws: int, cells: int) -> list[tuple[int, ...]]:
    bars = combinations(range(draws + cells - 1), cells - 1)
    return [tuple(b - a - 1 for a, b in pairwise((-1, *bar, draws + cells - 1))) for bar in bars]


def dirichlet_multinomial(counts: tuple[int, ...], weights: list[float]) -> float:
    """P(counts), straight from gamma functions; a weight of zero is never drawn."""
    if any(count and not weight for count, weight in zip(counts, weights, strict=True)):
        return 0.0
    logs = [math.lgamma(c + w) - math.lgamma(w) - math.lgamma(c + 1) for c, w in zip(counts, weights, strict=True) if w]
    total = sum(weights)
    return math.exp(sum(logs) + math.lgamma(sum(counts) + 1) + math.lgamma(total) - math.lgamma(total + sum(counts)))


def drawn_counts(prepared: Populations, params: SyntheticResidencesParams, words: Any) -> np.ndarray[Any, Any]:
    """Workers by population and support point."""
    made = synthesis(prepared, params, words)
    table = np.zeros((prepared.populations, prepared.supports.points), dtype=np.int64)
    for portion, population, point in made.points(QUIET):
        np.add.at(table, (population + portion.start, point), 1)
    return table


@pytest.mark.parametrize("source", ["release", "study"])
def test_that_draws_are_dirichlet_multinomial(source: str) -> None:
    data = populations([[3, 1, 0]] * 20_000, size=[4] * 20_000)
    words = ReleaseRandom().words if source == "release" else study_words(StudyRandom(4))
    cases = outcomes(4, 3)
    expected = [dirichlet_multinomial(case, [3.4, 1.4, 0.4]) for case in cases]
    assert sum(expected) == pytest.approx(1.0)

    def fit() -> float:
        seen = Counter(map(tuple, drawn_counts(data, FIXED, words).tolist()))
        return fits([seen[case] for case in cases], expected)

    assert fit() > 1e-4 or fit() > 1e-4  # a misfit by chance, once in ten thousand, is none on fresh draws


def test_that_pruned_draws_follow_the_mixture_over_all_prunings() -> None:
    params = SyntheticResidencesParams(
        minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal("0.1"), min_p=Decimal("0.3"), prior_weight=Decimal("0.5")
    )
    data = populations([[0, 1, 1]] * 30_000, size=[3] * 30_000, prior=[6, 4, 0])
    seen = Counter(map(tuple, drawn_counts(data, params, study_words(StudyRandom(8))).tolist()))
    alfa, keep = [0.3, 0.2, 0.1], [1.0, 0.3, 0.3]  # the first is the anchor
    cases = outcomes(3, 3)
    expected = [mixture(case, [0, 1, 1], alfa=alfa, keep=keep) for case in cases]
    assert fits([seen[case] for case in cases], expected) > 1e-4


def mixture(case: tuple[int, ...], truth: list[int], *, alfa: list[float], keep: list[float]) -> float:
    """P(case) as the sum over every pruning there can be."""
    total = 0.0
    for kept in product((0, 1), repeat=len(alfa)):
        chance = math.prod(p if z else 1.0 - p for z, p in zip(kept, keep, strict=True))
        weights = [n + z * a for n, z, a in zip(truth, kept, alfa, strict=True)]
        total += chance * dirichlet_multinomial(case, weights) if chance else 0.0
    return total


def test_that_uniform_integers_are_uniform_below_any_bound() -> None:
    words = study_words(StudyRandom(2))
    for bound in (1, 3, 7, 10):
        values = below(np.full(7000, bound), words)
        assert fits(np.bincount(values, minlength=bound), np.ones(bound)) > 1e-4 or bound == 1
    huge = 3 * 2**61  # a quarter of all words has to be drawn again
    values = below(np.full(40_000, huge), words)
    assert values.min() >= 0
    assert fits(np.histogram(values.astype(float), bins=6, range=(0, huge))[0], np.ones(6)) > 1e-4


def test_that_words_from_the_incomplete_run_are_drawn_again() -> None:
    supply = iter([np.array([2**64 - 1, 5], dtype=np.uint64), np.array([7], dtype=np.uint64)])
    assert below(np.array([10, 10]), lambda count: next(supply)[:count]).tolist() == [7, 5]


def test_that_blocks_are_drawn_by_population() -> None:
    data = populations([[1, 1]], geography_of=geography(2, [6, 2, 1, 3]))
    blocks = BlockDraw.of(data.geography, data.supports)
    drawn = blocks.draw(np.repeat([0, 1], 20_000), study_words(StudyRandom(1)))
    seen = np.bincount(drawn, minlength=4)
    assert seen[:2].sum() == seen[2:].sum() == 20_000
    assert fits(seen[:2], [6, 2]) > 1e-4
    assert fits(seen[2:], [1, 3]) > 1e-4


def test_that_a_point_without_people_draws_its_blocks_alike() -> None:
    data = populations([[1, 1]], geography_of=geography(2, [0, 0, 0, 5]))
    blocks = BlockDraw.of(data.geography, data.supports)
    seen = np.bincount(blocks.draw(np.repeat([0, 1], 10_000), study_words(StudyRandom(1))), minlength=4)
    assert fits(seen[:2], [1, 1]) > 1e-4
    assert seen[2:].tolist() == [0, 10_000]


def test_that_a_release_has_one_row_per_population_and_block() -> None:
    data = populations([[5, 0, 2], [0, 0, 1], [0, 0, 0]], size=[7, 1, 4], prior=[1, 1, 0])
    release = SPEC.release(data, SyntheticResidencesParams(), ReleaseRandom(), QUIET)
    population, block = (release.coded(name).codes for name in (POPULATION, BLOCK))
    assert np.bincount(population, weights=release.values).tolist() == [7, 1, 4]
    assert block.max() < len(data.geography.blocks)
    rows = np.stack([population, block], axis=1)
    assert np.array_equal(rows, np.unique(rows, axis=0))


def test_that_a_study_is_a_table_of_the_same_columns() -> None:
    data = populations([[5, 0, 2], [0, 0, 1]])
    table = SPEC.study(data, SyntheticResidencesParams(), StudyRandom(1), QUIET).reveal()
    release = SPEC.release(data, SyntheticResidencesParams(), ReleaseRandom(), QUIET)
    assert table.names == release.names
    assert not isinstance(table, type(release))  # nobody can publish it by mistake
    assert np.bincount(table.coded(POPULATION).codes, weights=table.values).tolist() == [7, 1]


def test_that_eliminated_points_are_never_drawn() -> None:
    data = populations([[0, 9, 1]] * 50, kept=[True, False, True], prior=[1, 0, 1], size=[10] * 50)
    table = drawn_counts(data, SyntheticResidencesParams(), study_words(StudyRandom(1)))
    assert table[:, 1].sum() == 0
    assert data.moved.reveal().tolist() == [9] * 50


def test_that_a_population_without_workers_or_prior_is_drawn_from_the_anchor() -> None:
    params = SyntheticResidencesParams(
        minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal(0), prior_weight=Decimal(0)
    )
    data = populations([[0, 0, 0]], size=[4], prior=[1, 5, 2])
    assert drawn_counts(data, params, study_words(StudyRandom(1))).tolist() == [[4, 0, 0]]


def test_that_the_anchor_is_the_point_with_most_public_prior() -> None:
    data = populations([[1, 0, 0]], prior=[1, 7, 2])
    weights = weights_of(data, SyntheticResidencesParams(), np.array([1]))
    assert weights.anchor.tolist() == [1]


def test_that_priors_are_the_larger_of_minimum_and_public_share() -> None:
    params = SyntheticResidencesParams(
        minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal("0.15"), prior_weight=Decimal(2), prior_cap=Decimal("0.9")
    )
    data = populations([[1, 0, 0, 0]], prior=[70, 20, 10, 0])
    weights = weights_of(data, params, np.array([1]))
    alfa = np.maximum(weights.minimum[0], weights.informative) / ONE
    assert alfa == pytest.approx([0.9, 0.4, 0.2, 0.15], abs=1e-8)
    assert np.all(alfa >= [0.9, 0.4, 0.2, 0.15])
    assert weights.total[0] == np.maximum(weights.minimum[0], weights.informative).sum()
    assert weights.above[0] == 3


def test_that_pruning_keeps_the_chance_of_the_formula_rounded_up() -> None:
    params = SyntheticResidencesParams(min_p=Decimal("0.3"))
    chance = keep_chance(np.array([ONE // 10, ONE // 2, ONE, 5 * ONE]), params)
    assert chance.tolist() == [math.ceil(0.3 * 2**32), 2**31, 2**32, 2**32]
    assert Decimal(int(chance[0])) / 2**32 >= Decimal("0.3")


def test_that_pruning_is_as_frequent_as_its_chance() -> None:
    params = SyntheticResidencesParams(
        minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal("0.05"), min_p=Decimal("0.2"), prior_weight=Decimal("0.6")
    )
    data = populations([[0, 0, 0]] * 20_000, size=[1] * 20_000, prior=[3, 2, 0])
    made = synthesis(data, params, study_words(StudyRandom(6)))
    heap = made._prior(slice(0, 20_000))
    kept = np.bincount(heap.place, minlength=3)
    assert kept[0] == 20_000
    for place, chance in ((1, 0.24), (2, 0.2)):
        assert fits([kept[place], 20_000 - kept[place]], [chance, 1 - chance]) > 1e-4


def test_that_pruning_does_not_look_at_the_workers() -> None:
    params = SyntheticResidencesParams(minimum_prior=MinimumPrior.PURE)
    heaps = []
    for counts in ([[4, 0, 0, 0]] * 500, [[0, 1, 1, 2]] * 500):
        made = synthesis(populations(counts, prior=[5, 1, 1, 0]), params, study_words(StudyRandom(3)))
        heaps.append(made._prior(slice(0, 500)))
    assert np.array_equal(heaps[0].place, heaps[1].place)
    assert np.array_equal(heaps[0].running, heaps[1].running)


def test_that_portions_do_not_change_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.products.commuting_flows.synthetic_residences import draw

    monkeypatch.setattr(draw, "_POPULATIONS", 7)
    data = populations([[3, 1, 0]] * 6000, size=[4] * 6000)
    table = drawn_counts(data, FIXED, study_words(StudyRandom(5)))
    assert table.sum(axis=1).tolist() == [4] * 6000
    first = np.bincount(table[:, 0], minlength=5)
    law = [sum(dirichlet_multinomial(c, [3.4, 1.4, 0.4]) for c in outcomes(4, 3) if c[0] == k) for k in range(5)]
    assert fits(first, law) > 1e-4


def test_that_likelihood_left_in_an_eliminated_point_is_dropped() -> None:
    data = populations([[2, 3, 4]])
    kept = kept_points(populations([[2, 3, 4]], kept=[True, False, True]).supports)
    assert true_workers(data.likelihood.reveal(), kept).per_population.tolist() == [6]


def test_that_a_population_without_any_point_is_a_problem_named_by_its_workplace() -> None:
    data = populations([[2, 3]], kept=[False, False], size=[5])
    (problem,) = SPEC.problems(data, SyntheticResidencesParams())
    assert "work-0" in problem.sentence()
    assert "5" not in problem.what


def test_that_min_p_outside_its_range_is_refused() -> None:
    for wrong in ("0", "-0.1", "1.5"):
        assert problems_of(SyntheticResidencesParams(min_p=Decimal(wrong)))
    assert not problems_of(SyntheticResidencesParams(min_p=Decimal(1)))


def test_that_a_tiny_epsilon_that_would_leave_no_data_is_a_problem() -> None:
    data = populations([[2_000_000_000, 0]])
    params = SyntheticResidencesParams(epsilon=Epsilon("0.01"), minimum_prior=MinimumPrior.PURE)
    assert any(problem.where == "epsilon" for problem in SPEC.problems(data, params))
