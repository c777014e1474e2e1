"""Log-staircase noise: golden moments and losses, enumeration of integer laws, the sampler by its distribution."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.claims import Definition
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import ReleaseRandom
from workbench.noise.declared.shapes import between
from workbench.noise.exact_cdf import draw_placed
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block.gamma import BlockGammaParams
from workbench.products.employment_tables.mechanisms.case import BlockCase, CellCase
from workbench.products.employment_tables.mechanisms.cell.log_staircase import SPEC, LogStaircaseParams, law_of
from workbench.products.employment_tables.mechanisms.cell.staircase_law import Staircase, best_staircase
from workbench.products.employment_tables.mechanisms.cell.staircase_placement import StaircasePlacement
from workbench.products.employment_tables.mechanisms.cell.staircase_shape import RoundedStaircase, StaircaseShape
from workbench.products.employment_tables.mechanisms.pair_loss import state_of

PLANNED = LogStaircaseParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"))


def law(eps: Any, alpha: Any, gamma: Any) -> Staircase:
    return Staircase(Fraction(str(eps)), Fraction(str(alpha)), Fraction(str(gamma)))


def exact_tail(one: Staircase, z: Fraction) -> float:
    return float(one.survival_to(z, 40))


@cache
def integer_law(one: Staircase, largest: int, reach: int) -> np.ndarray[Any, Any]:
    """P(rounded noise = j) for |j| ≤ reach, from exact tails."""
    scale = max(one.alpha * largest, Fraction(1))
    tails = [exact_tail(one, (j + Fraction(1, 2)) / scale) for j in range(reach + 1)]
    upper = [1.0 - tails[0]] + [(tails[j - 1] - tails[j]) / 2.0 for j in range(1, reach + 1)]
    return np.array([*upper[:0:-1], *upper])


def test_that_moments_and_probabilities_are_the_golden_ones(golden: Any) -> None:
    table = golden("log_staircase_dist")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        one = law(inputs["eps"], inputs["alpha"], inputs["gamma"])
        found = {
            "jump": one.jump,
            "ring_ratio": one.fall,
            "p_ring0": float(one.core) / one.whole,
            "mean_abs": one.mean,
            "t1": one.end(np.array([1.0]))[0],
            "t2": one.end(np.array([2.0]))[0],
            "tail_at_1": one.survival(np.array([1.0]))[0],
            "tail_at_5": exact_tail(one, Fraction(5)),
            "pmf0_S1": integer_law(one, 1, 3)[3],
            "pmf1_S1": integer_law(one, 1, 3)[4],
        }
        for name, value in found.items():
            assert value == pytest.approx(expected[name], rel=table["rtol"]), name
        edges = [exact_tail(one, Fraction(n, 5)) for n in (5, 7)]
        assert (edges[0] - edges[1]) / 2.0 == pytest.approx(expected["pmf_minus3_S2_5"], rel=table["rtol"])


def test_that_the_loss_of_a_step_is_the_golden_one(golden: Any) -> None:
    table = golden("log_staircase_loss")
    for case in table["cases"]:
        inputs = case["inputs"]
        one = law(inputs["eps"], inputs["alpha"], inputs["gamma"])
        params = LogStaircaseParams(epsilon=Epsilon(str(inputs["eps"])), alpha=Alpha(str(inputs["alpha"])))
        before, after = inputs["largest_before"], inputs["largest_after"]
        small, large = params.window.scale(np.array([before, after]))
        moved = max(after - before, 1)
        assert one.loss(moved / small, large / small) == pytest.approx(case["expected"]["loss"], rel=table["rtol"])
        if before != after:
            whole = SPEC.loss_between(params, state_of(((before,),)), state_of(((after,),)))
            assert whole == pytest.approx(case["expected"]["loss"], rel=table["rtol"])


def test_that_published_integers_lose_what_the_golden_table_says(golden: Any) -> None:
    table = golden("log_staircase_integers")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        one = law(inputs["eps"], inputs["alpha"], inputs["gamma"])
        found = _integer_loss(one, before=(inputs["count_before"], inputs["largest_before"]),
                              after=(inputs["count_after"], inputs["largest_after"]),
                              reach=inputs["outputs_within"])  # fmt: skip
        assert found == pytest.approx(expected["loss_of_integers"], rel=1e-9)
        assert found <= expected["at_most"] * (1 + 1e-12)


def _integer_loss(one: Staircase, *, before: tuple[int, int], after: tuple[int, int], reach: int) -> float:
    """The largest log ratio of the two integer laws over every output within reach of both."""
    moved = after[0] - before[0]
    first, second = integer_law(one, before[1], reach + abs(moved)), integer_law(one, after[1], reach + abs(moved))
    both = [(first[j + moved + reach + abs(moved)], second[j + reach + abs(moved)]) for j in range(-reach, reach + 1)]
    return max(abs(math.log(p / q)) for p, q in both)


@pytest.mark.parametrize(("epsilon", "alpha"), [("2", "0.1"), ("1", "0.05"), ("3", "0.2")])
def test_that_no_integer_step_costs_more_than_its_formula(epsilon: str, alpha: str) -> None:
    """Every size up to 24, growth by one and by as much as allowed, alone, overtaking and beside a larger one."""
    one = best_staircase(Fraction(epsilon), Fraction(alpha))
    assert one is not None
    share, worst = Fraction(alpha), 0.0
    for size in range(25):
        for gained in {1, max(int(share * size), 1)}:
            for beside in {0, size, size + 1}:
                before, after = (size + beside, max(size, beside)), (size + gained + beside, max(size + gained, beside))
                scales = [max(share * largest, Fraction(1)) for _, largest in (before, after)]
                formula = one.jump + math.log(scales[1] / scales[0])
                found = _integer_loss(one, before=before, after=after, reach=40)
                assert found <= formula + 1e-9
                assert formula <= float(epsilon) + 1e-12
                worst = max(worst, found)
    assert worst > 0.9 * float(epsilon)


def test_that_the_count_of_rings_is_the_supremum_over_outputs() -> None:
    """Pairs further apart than one step too, searched over outputs just beside every ring's end."""
    one = law(2, "0.1", "0.275")
    for shift, ratio in [(1.0, 1.1), (0.01, 1.001), (0.7, 1.0), (1.36, 1.17), (3.0, 1.3), (0.0, 1.25), (12.5, 2.2)]:
        ends = one.ends()[:120]
        around = np.concatenate([ends, -ends, shift + ratio * ends, shift - ratio * ends, [0.0]])
        u = np.concatenate([around - 1e-9 * (1 + np.abs(around)), around + 1e-9 * (1 + np.abs(around))])
        log = one.jump * (one.ring(np.abs(u)) - one.ring(np.abs(u - shift) / ratio)) - math.log(ratio)
        assert one.loss(shift, ratio) == pytest.approx(np.abs(log).max(), rel=1e-9)


def test_that_gamma_has_the_smallest_error_and_block_noise_a_larger_one(golden: Any) -> None:
    one = law_of(PLANNED, 1)
    assert one.core == Fraction(11, 40)
    assert one.mean == pytest.approx(0.483722, rel=1e-5)
    block = block_gamma.SPEC.calibrate(BlockGammaParams(epsilon=Epsilon("2"), alpha=Alpha("0.1")),
                                       BlockCase(largest=Decimal(10**6)))  # fmt: skip
    stairs = SPEC.calibrate(PLANNED, CellCase(count=Decimal(10**6), largest=Decimal(10**6)))
    assert stairs.expected_absolute_error < 0.94 * block.expected_absolute_error
    assert stairs.spent_epsilon == pytest.approx(2.0, abs=1e-12)


@pytest.mark.parametrize("largest", [1, 7, 25, 107, 333])
def test_that_the_rounded_error_is_the_sum_over_integers(largest: int) -> None:
    one = law_of(PLANNED, 1)
    scale = max(Fraction(1, 10) * largest, Fraction(1))
    reach = int(60 * scale) + 10
    summed = sum(exact_tail(one, (j + Fraction(1, 2)) / scale) for j in range(reach))
    assert one.rounded_mean(np.array([float(scale)]))[0] == pytest.approx(summed, rel=1e-7)


@pytest.mark.parametrize("largest", [5, 25, 107])
def test_that_drawn_integers_have_exactly_the_rounded_law(largest: int) -> None:
    from scipy.stats import chisquare

    one, draws = law_of(PLANNED, 1), 20_000
    placed = StaircasePlacement(np.zeros(draws, dtype=np.int64), np.full(draws, largest), one)
    found = draw_placed(placed, ReleaseRandom(), QUIET)
    reach = 60
    chance = integer_law(one, largest, reach)
    enough = np.flatnonzero(chance * draws >= 8)
    inside = np.bincount(np.clip(found + reach, 0, 2 * reach), minlength=2 * reach + 1)[enough]
    observed, expected = [*inside, draws - inside.sum()], [*chance[enough], 1.0 - chance[enough].sum()]
    assert chisquare(observed, np.array(expected) * draws).pvalue > 1e-5


def test_that_doubles_state_an_error_they_keep() -> None:
    for eps, alpha, gamma in [
        ("2", "0.1", "0.275"),
        ("12", "0.1", "0.025"),
        ("0.2", "0.01", "0.5"),
        ("4", "0.3", "0.1"),
    ]:
        one = law(eps, alpha, gamma)
        ends = one.ends()[:12]
        points = np.concatenate([ends, ends * (1 + 1e-13), ends * (1 - 1e-13), [0.0, 1e-9, 0.3, 7.7, 33.3]])
        tails, lost = one.measured(points)
        for z, tail, error in zip(points.tolist(), tails.tolist(), lost.tolist(), strict=True):
            exact = one.survival_to(Fraction(z), 40)
            assert abs(float(Decimal(tail) / exact - 1)) <= error
        assert one.quantile(tails) == pytest.approx(points, rel=1e-6, abs=1e-6)


def test_that_the_declared_law_is_the_drawn_one_by_a_second_route() -> None:
    one, shape = law(2, "0.1", "0.275"), StaircaseShape(2.0, 0.1, 0.275)
    z = np.array([0.0, 0.1, 0.274, 0.276, 1.2, 1.31, 5.0, 40.0, 900.0, 1e5])
    assert shape.tail(z) == pytest.approx(one.survival(z), rel=1e-9)
    assert shape.size(shape.tail(z)) == pytest.approx(z, rel=1e-6, abs=1e-9)
    grid = np.linspace(0, 30, 3_000_001)
    assert 2 * np.trapezoid(shape.density(grid), grid) == pytest.approx(
        1 - shape.tail(np.array([30.0]))[0], abs=2e-5
    )  # a step of the grid


@pytest.mark.parametrize("scale", [1.0, 2.5, 17.3, 240.0])
def test_that_ranks_tell_of_scale_and_place_what_they_say(scale: float) -> None:
    """Mean and mean square of ψ by integration, and how its mean moves when the noise is a little larger or off."""
    shape, nudge = StaircaseShape(2.0, 0.1, 0.275), 1e-4
    k = np.arange(-int(60 * scale), int(60 * scale) + 1)
    one = RoundedStaircase(np.zeros(len(k), dtype=np.int64), np.full(len(k), scale), shape)
    inside = (np.arange(200) + 0.5) / 200
    evidence = [one.evidence(k, np.full(len(k), u)) for u in inside]
    sizes, places = (np.mean([getattr(part, name) for part in evidence], axis=0) for name in ("scale", "place"))

    def mean(values: Any, larger: float, off: float) -> float:
        z = [((k + half - off * scale) / (scale * larger)) for half in (-0.5, 0.5)]
        return float((values * between(shape, z[0], z[1])).sum())

    assert mean(sizes, 1.0, 0.0) == pytest.approx(0.0, abs=1e-6)
    assert mean(places, 1.0, 0.0) == pytest.approx(0.0, abs=1e-6)
    by_scale = (mean(sizes, 1.0 + nudge, 0.0) - mean(sizes, 1.0 - nudge, 0.0)) / (2 * nudge)
    by_place = (mean(places, 1.0, nudge) - mean(places, 1.0, -nudge)) / (2 * nudge)
    assert by_scale == pytest.approx(evidence[0].scale_information[0], rel=2e-2)
    assert by_place == pytest.approx(evidence[0].place_information[0], rel=2e-2)


def test_that_the_claim_is_strong_without_and_weak_with_worker_attributes() -> None:
    plain = hand_made.cells(worker=False)
    claim = SPEC.claim(plain, PLANNED)
    assert claim.definition is Definition.STRONG
    assert "One worker more or less can already cost 1.905" in claim.sentence
    assert SPEC.claim(hand_made.cells(), PLANNED).definition is Definition.WEAK
    exact = SPEC.exact_loss(plain, PLANNED, QUIET)
    assert exact.epsilon <= 2.0 + 1e-12


def test_that_an_infeasible_epsilon_names_what_is_feasible() -> None:
    found = problems_of(LogStaircaseParams(epsilon=Epsilon("0.2"), alpha=Alpha("0.1")))
    assert "must exceed 3·ln(1+α) = 0.286" in found[0].what
    assert "α below 0.0689" in found[0].do


def test_that_neighbouring_sizes_have_the_same_claim_and_the_law_follows_only_the_largest() -> None:
    first = hand_made.cells([("E", 0, 0, (40, 60))], worker=False)
    second = hand_made.cells([("E", 0, 0, (40, 70))], worker=False)
    assert SPEC.claim(first, PLANNED) == SPEC.claim(second, PLANNED)
