"""Block noise as it is drawn: its law, and that no value depends on where double precision ends."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.core.randomness import ReleaseRandom
from workbench.products.employment_tables.mechanisms.block import sampler as block_sampler
from workbench.products.employment_tables.mechanisms.block import variates as block_variates
from workbench.products.employment_tables.mechanisms.block.exact import (
    LARGEST,
    Direction,
    Gamma,
    Radius,
    decide_laplace,
    decide_radial,
)
from workbench.products.employment_tables.mechanisms.block.intervals import Uniform
from workbench.products.employment_tables.mechanisms.block.sampler import Scales, draw
from workbench.products.employment_tables.mechanisms.block.tail import best_tail

TENTH = Decimal("0.1")


def scales(blocks: int, largest: int, kappa: float = 1.0) -> Scales:
    return Scales(kappa=kappa, alpha=TENTH, largest=np.full(blocks, largest, dtype=np.int64))


def radius_of(cells: int) -> Radius:
    tail = best_tail(2.0, 0.1, cells)
    assert tail is not None
    return Radius(cells=cells, core=tail.core, far=tail.far)


def seeded(seed: int) -> Callable[[int], NDArray[np.uint64]]:
    rng = np.random.default_rng(seed)
    return lambda count: rng.integers(0, 2**64, size=count, dtype=np.uint64)


@pytest.mark.parametrize(
    "radius",
    [
        *(radius_of(cells) for cells in (1, 2, 8)),
        Radius(cells=3, core=Fraction(3, 8), far=Fraction(5, 8)),
        Radius(cells=4, core=Fraction(2), far=Fraction(3)),
        Radius(cells=2, core=Fraction(1, 128), far=Fraction(1, 2)),  # shares too small for doubles are drawn too
    ],
    ids=lambda radius: f"{radius.cells}-{radius.core}-{radius.far}".replace("/", "_"),
)
def test_that_length_direction_and_signs_have_their_laws(radius: Radius) -> None:
    """Against beta, gamma and sign laws of scipy; the scale is large, so rounding does not show."""
    from scipy.stats import beta, betaprime, kstest

    drawn = draw(scales(20_000, 10**9), radius.cells, radius, ReleaseRandom().words).astype(np.float64)
    length = np.abs(drawn).sum(axis=1) / 1e8
    assert (
        kstest(length ** float(radius.cells / radius.core), betaprime(float(radius.core), float(radius.far)).cdf).pvalue
        > 1e-5
    )
    if radius.cells > 1:
        share = np.abs(drawn[:, -1]) / np.abs(drawn).sum(axis=1)
        assert kstest(share, beta(1, radius.cells - 1).cdf).pvalue > 1e-5
        assert abs(np.corrcoef(length < np.median(length), share)[0, 1]) < 5 / np.sqrt(20_000)
    assert np.all(np.abs((drawn > 0).mean(axis=0) - 0.5) < 5 * 0.5 / np.sqrt(20_000))


def test_that_vector_laplace_is_rounded_laplace_in_every_cell() -> None:
    from scipy.stats import chisquare

    drawn = draw(scales(30_000, 30), 3, None, ReleaseRandom().words)
    values = np.arange(-12, 13)
    upper = np.where(
        values + 0.5 > 0, 1 - 0.5 * np.exp(-np.abs(values + 0.5) / 3), 0.5 * np.exp(-np.abs(values + 0.5) / 3)
    )
    probability = np.diff(np.concatenate([[0.0], upper[:-1], [1.0]]))
    seen = np.array([np.sum(np.clip(drawn, -12, 12) == value) for value in values])
    assert chisquare(seen, probability * drawn.size).pvalue > 1e-5
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]) < 5 / np.sqrt(30_000)


@pytest.mark.parametrize("cells", [None, 1, 3])
def test_that_doubles_and_endless_digits_give_the_same_integers(cells: int | None, monkeypatch: Any) -> None:
    """The same first bits once through doubles and once, all of them distrusted, through intervals."""
    radius = None if cells is None else radius_of(cells)
    fast = draw(scales(120, 40), cells or 2, radius, seeded(4))
    monkeypatch.setattr(
        block_sampler, "_rounded", lambda values, _: (np.zeros(values.shape, np.int64), all_rows(values))
    )
    slow = draw(scales(120, 40), cells or 2, radius, seeded(4))
    assert np.array_equal(fast, slow)


def all_rows(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.ones(len(values), dtype=bool)


@pytest.mark.parametrize("ulp", [1e-6, 0.01])
def test_that_a_coarser_trust_in_doubles_changes_nothing(ulp: float, monkeypatch: Any) -> None:
    radius = radius_of(2)
    fast = draw(scales(150, 40), 2, radius, seeded(9))
    monkeypatch.setattr(block_sampler, "ULP", ulp)
    assert np.array_equal(fast, draw(scales(150, 40), 2, radius, seeded(9)))


def test_that_error_bounds_hold_against_many_digits() -> None:
    """Gamma variates and exponentials in doubles lie within their bounds of the exact value of the same words."""
    drawn = block_variates.drawn_gammas(300, Fraction(19, 8), seeded(12))
    for row in range(300):
        with decimal.localcontext(prec=60):
            low, high = drawn.lazily(row).bounds()
        bound, value = float(drawn.size.slack[row]), float(drawn.size.value[row])
        assert float(low) - bound <= value <= float(high) + bound
        assert bound < 1e-9


def test_that_more_bits_are_drawn_while_a_value_straddles_a_threshold() -> None:
    """U whose −ln U rounds differently at both ends of its known interval: the next bits decide."""
    with decimal.localcontext(prec=60):
        threshold = int(Decimal("-2.5").exp() * 2**64)
    asked: list[int] = []

    def words(bit: int) -> Callable[[int], NDArray[np.uint64]]:
        def some(count: int) -> NDArray[np.uint64]:
            asked.append(count)
            return np.full(count, bit, dtype=np.uint64)

        return some

    assert decide_laplace([threshold], scale=lambda: Decimal(1), words=words(0)) == [3]
    assert decide_laplace([threshold], scale=lambda: Decimal(1), words=words(2**64 - 1)) == [2]
    assert asked


def test_that_a_word_of_zeros_is_a_very_large_value_and_not_an_error() -> None:
    words = seeded(1)
    (value,) = decide_laplace([0], scale=lambda: Decimal(1), words=words)
    assert 44 <= value < 200
    far = Gamma(rest=Fraction(0), whole=[Uniform.begun(0)], part=None)
    near = Gamma(rest=Fraction(0), whole=[Uniform.begun(2**64 - 1)], part=None)
    radius = Radius(cells=1, core=Fraction(1), far=Fraction(1))
    assert decide_radial((near, far), Direction.plain([5]), radius, scale=lambda: Decimal(10) ** 40, words=words) == [
        LARGEST
    ]


def test_that_blocks_have_their_own_scale() -> None:
    both = Scales(kappa=1.0, alpha=TENTH, largest=np.array([10, 100_000] * 5000, dtype=np.int64))
    drawn = np.abs(draw(both, 1, None, ReleaseRandom().words))
    assert drawn[0::2].mean() == pytest.approx(0.5 / np.sinh(0.5), rel=0.1)
    assert drawn[1::2].mean() == pytest.approx(10_000, rel=0.1)
