"""Block noise with a weight on workplace totals: the same loss as without, its moments, and that it is drawn so."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from tests.products.employment_tables.mechanisms.block.test_sampler import all_rows, scales, seeded
from workbench.audit.contract import Subject
from workbench.audit.declared_law.judgement import judged
from workbench.audit.declared_law.trial import trial_of
from workbench.audit.declared_law.words import rehearsed
from workbench.core.arrays import Floats
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.noise.declared.radial import Coordinate
from workbench.noise.declared.radial import Radius as DeclaredRadius
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import sampler as block_sampler
from workbench.products.employment_tables.mechanisms.block import variates as block_variates
from workbench.products.employment_tables.mechanisms.block.exact import Direction, Radius
from workbench.products.employment_tables.mechanisms.block.gamma import BlockGammaParams, covariance_of, tail_for
from workbench.products.employment_tables.mechanisms.block.intervals import Uniform
from workbench.products.employment_tables.mechanisms.block.norm import MOST, moments
from workbench.products.employment_tables.mechanisms.block.rounding import mean_rounded
from workbench.products.employment_tables.mechanisms.block.sampler import draw
from workbench.products.employment_tables.mechanisms.block.steps import growth
from workbench.products.employment_tables.mechanisms.block.tail import Tail, best_tail, kappa_for, spent
from workbench.products.employment_tables.mechanisms.case import BlockCase
from workbench.products.employment_tables.mechanisms.pair_loss import state_of
from workbench.products.employment_tables.words import JOBS

WEIGHTED = BlockGammaParams(total_weight=Decimal("0.4"))


def tail_of(case: dict[str, Any]) -> Tail:
    """The tail with the shapes that a case of the golden tables names."""
    cells, g, m = case["d"], float(case["g"]), float(case["m"])
    kappa = kappa_for(2.0, 0.1, cells=cells, exponent=np.array([g]), sharpness=np.array([m]))
    core = Fraction(cells) / Fraction(m)
    return Tail(cells=cells, core=core, far=(Fraction(g) - cells) / Fraction(m), kappa=float(kappa[0]))


def weighted(cells: int, weight: str = "0.4") -> Tail:
    tail = best_tail(2.0, 0.1, cells)
    assert tail is not None
    return replace(tail, totals=Fraction(weight))


def radius_of(tail: Tail) -> Radius:
    return Radius(cells=tail.cells, core=tail.core, far=tail.far, totals=tail.totals)


def norm(z: Floats, weight: float) -> Floats:
    found: Floats = (1.0 - weight) * np.abs(z).sum(axis=-1) + weight * np.abs(z.sum(axis=-1))
    return found


def log_density(z: Floats, tail: Tail) -> Floats:
    value: Floats = -tail.exponent / tail.sharpness * np.log1p(norm(z, float(tail.totals)) ** tail.sharpness)
    return value


def test_that_moments_are_the_golden_ones(golden: Any) -> None:
    table = golden("block_norm_moments")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        tail = replace(tail_of(inputs), totals=1 - Fraction(str(inputs["a"])))
        found = {
            "kappa": tail.kappa,
            "mean_radius": tail.moment(1.0),
            "l1_of_direction": tail.direction.sizes,
            "sum_of_direction": tail.direction.total,
            "cell_error_per_S": tail.error_per_scale,
            "total_error_per_S": tail.total_error_per_scale,
            "accepted": tail.direction.accepted,
        }
        assert found == pytest.approx(expected, rel=table["rtol"])


def test_that_losses_are_the_golden_ones_and_never_above_epsilon(golden: Any) -> None:
    """The first case's shift is a little beyond 1/κ, so its loss is a little above 2; at 1/κ it is not."""
    table = golden("block_norm_loss")
    for case in table["cases"]:
        inputs = case["inputs"]
        tail = replace(tail_of(inputs), totals=Fraction(2, 5))
        (loss,) = spent(np.array([inputs["shift_over_kappa_S"]]), np.array([inputs["ratio"]]), tail)
        assert loss == pytest.approx(case["expected"]["loss"], rel=table["rtol"])
        assert spent(np.full(2, 1 / tail.kappa), np.array([1.0, 1.1]), tail).max() <= 2.0


@pytest.mark.parametrize("weight", ["0.2", "0.5", "0.9"])
@pytest.mark.parametrize("cells", [2, 4])
def test_that_no_output_tells_more_than_epsilon(cells: int, weight: str) -> None:
    """Random outputs and shifts, with the density written down anew; the worst ray is among them."""
    rng, seen = np.random.default_rng(3), 0.0
    tail = weighted(cells, weight)
    for ratio in (1.0, 1.04, 1.1):
        for _ in range(20):
            shift = rng.dirichlet(np.full(cells, 0.4)) / tail.kappa
            at = rng.standard_normal((3000, cells)) * np.exp(1.5 * rng.standard_normal((3000, 1)))
            at[:1500] = shift * 20 * rng.standard_normal((1500, 1))
            loss = log_density(at, tail) - log_density((at - shift) / ratio, tail) + cells * math.log(ratio)
            seen = max(seen, float(np.abs(loss).max()))
    assert 1.99 < seen <= 2.0 * (1 + 1e-12)


def test_that_every_integer_step_keeps_its_formula() -> None:
    """Two worker cells: the rounded laws of all strong steps of an establishment up to 21, over all outputs near.

    A cell of the output is a square, over which both laws are averaged at the same points: no average of ratios lies
    above the largest of them, so the quadrature cannot hide a violation.
    """
    tail, worst = weighted(2), 0.0
    points = (np.polynomial.legendre.leggauss(6)[0] / 2.0)[:, None]
    widths = np.polynomial.legendre.leggauss(6)[1] / 2.0
    steps = np.arange(-15, 16)[:, None]
    axis = (steps[:, :, None] + points[None, :, :]).reshape(-1)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)

    def law(center: tuple[int, int], largest: int) -> Floats:
        scale = tail.kappa * max(0.1 * largest, 1.0)
        found = np.exp(log_density((grid - np.array(center)) / scale, tail)) / scale**2
        blocks = found.reshape(31, 6, 31, 6)
        return np.einsum("aibj,i,j->ab", blocks, widths, widths)

    for size, beside in itertools.product((0, 1, 9, 10, 15, 20, 21), (0, 10, 21)):
        largest = max(size, beside)
        before = law((0, 0), largest)
        for gained in {1, growth(size, Fraction(1, 10))}:
            after_largest = max(size + gained, beside)
            ratio = max(0.1 * after_largest, 1.0) / max(0.1 * largest, 1.0)
            (formula,) = spent(np.array([gained / (tail.kappa * max(0.1 * largest, 1.0))]), np.array([ratio]), tail)
            for women in range(gained + 1):
                loss = float(np.abs(np.log(before / law((women, gained - women), after_largest))).max())
                assert loss <= formula * (1 + 1e-9) <= 2.0 * (1 + 1e-9)
                worst = max(worst, loss)
    assert worst > 1.8


def test_that_counts_moving_both_ways_are_measured_by_the_norm() -> None:
    """One worker changes kind: (1, −1) is 2(1 − b) long, and with all the weight on totals it would be nothing."""
    before, after = state_of(((50, 50),)), state_of(((51, 49),))
    tail = tail_for(WEIGHTED, 2)
    found = block_gamma.SPEC.loss_between(WEIGHTED, before, after)
    (expected,) = spent(np.array([1.2 / (tail.kappa * 10.0)]), np.array([1.0]), tail)
    assert found == pytest.approx(expected, rel=1e-12)
    at = np.random.default_rng(5).standard_normal((200_000, 2)) * 3.0
    moved = np.array([1.0, -1.0]) / (tail.kappa * 10.0)
    seen = float(np.abs(log_density(at, tail) - log_density(at - moved, tail)).max())
    assert 0.9 * found < seen <= found * (1 + 1e-12)


def test_that_a_weight_that_leaves_no_norm_is_refused() -> None:
    for weight in ("1", "0.95", "-0.1"):
        (problem,) = problems_of(replace(WEIGHTED, total_weight=Decimal(weight)))
        assert problem.where == "total_weight"
    assert problems_of(replace(WEIGHTED, total_weight=Decimal(MOST.numerator) / MOST.denominator)) == ()


def test_that_one_worker_cell_needs_no_weight() -> None:
    assert tail_for(WEIGHTED, 1).totals == 0
    assert tail_for(WEIGHTED, 8).totals == Fraction(2, 5)


@pytest.mark.parametrize(("cells", "weight"), [(2, "0.5"), (8, "0.4"), (8, "0.75")])
def test_that_length_and_direction_have_their_laws(cells: int, weight: str) -> None:
    """The scale is large, so rounding does not show; directions against the auditor's own law, and its moments."""
    from scipy.stats import betaprime, kstest

    tail, rows = weighted(cells, weight), 20_000
    drawn = draw(scales(rows, 10**9), cells, radius_of(tail), seeded(17)).astype(np.float64) / 1e8
    length = norm(drawn, float(weight))
    law = betaprime(float(tail.core), float(tail.far)).cdf
    assert kstest(length ** float(tail.cells / tail.core), law).pvalue > 1e-4
    direction = drawn / length[:, None]
    declared = Coordinate(DeclaredRadius(cells, float(tail.core), float(tail.far), float(weight)))
    for cell in (0, cells - 1):
        assert kstest(np.abs(drawn[:, cell]), lambda y: 1.0 - declared.tail(np.asarray(y))).pvalue > 1e-4
    y = np.geomspace(0.02, 5.0, 7)
    slope = (declared.tail(y * 0.99) - declared.tail(y * 1.01)) / (0.02 * y)
    assert 2.0 * declared.density(y) == pytest.approx(slope, rel=0.01)
    known = moments(cells, Fraction(weight))
    for seen, told in (
        (np.abs(direction).sum(axis=1), known.sizes),
        (np.abs(direction.sum(axis=1)), known.total),
        (direction[:, 0] ** 2, known.cell_square),
        (direction[:, 0] * direction[:, 1], known.covariance(cells)),
    ):
        assert abs(seen.mean() - told) < 5 * seen.std() / math.sqrt(rows)
    assert abs(np.corrcoef(length < np.median(length), np.abs(direction[:, 0]))[0, 1]) < 5 / math.sqrt(rows)


def test_that_doubles_and_endless_digits_give_the_same_integers(monkeypatch: Any) -> None:
    """All values distrusted, and then all decisions about directions too, which the next words settle alike."""
    radius = radius_of(weighted(3))
    fast = draw(scales(120, 40), 3, radius, seeded(4))
    monkeypatch.setattr(
        block_sampler, "_rounded", lambda values, _: (np.zeros(values.shape, np.int64), all_rows(values))
    )
    assert np.array_equal(fast, draw(scales(120, 40), 3, radius, seeded(4)))


def test_that_doubles_and_endless_digits_accept_the_same_directions(monkeypatch: Any) -> None:
    """Doubles that trust nothing accept nothing and reject nothing: each first try is judged by digits."""
    words = seeded(5)
    raw, first, signs = words(900).reshape(300, 3), words(300), words(900).reshape(300, 3) % 2 == 0
    gap, bound = block_variates._waits(raw, signs, first, 0.4)
    assert np.all(np.abs(gap) > bound)
    for row in range(300):
        cells = [Uniform.begun(word) for word in raw[row].tolist()]
        exact = Direction(Fraction(2, 5), cells, signs[row].tolist(), Uniform.begun(int(first[row])))
        assert exact._accepted(words) == bool(gap[row] > 0)
    monkeypatch.setattr(block_variates, "_waits", lambda raw, *_: (np.zeros(len(raw)), np.ones(len(raw))))
    late = draw(scales(60, 10**9), 3, radius_of(weighted(3)), seeded(6)).astype(np.float64)
    assert len({tuple(row) for row in np.sign(late).tolist()}) > 4  # signs are those of the try that was accepted


@pytest.mark.parametrize("cells", [2, 8])
def test_that_expected_errors_and_covariances_are_those_of_draws(cells: int) -> None:
    tail, rng = weighted(cells), seeded(23)
    for size in (5, 60):
        drawn = draw(scales(40_000, size, tail.kappa), cells, radius_of(tail), rng).astype(np.float64)
        expected = float(mean_rounded(np.array([tail.kappa * max(0.1 * size, 1.0)]), tail)[0])
        seen = np.abs(drawn).mean(axis=1)
        assert abs(seen.mean() - expected) < 5 * seen.std() / math.sqrt(len(seen))
    error = np.abs(drawn.sum(axis=1)) / 6.0
    assert abs(error.mean() - tail.total_error_per_scale) < 5 * error.std() / math.sqrt(len(error)) + 0.02
    known = covariance_of(tail)
    assert known.shared < 0 < known.own
    assert known.own + cells * known.shared > 0  # the total varies too


def test_that_the_weight_is_told_with_what_it_buys() -> None:
    notes = block_gamma.SPEC.calibrate(replace(WEIGHTED, worker_cells=8), BlockCase(largest=Decimal(100))).notes
    (note,) = [note for note in notes if "workplace totals" in note]
    assert "11.1 jobs instead of 17.3" in note
    assert "8.28 instead of 5.52" in note


class Unweighted:
    """Draws as if there were no weight, and declares that there is one."""

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        return self.original.release(prepared, replace(params, total_weight=Decimal(0)), rng, context)


def test_that_the_audit_foresees_every_integer_and_sees_by_draws_where_the_weight_is_missing() -> None:
    subject = Subject(words=JOBS, prepared=hand_made.cells(), mechanism=block_gamma.SPEC, params=WEIGHTED)
    grid = trial_of(subject, part=(0, 6))
    assert grid is not None
    found = rehearsed(subject, grid.prepared.reveal(), 0)
    assert (found.different, found.trouble, found.unforeseeable) == (0, "", "")
    assert found.foreseen > 30
    from workbench.audit.declared_law.draws import watch

    trial = trial_of(subject)
    assert trial is not None
    for mechanism, fits in ((block_gamma.SPEC, True), (Unweighted(block_gamma.SPEC), False)):
        source = StudyRandom(1003)
        seen = watch(replace(subject, mechanism=mechanism), trial, draws=30_000, seed=3, context=QUIET,
                     source=lambda source=source: source)  # fmt: skip
        verdicts = [judged(pool, trial) for pool in seen.pools.values()]
        assert all(not verdict.failed for verdict in verdicts) is fits
