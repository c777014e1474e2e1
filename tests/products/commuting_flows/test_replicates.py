"""Replicates: what they hold, what they cost, and how they are combined."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from tests.products.commuting_flows.few_flows import populations
from tests.products.commuting_flows.test_job_counts import NAMES, PARAMS, inputs
from workbench.audit.contract import Subject
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Release
from workbench.products.commuting_flows import noisy_flows, synthetic_residences
from workbench.products.commuting_flows.audit import flow_budget, posterior_ratio
from workbench.products.commuting_flows.flows.replicates import flows_of
from workbench.products.commuting_flows.flows.structures import POPULATION, SIZES, WORKERS, workers_by_replicate
from workbench.products.commuting_flows.job_counts import CLASSES, classes_of
from workbench.products.commuting_flows.noisy_flows import NoisyFlowsParams
from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
from workbench.products.commuting_flows.noisy_flows.fit import fit
from workbench.products.commuting_flows.noisy_flows.layout import layout_of
from workbench.products.commuting_flows.noisy_flows.measure import measure
from workbench.products.commuting_flows.noisy_flows.mechanism import question, rows_of
from workbench.products.commuting_flows.product import SPEC
from workbench.products.commuting_flows.replicate_means import combined
from workbench.products.commuting_flows.study.prepared import prepared_twin, twin_inputs
from workbench.products.commuting_flows.synthetic_residences import MinimumPrior, SyntheticResidencesParams

THREE = NoisyFlowsParams(replicates=3)
ONE_DRAW = SyntheticResidencesParams(
    minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal("0.5"), pruning=False, prior_weight=Decimal(0)
)


@pytest.fixture(scope="module")
def prepared() -> Any:
    return made.listed()


@pytest.fixture(scope="module")
def release(prepared: Any) -> Release:
    return noisy_flows.SPEC.release(prepared, THREE, ReleaseRandom(), QUIET)


def test_that_every_replicate_has_the_noisy_sizes_and_no_row_is_empty_in_all(prepared: Any, release: Release) -> None:
    (sizes,) = (answer.drawn for answer in release.answers if answer.name == SIZES)
    workers = workers_by_replicate(release)
    assert workers.shape[1] == 3 and workers.max(axis=1).min() >= 1
    for number in range(3):
        mine = flows_of(release, number)
        assert mine.workers.min() >= 1
        held = np.bincount(mine.population, mine.workers, prepared.populations)
        assert np.array_equal(held, np.maximum(sizes, 0))
    assert prepared.row_rule(release).kept


def test_that_a_replicate_with_another_size_is_caught(prepared: Any, release: Release) -> None:
    release.units(f"{WORKERS} 3").integers[0] += 1
    try:
        assert not prepared.row_rule(release).kept
        subject = Subject(
            prepared=prepared, mechanism=noisy_flows.SPEC, params=THREE, release=release, words=SPEC.words
        )
        found = flow_budget.SPEC.run(subject, flow_budget.SPEC.params(), QUIET)
        assert found[0].status is Status.FAIL
    finally:
        release.units(f"{WORKERS} 3").integers[0] -= 1


def test_that_noisy_flows_draw_once_and_claim_the_same(prepared: Any, release: Release) -> None:
    alone = noisy_flows.SPEC.release(prepared, NoisyFlowsParams(), ReleaseRandom(), QUIET)
    assert [answer.name for answer in release.answers] == [answer.name for answer in alone.answers]
    one, three = (noisy_flows.SPEC.claim(prepared, each) for each in (NoisyFlowsParams(), THREE))
    assert (one.epsilon, one.delta, one.sentence) == (three.epsilon, three.delta, three.sentence)
    (more,) = set(three.assumptions) - set(one.assumptions)
    assert "cost what one of them costs" in more


def test_that_replicates_average_to_what_was_estimated(prepared: Any) -> None:
    """The mean of many roundings of one estimate is the estimate, and nine in ten margins of five cover it."""
    layout = layout_of(prepared, QUIET)
    rng = StudyRandom(3)
    params = NoisyFlowsParams(epsilon=Epsilon(2))
    measured, _ = measure(shape_of(layout), true_counts(prepared, layout), question(params), rng, QUIET)
    fitted = fit(layout, measured, QUIET)
    drawn = rows_of(layout, fitted, rng, QUIET, replicates=500)
    workers, population = workers_by_replicate(drawn), drawn.coded(POPULATION).codes
    block = drawn.coded("block").codes
    largest = int(np.argmax(fitted.workers))
    held = np.zeros((len(prepared.geography.blocks), 500))
    np.add.at(held, block[population == largest], workers[population == largest])
    cells = fitted.cells[largest] * fitted.workers[largest] / fitted.cells[largest].sum()
    of_cell = layout.cells_of(np.full(len(held), layout.area_of[largest]), np.arange(len(held), dtype=np.int32))
    for cell in np.unique(of_cell):
        mean, spread = held[of_cell == cell].sum(axis=0).mean(), held[of_cell == cell].sum(axis=0).std()
        assert mean == pytest.approx(cells[cell], abs=4.5 * max(spread, 0.05) / math.sqrt(500))
    expected = held.mean(axis=1)
    some = np.flatnonzero(held.var(axis=1) > 0.2)
    means, margins = combined(held[some].reshape(-1, 5).astype(np.int64))
    covered = np.abs(means - np.repeat(expected[some], 100)) <= margins + 1e-9
    assert 0.85 < covered.mean() < 0.97


def test_that_margins_are_reiters_and_never_zero_for_counts_that_agree() -> None:
    mean, margin = combined(np.array([[1, 2, 3], [4, 4, 4]]))
    assert mean.tolist() == [2.0, 4.0]
    assert margin.tolist() == pytest.approx([2.919986 * math.sqrt(1.0 / 3.0), 1.0 - 0.1 ** (1.0 / 3.0)], abs=1e-5)


@pytest.mark.parametrize("several", [2, 5, 20])
def test_that_margins_cover_the_mean_of_many_replicates_nine_times_in_ten(several: int) -> None:
    """Over all rows that are published, and among those of few jobs: two replicates often agree by chance."""
    flows = prepared_twin(twin_inputs(state="", jobs=6_000, seed=8, context=QUIET))
    layout, rng = layout_of(flows, QUIET), StudyRandom(9)
    measured, _ = measure(shape_of(layout), true_counts(flows, layout), question(NoisyFlowsParams()), rng, QUIET)
    drawn = rows_of(layout, fit(layout, measured, QUIET), rng, QUIET, replicates=200)
    tract = flows.geography.area_of[0][drawn.coded("block").codes].astype(np.int64)
    key = flows.support_of[drawn.coded(POPULATION).codes] * len(flows.geography.areas[0]) + tract
    rows, place = np.unique(key, return_inverse=True)
    held = np.zeros((len(rows), 200), dtype=np.int64)
    np.add.at(held, place, workers_by_replicate(drawn))
    expected = np.repeat(held.mean(axis=1), 200 // several)
    parts = held.reshape(-1, several)
    means, margins = combined(parts)
    covered, published = np.abs(means - expected) <= margins, parts.max(axis=1) > 0
    assert covered[published].mean() > 0.9
    assert covered[published & (expected > 0.3) & (expected < 3.0)].mean() > 0.88


def test_that_the_table_has_a_column_each_with_means_beside_it(prepared: Any, release: Release) -> None:
    table = SPEC.public_table(prepared, release)
    assert [column.name for column in table.value_columns] == ["workers_1", "workers_2", "workers_3"]
    means = table.published_beside
    assert means is not None
    assert means.names == ("work_tract", "home_tract", "mean", "margin_of_error")
    totals = table.values.sum(axis=0)
    assert means.units("mean").numbers().sum() == pytest.approx(totals.mean(), abs=0.005 * means.rows)
    files = {file.name: file for file in SPEC.outputs(table)}
    assert {"table.csv", "replicate-means.csv", "replicates.md"} <= files.keys()
    guide = files["replicates.md"].write().decode()
    assert (
        "`workers_1` to `workers_3`" in guide and "2.920" in guide and "0.54 jobs" in guide and "Reiter (2003)" in guide
    )
    alone = SPEC.public_table(prepared, noisy_flows.SPEC.release(prepared, NoisyFlowsParams(), ReleaseRandom(), QUIET))
    assert alone.published_beside is None and "replicates.md" not in {file.name for file in SPEC.outputs(alone)}


def test_that_the_four_job_counts_nest_in_every_replicate() -> None:
    flows = SPEC.prepare(inputs(), PARAMS, QUIET)
    table = SPEC.public_table(flows, noisy_flows.SPEC.release(flows, THREE, ReleaseRandom(), QUIET))
    assert table.names[2:] == tuple(f"{name}_{number}" for number in (1, 2, 3) for name in NAMES)
    for start in range(0, 12, len(CLASSES)):
        assert all(np.all(held >= 0) for held in classes_of(list(table.values.T[start : start + 4])))
    means = table.published_beside
    assert means is not None
    every = table.values[:, ::4].sum(axis=0).mean()
    assert means.units("mean_JT00").numbers().sum() == pytest.approx(every, abs=0.005 * means.rows)
    (side,) = SPEC.side_by_side(flows, table, ())
    assert side.compared[0].name.endswith("replicate 1")
    assert side.compared[0].columns[-1].values.reveal().sum() == table.values[:, 0].sum()


def test_that_every_synthetic_replicate_costs_again() -> None:
    data = made.prepared()
    one, three = (SyntheticResidencesParams(replicates=many) for many in (1, 3))
    mechanism = synthetic_residences.SPEC
    claims = [mechanism.claim(data, each) for each in (one, three)]
    losses = [mechanism.exact_loss(data, each, QUIET) for each in (one, three)]
    assert claims[1].epsilon == 3 * claims[0].epsilon and claims[1].delta == 3 * claims[0].delta
    assert losses[1].epsilon == pytest.approx(3 * losses[0].epsilon) and losses[1].epsilon <= float(claims[1].epsilon)
    assert losses[1].epsilon > float(claims[0].epsilon), "three draws would break the claim of one"
    assert any("3 replicates" in each for each in claims[1].assumptions)
    subject = Subject(prepared=data, mechanism=mechanism, params=three, release=None, words=SPEC.words)
    found = posterior_ratio.SPEC.run(subject, posterior_ratio.SPEC.params(), QUIET)
    assert [each.status for each in found[1:]] == [Status.PASS, Status.PASS]
    assert "drawn 3 times" in found[2].sentence
    assert found[2].values["total_epsilon"] == pytest.approx(losses[1].epsilon)


def test_that_the_joint_law_of_synthetic_replicates_attains_the_product() -> None:
    """One worker at one of two points, two replicates: the largest log ratio of both is twice that of one."""
    from dataclasses import replace

    params = replace(ONE_DRAW, replicates=2)
    seen = []
    for counts in ([1, 0], [0, 1]):
        data = populations([counts] * 60_000, size=[1] * 60_000)
        release = synthetic_residences.SPEC.release(data, params, ReleaseRandom(), QUIET)
        home = np.array([
            data.supports.member_tract[0] == data.geography.area_of[0][block] for block in range(
                len(data.geography.blocks))
        ])  # fmt: skip
        both = [home[flows_of(release, number).block] for number in (0, 1)]
        seen.append(np.mean(both[0] & both[1]))
    assert abs(math.log(seen[0] / seen[1])) == pytest.approx(2.0 * math.log(3.0), abs=0.12)
    assert synthetic_residences.SPEC.exact_loss(populations([[1, 0]]), params, QUIET).epsilon == pytest.approx(
        2.0 * math.log(3.0)
    )


def test_that_a_black_box_sees_all_replicates_of_the_synthesiser() -> None:
    data = made.prepared()
    for params in (SyntheticResidencesParams(), SyntheticResidencesParams(replicates=2)):
        for pair in synthetic_residences.SPEC.neighbours(data, params, 10):
            release = synthetic_residences.SPEC.release(pair.first.reveal(), params, ReleaseRandom(), QUIET)
            assert release.values.shape == (10 * pair.outputs,)
            laws = synthetic_residences.SPEC.laws(pair.first.reveal(), params)
            assert list(laws) == [answer.name for answer in release.answers]
