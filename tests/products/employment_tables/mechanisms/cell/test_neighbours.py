"""Neighbours for the black box are neighbours indeed, and broken variants of the mechanisms are caught on them."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest

from tests.contract.mechanism_contract import accused
from tests.contract.twins import Floating, Twin
from tests.products.employment_tables import hand_made
from tests.published import with_values
from workbench.audit import black_box
from workbench.audit.contract import Subject
from workbench.core.confidential import Confidential
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import Alpha
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import AnyMechanism, Release
from workbench.products.employment_tables.mechanisms.cell import log_laplace, smooth_gamma, smooth_laplace
from workbench.products.employment_tables.mechanisms.cell.audit import block_sums
from workbench.products.employment_tables.mechanisms.cell.neighbours import grown
from workbench.products.employment_tables.mechanisms.cell.steps import Sizes, Window
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells
from workbench.products.employment_tables.words import JOBS

MECHANISMS: tuple[AnyMechanism, ...] = (log_laplace.SPEC, smooth_gamma.SPEC, smooth_laplace.SPEC)
SCALED: tuple[AnyMechanism, ...] = (smooth_gamma.SPEC, smooth_laplace.SPEC)
QUICK = black_box.BlackBoxParams(draws=40_000, release_draws=12_000, seed=3)


def watched(mechanism: Any, params: Any, prepared: Cells) -> tuple[Finding, ...]:
    return black_box.SPEC.run(Subject(words=JOBS, prepared=prepared, mechanism=mechanism, params=params), QUICK, QUIET)


@pytest.mark.parametrize("worker", [False, True])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.id)
def test_that_every_group_of_a_grown_establishment_stays_within_the_window(
    mechanism: AnyMechanism, worker: bool
) -> None:
    data, window = hand_made.cells(worker=worker), Window(alpha=Alpha("0.1"))
    pairs = mechanism.neighbours(data, mechanism.params(), 3)
    assert len(pairs) >= 3
    for pair in pairs:
        more, fewer = pair.first.reveal(), pair.second.reveal()
        gained = (more.count.reveal() - fewer.count.reveal())[: pair.outputs]
        assert gained.sum() > 0
        assert np.all(gained >= 0)
        assert len(more.count.reveal()) == pair.copies * pair.outputs == more.domain.cells
        assert np.all(gained <= window.growth(fewer.largest.reveal()[: pair.outputs]))
        assert gained.sum() <= window.growth(fewer.workplace_largest.reveal()[:1])[0]
        assert np.all(more.largest.reveal() <= more.count.reveal())


@pytest.mark.parametrize("seed", range(6))
def test_that_growth_keeps_every_attribute_defined_group_within_the_window(seed: int) -> None:
    rng = np.random.Generator(np.random.PCG64(seed))
    worker = (Attribute(name="sex", values=("F", "M")), Attribute(name="school", values=("a", "b", "c")))
    window, sizes = Window(alpha=Alpha("0.15")), rng.integers(0, 30, 6)
    gained = grown(sizes, worker, window)
    assert gained.sum() > 0
    groups = itertools.product((None, 0, 1), (None, 0, 1, 2))
    for sex, school in groups:
        inside = [i for i in range(6) if sex in (None, i // 3) and school in (None, i % 3)]
        before, after = int(sizes[inside].sum()), int((sizes + gained)[inside].sum())
        assert after <= max(int(before * 1.15 + 1e-9), before + 1)


def test_that_an_empty_workplace_moves_one_worker_cell_only() -> None:
    """One worker more is in one worker cell: the others of the workplace cell cannot lose at the same time."""
    data = hand_made.cells([("E1", 0, 0, (1, 0)), ("E2", 1, 1, (40, 60))])
    sums = block_sums(data, np.ones(data.domain.cells), Window(alpha=Alpha("0.1")))
    filled = data.workplace_largest.reveal() >= 20
    assert np.all(sums[~filled] == 1.0)
    assert np.all(sums[filled] == 2.0)


def test_that_sizes_lead_back_to_their_cells() -> None:
    for cells in (np.array([5, 0, 5, 7]), np.array([3_000_000, 1, 3_000_000]), np.zeros(0, dtype=np.int64)):
        sizes = Sizes.of(cells)
        assert np.array_equal(sizes.values[sizes.where], cells)
        assert len(set(sizes.values.tolist())) == len(sizes.values)


@pytest.mark.parametrize("ceiling", [False, True])
@pytest.mark.parametrize("alpha", ["0.01", "0.1", "0.15", "0.33"])
def test_that_shrinking_is_growing_backwards(alpha: str, ceiling: bool) -> None:
    window, sizes = Window(alpha=Alpha(alpha), ceiling=ceiling), np.arange(400)
    reach = sizes + window.growth(sizes)
    for size, lost in zip(sizes.tolist(), window.shrinkage(sizes).tolist(), strict=True):
        assert lost == max((size - low for low in range(size) if reach[low] >= size), default=0)


class WrongCell(Twin):
    """Scales each cell's noise by the largest establishment of the next cell."""

    def release(self, prepared: Cells, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        return self.original.release(_shifted(prepared), params, rng, context)

    def study(self, prepared: Cells, params: Any, rng: StudyRandom, context: Context) -> Any:
        return self.original.study(_shifted(prepared), params, rng, context)

    def neighbours(self, prepared: Cells, params: Any, copies: int) -> Any:
        """Watched where it goes wrong: a large cell beside a small one."""
        pair = self.original.neighbours(prepared, params, copies // 2)[0]
        first, second = (Confidential(_beside_a_small_one(side.reveal())) for side in (pair.first, pair.second))
        return (dataclasses.replace(pair, first=first, second=second, outputs=2),)


def _shifted(prepared: Cells) -> Cells:
    return dataclasses.replace(prepared, largest=Confidential(np.roll(prepared.largest.reveal(), -1)))


def _beside_a_small_one(cells: Cells) -> Cells:
    """Every copy twice: as it is, and a cell of three jobs that is the same on both sides."""

    def woven(values: Confidential[Any]) -> Confidential[Any]:
        return Confidential(np.stack([values.reveal(), np.full(len(values.reveal()), 3)], axis=1).ravel())

    domain = dataclasses.replace(cells.domain, workplace_cells=np.repeat(cells.domain.workplace_cells, 2, axis=0))
    return dataclasses.replace(cells, domain=domain, count=woven(cells.count), largest=woven(cells.largest))


class HalfScale(Twin):
    """Publishes with half the noise: the mean of the draw and the truth, as integers."""

    def release(self, prepared: Cells, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        whole = self.original.release(prepared, params, rng, context)
        return with_values(whole, (whole.values + prepared.count.reveal()) // 2)

    def study(self, prepared: Cells, params: Any, rng: StudyRandom, context: Context) -> Any:
        whole = self.original.study(prepared, params, rng, context).reveal()
        return Confidential(with_values(whole, (whole.values + prepared.count.reveal()) // 2))


LARGE = [("E1", 0, 0, (300, 0)), ("E2", 1, 0, (4, 0)), ("E3", 1, 1, (60, 0))]


@pytest.mark.parametrize("mechanism", SCALED, ids=lambda one: one.id)
def test_that_a_largest_establishment_from_the_wrong_cell_is_caught(mechanism: AnyMechanism) -> None:
    data = hand_made.cells(LARGE, worker=False)
    for finding in watched(WrongCell(mechanism), mechanism.params(), data):
        assert finding.status is Status.FAIL, finding.sentence
    assert not accused(
        watched(mechanism, mechanism.params(), data), lambda: watched(mechanism, mechanism.params(), data)
    )


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.id)
@pytest.mark.parametrize("twin", [HalfScale, Floating])
def test_that_half_the_scale_and_floats_are_caught(mechanism: AnyMechanism, twin: type[Twin]) -> None:
    data = hand_made.cells(LARGE, worker=False)
    for finding in watched(twin(mechanism), mechanism.params(), data):
        assert finding.status is Status.FAIL, finding.sentence
