"""Post-processing of block noise: what it may read, what it keeps, and what it gains."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.contract.contexts import CancelAt, Listener
from tests.contract.mechanism_contract import accused, watch, watched
from tests.contract.twins import UnderNoised
from tests.products.employment_tables import hand_made
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.findings import Status
from workbench.core.params import parse, to_plain
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.block.components import Covariance
from workbench.products.employment_tables.mechanisms.block.gamma import BlockGammaParams
from workbench.products.employment_tables.mechanisms.block.laplace import BlockLaplaceParams
from workbench.products.employment_tables.mechanisms.block.post import (
    PostProcessing,
    on_simplex,
    processed,
    whole_numbers,
)
from workbench.products.employment_tables.mechanisms.block.scale_meter import (
    ScaleMeter,
    asked,
    exactly,
    most_units,
    seeded,
)
from workbench.products.employment_tables.mechanisms.block.steps import growth
from workbench.products.employment_tables.mechanisms.case import BlockCase
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Domain
from workbench.products.employment_tables.usefulness.noise_laws import noise_of

NONE, NON_NEGATIVE, CONSISTENT, COMPONENTS = PostProcessing
BOTH = [(block_gamma.SPEC, BlockGammaParams), (block_laplace.SPEC, BlockLaplaceParams)]
IDS = ["gamma", "laplace"]
NOISE = Covariance(0.64)
PLACES, SECTORS = 150, 8


def made_up(*, like_sectors: bool, seed: int = 3) -> Cells:
    """Places × sectors × 8 kinds of workers; shares follow the sector with some spread, or nothing at all."""
    rng = np.random.Generator(np.random.PCG64(seed))
    of_sector = rng.dirichlet(np.full(8, 1.5), size=SECTORS)
    cells = np.array([(p, s) for p in range(PLACES) for s in range(SECTORS) if rng.random() < 0.9], dtype=np.int32)
    total = np.ceil(np.exp(rng.normal(3.5, 1.8, len(cells)))).astype(np.int64)
    share = np.stack([rng.dirichlet(60 * of_sector[s] + 0.01) for _, s in cells])
    if not like_sectors:
        share = rng.dirichlet(np.full(8, 1.5), size=len(cells))
    count = np.stack([rng.multinomial(t, row) for t, row in zip(total, share, strict=True)])
    largest = np.ceil(total * rng.uniform(0.1, 1.0, len(total))).astype(np.int64)
    return table(count, largest, cells)


def table(count: NDArray[np.int64], largest: NDArray[np.int64], cells: NDArray[np.int32]) -> Cells:
    domain = Domain(
        workplace=(_attribute("place", PLACES), _attribute("sector", SECTORS)),
        worker=(_attribute("sex", 2), _attribute("education", 4)),
        workplace_cells=cells,
    )
    flat = count.ravel()
    return Cells(
        domain=domain,
        count=Confidential(flat),
        establishments=Confidential(np.sign(flat)),
        largest=Confidential(flat),
        largest_total=Confidential(flat),
        workplace_largest=Confidential(largest),
        jobs=int(flat.sum()),
        establishments_total=len(largest),
    )


def _attribute(name: str, values: int) -> Attribute:
    return Attribute(name=name, values=tuple(str(i) for i in range(values)))


def meter(cells: Cells) -> ScaleMeter:
    """One that answers without noise."""
    return ScaleMeter(
        largest=cells.workplace_largest, alpha=Alpha("0.1"), epsilon=Fraction(1, 100), noisy=lambda sums, *_: sums
    )


def error_of(cells: Cells, kind: PostProcessing, trials: int = 4) -> float:
    params = BlockGammaParams(post_processing=kind)
    true = cells.count.reveal()
    drawn = (block_gamma.SPEC.study(cells, params, StudyRandom(seed), QUIET).reveal().values for seed in range(trials))
    return float(np.mean([np.abs(values - true).sum() for values in drawn]))


def test_that_consistent_estimates_beat_clipping_where_shares_follow_the_sector() -> None:
    cells = made_up(like_sectors=True)
    raw, clipped, consistent, components = (error_of(cells, kind) for kind in PostProcessing)
    assert clipped < raw
    assert consistent < 0.9 * raw
    assert components < consistent < clipped


def test_that_consistent_estimates_do_no_harm_where_nothing_is_alike() -> None:
    cells = made_up(like_sectors=False)
    assert error_of(cells, CONSISTENT) < error_of(cells, NONE)
    assert error_of(cells, COMPONENTS) < 1.03 * error_of(cells, CONSISTENT)


def test_that_small_noise_is_not_taken_for_differences_between_workplaces() -> None:
    """Every establishment is small, so noise is; what varies is real. Borrowing as if it were noise would ruin it."""
    cells = made_up(like_sectors=False)
    small = dataclasses.replace(cells, workplace_largest=Confidential(np.ones(len(cells.domain.workplace_cells), int)))
    assert error_of(small, CONSISTENT) < 1.1 * error_of(small, NONE)
    assert error_of(small, COMPONENTS) < 1.1 * error_of(small, NONE)


@pytest.mark.parametrize("kind", [CONSISTENT, COMPONENTS])
@pytest.mark.parametrize("like_sectors", [True, False])
def test_that_estimates_are_whole_not_negative_and_every_listed_workplace_has_somebody(
    like_sectors: bool, kind: PostProcessing
) -> None:
    cells = made_up(like_sectors=like_sectors)
    release = block_gamma.SPEC.release(cells, BlockGammaParams(post_processing=kind), ReleaseRandom(), QUIET)
    assert release.values.dtype == np.int64
    assert release.values.min() >= 0
    assert release.values.reshape(-1, 8).sum(axis=1).min() >= 1


def test_that_a_full_list_of_combinations_may_hold_empty_workplaces() -> None:
    """Where every combination is listed, the list says nothing about who is there."""
    grid = np.array([(p, s) for p in range(PLACES) for s in range(SECTORS)], dtype=np.int32)
    empty = table(np.zeros((len(grid), 8), dtype=np.int64), np.zeros(len(grid), dtype=np.int64), grid)
    release = block_gamma.SPEC.release(empty, BlockGammaParams(post_processing=CONSISTENT), ReleaseRandom(), QUIET)
    assert release.values.reshape(-1, 8).sum(axis=1).min() == 0


def test_that_sums_over_many_workplaces_stay_right_on_average() -> None:
    """Clipping inflates the whole; consistent estimates keep it near the truth."""
    cells = made_up(like_sectors=True)
    true, off = cells.count.reveal(), {}
    for kind in PostProcessing:
        params = BlockGammaParams(post_processing=kind)
        drawn = [
            block_gamma.SPEC.study(cells, params, StudyRandom(seed), QUIET).reveal().values.sum() for seed in range(12)
        ]
        off[kind] = abs(float(np.mean(drawn)) / true.sum() - 1.0)
    assert off[CONSISTENT] < 0.5 * off[NON_NEGATIVE]


def test_that_asking_for_the_size_of_the_noise_tells_no_more_than_its_part() -> None:
    """Brute force: over sizes and steps the answer moves by no more than the noise of the query covers."""
    for alpha in ("0.01", "0.1", "0.5", "0.99"):
        most = most_units(float(alpha))
        for size in (0, 1, 2, 5, 9, 10, 11, 19, 20, 99, 100, 1000, 12345):
            before, after = _units(size, alpha), _units(size + growth(size, Fraction(alpha)), alpha)
            assert np.abs(before - after).max() <= most
    assert asked(1.0, 0.1, 0.01) == 0.0
    assert 0.0 < asked(1.1, 0.1, 0.01) <= 0.01


def _units(size: int, alpha: str) -> NDArray[np.int64]:
    """What the query adds up for one workplace cell with this largest establishment, at totals of every size."""
    totals = np.exp(np.linspace(0, 12, 200))
    seen: list[NDArray[np.int64]] = []

    def noisy(sums: NDArray[np.int64], most: int, epsilon: Fraction) -> NDArray[np.int64]:
        del most, epsilon
        seen.append(sums)
        return sums

    given = ScaleMeter(
        largest=Confidential(np.full(len(totals), size)), alpha=Alpha(alpha), epsilon=Fraction(1, 100), noisy=noisy
    )
    given.mean_squares([np.array([i]) for i in range(len(totals))], totals)
    return seen[0]


def test_that_the_answer_is_the_mean_square_up_to_the_slack_of_its_noise() -> None:
    cells = made_up(like_sectors=True)
    largest, total = cells.workplace_largest.reveal(), cells.count.reveal().reshape(-1, 8).sum(axis=1).astype(float)
    rows = np.arange(len(total))
    (answer,) = meter(cells).mean_squares([rows], total)
    exact = np.mean((np.maximum(0.1 * largest, 1) / np.maximum(0.1 * total, 1)) ** 2)
    slack = most_units(0.1) / 0.01 / 4096 / len(rows)
    assert exact - slack - 2 / 4096 <= answer <= exact
    drawn = [
        dataclasses.replace(meter(cells), noisy=source).mean_squares([rows], total)[0]
        for source in (exactly(ReleaseRandom()), seeded(StudyRandom(1)))
    ]
    assert all(abs(value - answer) < 20 * slack for value in drawn)


@pytest.mark.parametrize("cells", [1, 8])
def test_that_noise_and_question_together_spend_what_was_set(cells: int) -> None:
    consistent = block_gamma.SPEC.calibrate(
        BlockGammaParams(worker_cells=cells, post_processing=CONSISTENT), BlockCase()
    )
    assert consistent.spent_epsilon == pytest.approx(2.0, rel=1e-9)
    assert consistent.spent_epsilon <= 2.0 * (1 + 1e-9)
    plain = block_gamma.SPEC.calibrate(BlockGammaParams(worker_cells=cells), BlockCase())
    assert plain.scale < consistent.scale < 1.02 * plain.scale


def test_that_only_drawn_values_and_the_public_list_are_read() -> None:
    cells, other = made_up(like_sectors=True), made_up(like_sectors=True, seed=3)
    hidden = dataclasses.replace(
        other,
        **{
            name: Confidential(np.zeros_like(getattr(other, name).reveal()))
            for name in ("count", "establishments", "largest", "largest_total", "workplace_largest")
        },
        jobs=0,
        establishments_total=0,
    )
    noisy, given = cells.count.reveal() + StudyRandom(1).generator.integers(-5, 6, cells.domain.cells), meter(cells)
    for kind in PostProcessing:
        first, second = (
            processed(noisy.copy(), data, kind, noise=Covariance(0.64), meter=given, context=QUIET)
            for data in (cells, hidden)
        )
        assert np.array_equal(first, second)


def test_that_one_attribute_alone_borrows_nothing() -> None:
    """Nothing public says which of the workplace cells are alike, so totals stay as drawn."""
    cells = made_up(like_sectors=True)
    count = cells.count.reveal().reshape(-1, 8)[:PLACES]
    alone = dataclasses.replace(
        cells,
        domain=dataclasses.replace(
            cells.domain,
            workplace=(_attribute("place", PLACES + 1),),
            workplace_cells=np.arange(PLACES, dtype=np.int32)[:, None],
        ),
    )
    noisy = (count + StudyRandom(4).generator.integers(-3, 4, count.shape)).ravel()
    made = processed(noisy, alone, CONSISTENT, noise=NOISE, meter=meter(alone), context=QUIET).reshape(-1, 8)
    drawn = noisy.reshape(-1, 8)
    assert np.array_equal(made.sum(axis=1), np.maximum(drawn.sum(axis=1), 1))
    clear = drawn.min(axis=1) >= 0
    assert clear.any()
    assert np.array_equal(made[clear & (drawn.sum(axis=1) > 0)], drawn[clear & (drawn.sum(axis=1) > 0)])


def test_that_the_projection_is_the_nearest_point() -> None:
    """Karush, Kuhn and Tucker: the same amount is taken off every part that stays, and no less off the others."""
    rng = StudyRandom(6).generator
    values, total = rng.normal(0, 10, (500, 6)), rng.integers(0, 40, 500).astype(np.float64)
    near = on_simplex(values, total)
    assert near.min() >= 0.0
    assert near.sum(axis=1) == pytest.approx(total, abs=1e-9)
    off = values - near
    cut = np.where(near > 0, off, -np.inf).max(axis=1)
    kept = total > 0
    assert np.abs(np.where(near > 0, off - cut[:, None], 0.0))[kept].max() < 1e-9
    assert np.where(near > 0, -np.inf, off - cut[:, None])[kept].max() < 1e-9


def test_that_rounding_keeps_sums_and_moves_no_value_by_a_whole() -> None:
    rng = StudyRandom(7).generator
    estimate = rng.normal(3, 4, (2000, 8))
    made = whole_numbers(estimate, 1)
    total = np.maximum(np.rint(estimate.sum(axis=1)), 1)
    assert np.array_equal(made.sum(axis=1), total)
    assert np.abs(made - on_simplex(estimate, total)).max() < 1.0
    assert made.min() >= 0
    huge = np.array([[2.0**50, -(2.0**50), 3.0]])
    assert whole_numbers(huge, 0).sum() == 3


@pytest.mark.parametrize(("spec", "cls"), BOTH, ids=IDS)
def test_that_the_black_box_judges_post_processed_values_as_well(spec: Any, cls: Any) -> None:
    params, data = cls(post_processing=CONSISTENT), hand_made.cells()
    assert not accused(watched(spec, params, data), lambda: watch(spec, params, data))
    if spec is block_gamma.SPEC:
        assert all(finding.status is Status.FAIL for finding in watched(UnderNoised(spec), params, data))


@pytest.mark.parametrize(("spec", "cls"), BOTH, ids=IDS)
def test_that_no_closed_form_is_claimed_and_the_exact_audit_stays_within_the_claim(spec: Any, cls: Any) -> None:
    data = hand_made.cells()
    for kind in (NON_NEGATIVE, CONSISTENT, COMPONENTS):
        params = cls(post_processing=kind)
        assert spec.expected_error(data, params) is None
        assert noise_of(spec, params, 2) is None
        exact = spec.exact_loss(data, params, QUIET)
        assert exact.epsilon <= 2.0 * (1 + 1e-9)
        assert exact.delta <= float(getattr(params, "delta", 0))
        assert any("post-processing" in note for note in spec.calibrate(params, BlockCase()).notes)


@pytest.mark.parametrize(("spec", "cls"), BOTH, ids=IDS)
def test_that_the_claim_says_what_was_done_and_that_it_is_free(spec: Any, cls: Any) -> None:
    plain = spec.claim(None, cls())
    assert "afterwards" not in plain.sentence
    for kind in (NON_NEGATIVE, CONSISTENT, COMPONENTS):
        claim = spec.claim(None, cls(post_processing=kind))
        assert "costs no privacy" in claim.sentence
        assert (claim.epsilon, claim.delta, claim.definition) == (plain.epsilon, plain.delta, plain.definition)


@pytest.mark.parametrize("cls", [BlockGammaParams, BlockLaplaceParams])
def test_that_plans_written_before_are_read_as_they_were_meant(cls: Any) -> None:
    """Every stored plan names `non_negative`; it must keep its meaning."""
    older = {"epsilon": "2", "non_negative": False}
    assert parse(cls, older).post_processing is NONE
    assert parse(cls, {**older, "non_negative": True}).post_processing is NON_NEGATIVE
    assert parse(cls, to_plain(cls(post_processing=CONSISTENT))).post_processing is CONSISTENT
    with pytest.raises(UserProblem, match="non_negative"):
        parse(cls, {"non_negative": True, "post_processing": "none"})


def test_that_post_processing_can_be_stopped_and_reports_in_order() -> None:
    cells, listener = made_up(like_sectors=True), Listener()
    params = BlockGammaParams(post_processing=CONSISTENT)
    block_gamma.SPEC.study(cells, params, StudyRandom(1), listener)
    assert listener.fractions == sorted(listener.fractions)
    assert any("alike" in sentence for sentence in listener.sentences)
    with pytest.raises(Cancelled):
        block_gamma.SPEC.study(cells, params, StudyRandom(1), CancelAt(len(listener.sentences) - 2))
