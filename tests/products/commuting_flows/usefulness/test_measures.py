"""Measures of flows: divergences by a second route, the posterior against many draws, distances and completeness."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import compared, today
from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.figures import Figure
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Release
from workbench.products.commuting_flows import synthetic_residences
from workbench.products.commuting_flows.flow_suppression import SPEC as SUPPRESSION
from workbench.products.commuting_flows.flow_suppression import FlowSuppressionParams, HomeLevel
from workbench.products.commuting_flows.flows.grid import POINTS
from workbench.products.commuting_flows.flows.selection import chosen_populations
from workbench.products.commuting_flows.product import SPEC
from workbench.products.commuting_flows.synthetic_residences import MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.usefulness import completeness as flow_completeness
from workbench.products.commuting_flows.usefulness import distance as flow_distance
from workbench.products.commuting_flows.usefulness import divergence as flow_divergence
from workbench.products.commuting_flows.usefulness import trade_off as flow_trade_off
from workbench.products.commuting_flows.usefulness.draws import commutes_of, drawn_flows, on_grid
from workbench.products.commuting_flows.usefulness.kl import average, divergence, smoothed, unreached
from workbench.products.commuting_flows.usefulness.posterior import posterior_grid
from workbench.utility.contract import Comparison

SMALL = made.FLOWS[3:]  # without the giant, whose search takes a while


@cache
def flows() -> Any:
    return SPEC.prepare(made.inputs(SMALL), made.params(), QUIET)


@cache
def comparison() -> Comparison:
    whole = compared(SPEC, synthetic_residences.SPEC)
    prepared, mechanism = flows(), synthetic_residences.SPEC
    drawn = mechanism.study(prepared, mechanism.params(), StudyRandom(5), QUIET).reveal()
    release = Release.of(drawn, mechanism, ReleaseRandom())
    return dataclasses.replace(whole, prepared=prepared, release=release, rivals=(today(SUPPRESSION, prepared),))


def test_that_the_divergence_is_scipys_relative_entropy() -> None:
    from scipy.stats import entropy

    rng = np.random.default_rng(1)
    true, likely = rng.integers(0, 5, (20, POINTS)).astype(float), rng.uniform(0.1, 3, (20, POINTS))
    assert divergence(true, likely) == pytest.approx([entropy(a, b) for a, b in zip(true, likely, strict=True)])
    assert divergence(true, true) == pytest.approx(np.zeros(20), abs=1e-12)


def test_that_what_cannot_be_reached_counts_a_lot_and_is_told() -> None:
    true, likely = np.zeros((1, POINTS)), np.zeros((1, POINTS))
    true[0, :2], likely[0, 0] = (3, 1), 4
    assert unreached(true, likely)[0] == 0.25
    assert divergence(true, likely)[0] == pytest.approx(0.75 * np.log(0.75) + 0.25 * np.log(0.25 / 1e-6))
    assert smoothed(likely).sum() == pytest.approx(1)
    assert smoothed(likely).min() == pytest.approx(1 / POINTS / 5)


def test_that_averages_weigh_populations_by_their_workers() -> None:
    found = average(np.array([1.0, 4.0, 0.5]), np.array([2, 8, 90]))
    assert found.small == pytest.approx((2 * 1 + 8 * 4) / 10)
    assert found.everyone == pytest.approx((2 * 1 + 8 * 4 + 90 * 0.5) / 100)
    assert np.isnan(average(np.array([0.5]), np.array([90])).small)


def test_that_the_posterior_is_what_many_draws_come_to() -> None:
    """Without pruning a synthetic worker's law is the posterior itself: the mean of draws must come near."""
    prepared, mechanism, draws = flows(), synthetic_residences.SPEC, 600
    params = SyntheticResidencesParams(pruning=False, minimum_prior=MinimumPrior.PURE)
    grid = posterior_grid(prepared, most=100, seed=1, context=QUIET)
    likely = grid.posterior(params, np.random.default_rng(1))
    likely /= likely.sum(axis=1, keepdims=True)
    added = np.zeros_like(likely)
    rng = StudyRandom(3)
    for _ in range(draws):
        added += on_grid(prepared, drawn_flows(mechanism.study(prepared, params, rng, QUIET).reveal()))
    shares = added / (draws * prepared.size[:, None])
    error = (
        5.0 * np.sqrt(likely * (1 - likely) / draws) + 1e-12
    )  # draws of a population are not independent: m counts one
    assert (np.abs(shares - likely) <= error).all()


def test_that_the_grid_counts_every_worker() -> None:
    counts = on_grid(flows(), flows().flows.reveal())
    assert counts.sum(axis=1).tolist() == flows().size.tolist()


def test_that_a_sample_of_populations_is_those_populations() -> None:
    chosen = np.array([0, 2])
    some = chosen_populations(flows(), chosen)
    assert some.size.tolist() == flows().size[chosen].tolist()
    whole, part = on_grid(flows(), flows().flows.reveal()), on_grid(some, some.flows.reveal())
    assert np.array_equal(part, whole[chosen])
    likelihood, all_of_it = some.likelihood.reveal(), flows().likelihood.reveal()
    for new, old in enumerate(chosen):
        mine, its = slice(*likelihood.start[new : new + 2]), slice(*all_of_it.start[old : old + 2])
        assert np.array_equal(likelihood.point[mine], all_of_it.point[its])
        assert np.array_equal(likelihood.workers[mine], all_of_it.workers[its])


def test_that_a_random_sample_stands_for_all() -> None:
    grid = posterior_grid(flows(), most=1, seed=1, context=QUIET)
    assert grid.sample.populations == 2  # one small, one larger
    small = flows().size < 10
    stands_for = grid.weight / grid.sample.size
    assert sorted(stands_for.tolist()) == sorted([float(small.sum()), float((~small).sum())])


def test_that_both_signs_of_the_divergence_are_told() -> None:
    (finding,) = flow_divergence.SPEC.run(comparison(), flow_divergence.FlowDivergenceParams(), QUIET)
    assert finding.values["kl_all"] == -finding.values["slide_kl_all"]  # type: ignore[operator]
    assert float(str(finding.values["kl_small"])) > 0


def test_that_distances_are_compared_over_all_workers() -> None:
    (finding,) = flow_distance.SPEC.run(comparison(), flow_distance.CommuteDistanceParams(), QUIET)
    for column in (1, 3):
        assert sum(float(str(row[column])) for row in finding.tables[0].rows) == pytest.approx(1)
    true = commutes_of(flows(), flows().flows.reveal())
    spelled = np.repeat(true.miles, true.flows.workers)
    assert finding.values["mean_true"] == pytest.approx(spelled.mean())
    assert flow_distance.largest_gap(true, true) == pytest.approx(0, abs=1e-12)


def test_that_the_largest_gap_is_kolmogorovs() -> None:
    from scipy.stats import ks_2samp

    true = commutes_of(flows(), flows().flows.reveal())
    drawn = commutes_of(flows(), drawn_flows(comparison().release))
    spelled = [np.repeat(part.miles, part.flows.workers) for part in (true, drawn)]
    assert flow_distance.largest_gap(true, drawn) == pytest.approx(ks_2samp(*spelled).statistic)


def test_that_small_flows_are_suppressed_by_block_or_by_tract() -> None:
    workers = flows().flows.reveal().workers
    by_block = SUPPRESSION.protect(flows(), FlowSuppressionParams(threshold=3), StudyRandom(1), QUIET).values.reveal()
    assert np.array_equal(np.isnan(by_block), workers < 3)
    by_tract = SUPPRESSION.protect(
        flows(), FlowSuppressionParams(threshold=3, home_level=HomeLevel.TRACT), StudyRandom(1), QUIET
    ).values.reveal()
    assert np.isnan(by_tract).sum() == np.isnan(by_block).sum() - 1  # 0121 → 0101 and 0102 are 3 + 2 in one tract


def test_that_completeness_counts_flows_and_workers() -> None:
    (finding,) = flow_completeness.SPEC.run(comparison(), flow_completeness.CompletenessParams(), QUIET)
    workers = flows().flows.reveal().workers
    assert finding.values["flows_suppressed_share"] == pytest.approx(np.mean(workers < 3))
    assert finding.values["workers_suppressed_share"] == pytest.approx(workers[workers < 3].sum() / workers.sum())
    release = comparison().release
    true = {(p, b) for p, b in zip(flows().flows.reveal().population, flows().flows.reveal().block, strict=True)}
    rows = zip(*(key.codes.tolist() for key in release.keys), strict=True)
    drawn = dict(zip(rows, release.values.tolist(), strict=True))
    met = sum(1 for key in true if key in drawn) / len(true)
    assert finding.values["true_flows_met_share"] == pytest.approx(met)
    right = sum(value for key, value in drawn.items() if key in true) / sum(drawn.values())
    assert finding.values["synthetic_workers_on_true_flows_share"] == pytest.approx(right)


def test_that_the_trade_offs_mark_the_benchmark_case_where_it_can_be_dragged() -> None:
    findings = flow_trade_off.SPEC.run(comparison(), flow_trade_off.FlowTradeOffParams(), QUIET)
    for finding, lever in zip(findings, flow_trade_off.LEVERS, strict=True):
        figure: Figure = finding.figures[0]
        assert [mark.moves for mark in figure.marks] == [lever.name]
        assert figure.marks[0].vertical
        assert {float(x) for x in lever.grid} == set(figure.series[0].x)
    claimed = [float(str(row[3])) for row in findings[0].tables[0].rows]
    assert claimed == sorted(claimed)


def test_that_less_privacy_is_not_less_accurate() -> None:
    findings = flow_trade_off.SPEC.run(comparison(), flow_trade_off.FlowTradeOffParams(), QUIET)
    by_epsilon = [float(str(row[1])) for row in findings[0].tables[0].rows]
    assert by_epsilon[0] > by_epsilon[-1]


def test_that_divergence_and_trade_off_have_one_number_for_one_thing() -> None:
    """Both look at the same populations, chosen by the same seed, where there are too many to look at all."""
    assert flow_trade_off.FlowTradeOffParams().most == flow_divergence.FlowDivergenceParams().most
    (told,) = flow_divergence.SPEC.run(comparison(), flow_divergence.FlowDivergenceParams(most=2), QUIET)
    swept = flow_trade_off.SPEC.run(comparison(), flow_trade_off.FlowTradeOffParams(most=2), QUIET)[0]
    now = float(comparison().mechanism_params.epsilon)
    (here,) = [row for row in swept.tables[0].rows if float(str(row[0])) == now]
    assert float(str(here[1])) == pytest.approx(float(str(told.values["kl_all"])), rel=1e-9)


def test_that_another_setting_shows_both_marks() -> None:
    other = dataclasses.replace(comparison().mechanism_params, min_p=comparison().mechanism_params.min_p * 2)
    findings = flow_trade_off.SPEC.run(
        dataclasses.replace(comparison(), mechanism_params=other), flow_trade_off.FlowTradeOffParams(), QUIET
    )
    marks = findings[2].figures[0].marks
    assert [(mark.name, mark.moves) for mark in marks] == [("in force", "min_p"), ("benchmark case", "")]
