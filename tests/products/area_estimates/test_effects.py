"""Effects released by a plan: the sample's expected values by hand, noise by distribution, and every check on them."""

from __future__ import annotations

import csv
import dataclasses
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.products.area_estimates import hand_made
from workbench.core.confidential import Confidential
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.explorations.contract import Scene
from workbench.microdata.table import NumericColumn
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.effects import effect_of
from workbench.products.area_estimates.explorations import tails_by_epsilon
from workbench.products.area_estimates.mechanisms import mos, plain_laplace
from workbench.products.area_estimates.neighbours import with_people
from workbench.products.area_estimates.params import COMPARISON, EstimatorKind
from workbench.products.area_estimates.people import FINE, People
from workbench.products.area_estimates.product import SPEC
from workbench.products.area_estimates.removals import removals
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.explore import explore
from workbench.review.run.run import WholeRun, run_plan

SAMPLE = Path(__file__).parents[3] / "sample_projects" / "area_estimates"
EFFECT, CHI = 0.06337931, 4.67727273  # of tract T000000, and of the second state
JUMP, JUMP_CHI = 0.05883657, 6.38952840  # the same by a discontinuity at .5


@pytest.fixture(scope="module")
def run() -> WholeRun:
    return run_plan(read_plan(SAMPLE / "experiment_plan.toml"), base=SAMPLE, context=QUIET)


@pytest.fixture(scope="module")
def sample(run: WholeRun) -> AreaData:
    prepared: AreaData = run.prepared.value
    return prepared


def sample_groups() -> dict[str, dict[tuple[int, int], list[float]]]:
    """Outcomes by tract and by (treated, after), read with nothing but the csv module."""
    groups: dict[str, dict[tuple[int, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    with (SAMPLE / "experiment.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            groups[row["tract"]][int(row["treated"]), int(row["after"])].append(float(row["income_rank"]))
    return groups


def test_that_the_sample_publishes_the_expected_effect(sample: AreaData) -> None:
    """Effect and χ by means of lists, without any code of the product."""
    effects, products = [], []
    for _, group in sorted(sample_groups().items()):
        mean = {key: sum(values) / len(values) for key, values in group.items()}
        effects.append(mean[1, 1] - mean[1, 0] - mean[0, 1] + mean[0, 0])
        worst = max(max(mean[key], 1 - mean[key]) / (len(values) + 1) for key, values in group.items())
        products.append(worst * sum(map(len, group.values())))
    assert effects[0] == pytest.approx(EFFECT, rel=1e-6)
    assert max(products[7:]) == pytest.approx(CHI, rel=1e-6)
    found = effect_of(sample, 0)
    assert found.value == pytest.approx(effects, rel=1e-9)
    params = mos.MosParams(epsilon=Epsilon(4))
    (scale,) = mos.noise_scales(sample, params)[1]
    size = sample.lines.reveal()[0].size
    chi = np.where(np.arange(16) < 7, max(products[:7]), max(products[7:]))
    assert scale == pytest.approx(chi / (4 * size), rel=1e-9)


def test_that_the_sample_has_the_expected_jump(tmp_path: Path) -> None:
    """As a discontinuity: effect and χ by fitting again with every added row of a grid."""
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with (SAMPLE / "experiment.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["tract"]].append((float(row["parent_rank"]), float(row["income_rank"])))

    def level(side: np.ndarray) -> float:
        return float(np.polyval(np.polyfit(*side.T, 1), 0.5))

    jumps, products = [], []
    for _, listed in sorted(rows.items()):
        people = np.array(listed)
        sides = [(people[people[:, 0] < 0.5], (0.0, 0.5)), (people[people[:, 0] >= 0.5], (0.5, 1.0))]
        jumps.append(level(sides[1][0]) - level(sides[0][0]))
        moves = (
            abs(level(np.vstack([side, (x, y)])) - level(side))
            for side, ends in sides
            for x in np.linspace(*ends, 11)
            for y in (0.0, 1.0)
        )
        products.append(max(moves) * len(people))
    assert (jumps[0], max(products[7:])) == pytest.approx((JUMP, JUMP_CHI), rel=1e-6)
    text = (SAMPLE / "experiment_plan.toml").read_text(encoding="utf-8")
    chosen = 'estimator = "regression-discontinuity"\ncutoff = 0.5'
    for old, new in (
        ('estimator = "difference-in-differences"', chosen),
        ('\ntreated = "treated"\nafter = "after"', ""),
    ):
        assert old in text
        text = text.replace(old, new)
    plan = tmp_path / "plan.toml"
    plan.write_text(text, encoding="utf-8")
    data: AreaData = run_plan(read_plan(plan), base=SAMPLE, context=QUIET).prepared.value
    assert effect_of(data, 0).value == pytest.approx(jumps, rel=1e-9)
    (scale,) = mos.noise_scales(data, mos.MosParams(epsilon=Epsilon(4)))[1]
    chi = np.where(np.arange(16) < 7, max(products[:7]), max(products[7:]))
    assert 4 * data.lines.reveal()[0].size * scale == pytest.approx(chi, rel=1e-6)


def test_that_a_plan_releases_it_and_every_finding_has_words(run: WholeRun) -> None:
    table = run.outcome.protected.table
    assert table.rows == 16
    assert table.names[:4] == ("tract", "effect", "effect_margin_of_error", "effect_model")
    assert "slope" not in table.names
    assert table.units("effect").given().all()
    own = {check.id for check in SPEC.checks if check.__class__.__module__.startswith("workbench.products")}
    audit = [finding for finding in run.outcome.audit if finding.source in own]
    assert {finding.source for finding in audit} == own
    judge_findings((*run.prepared.findings, *audit, *run.outcome.measured.findings))
    claim = run.outcome.protected.claim
    assert (claim.epsilon, claim.formal) == (8, False)
    assert "no method here publishes an effect" in claim.remedy, "the fractional table refuses it"
    assert not [finding.sentence for finding in run.outcome.measured.findings if "at effect" in finding.sentence]


def test_that_released_effects_have_the_noise_they_say(sample: AreaData) -> None:
    params = mos.MosParams(epsilon=Epsilon(4))
    drawn = np.array(
        [
            mos.SPEC.study(sample, params, StudyRandom(seed), QUIET).reveal().units("effect").numbers()
            for seed in range(400)
        ]
    )
    exact, (scale,) = effect_of(sample, 0).value, mos.noise_scales(sample, params)[1]
    assert np.abs(drawn - exact).mean(axis=0) / scale == pytest.approx(1.0, abs=0.2)
    assert (drawn.mean(axis=0) - exact) / scale == pytest.approx(0.0, abs=0.3)


def discontinuity() -> AreaData:
    params = hand_made.params(estimator=EstimatorKind.DISCONTINUITY, cutoff=Decimal("0.4"))
    assert not problems_of(params)
    return SPEC.prepare(hand_made.inputs(), params, QUIET)


def test_that_a_discontinuity_is_released_too() -> None:
    data = discontinuity()
    names, area, rank, child = hand_made.rows()
    here = np.array(area) == "T1"
    jump = [np.polyval(np.polyfit(rank[here & side], child[here & side], 1), 0.4) for side in (rank < 0.4, rank >= 0.4)]
    assert effect_of(data, 0).value[0] == pytest.approx(jump[1] - jump[0])
    drawn = plain_laplace.LOCAL.study(
        data, plain_laplace.PlainLaplaceParams(epsilon=Epsilon(40)), StudyRandom(1), QUIET
    )
    assert drawn.reveal().units("effect").numbers()[0] == pytest.approx(jump[1] - jump[0], abs=0.2)
    assert len(names) == 83


@pytest.mark.parametrize("kind", ["differences", "discontinuity"])
def test_that_removals_are_what_preparing_again_gives(kind: str, sample: AreaData) -> None:
    """χ without each person by the sums, against χ of data without that person."""
    data, pool = (sample, 1) if kind == "differences" else (discontinuity(), 0)
    found = removals(data, None, pool, 3, 100)
    assert found is not None
    people = data.people.reveal()
    assert people.side is not None
    rows = np.flatnonzero(people.cell == found.setting_cell)
    for place in range(0, len(rows), 7):
        kept = np.delete(np.arange(len(people)), rows[place])
        fewer = People(cell=people.cell[kept], x=people.x[kept], y=(people.y[0][kept],), side=people.side[kept])
        again = with_people(data, fewer)
        product = again.lines.reveal()[0].size * effect_of(again, 0).sensitivity
        inside = (data.places.pool == pool) & (again.lines.reveal()[0].size >= 3)
        ratio = np.nanmax(np.where(inside, product, np.nan)) / found.chi
        assert found.ratios[place] == pytest.approx(ratio, rel=1e-6)


def test_that_the_neighbours_differ_by_the_worst_person(sample: AreaData) -> None:
    (pair,) = mos.SPEC.neighbours(sample, mos.MosParams(), 3)
    more, fewer = (effect_of(each.reveal(), 0) for each in (pair.first, pair.second))
    assert abs(more.value[0] - fewer.value[0]) == pytest.approx(fewer.sensitivity[0])


@pytest.mark.parametrize("mechanism", SPEC.mechanisms, ids=lambda each: each.id)
def test_that_methods_of_lines_refuse_an_effect(mechanism: Any, sample: AreaData) -> None:
    refused = [problem.where for problem in mechanism.problems(sample, mechanism.params())]
    assert refused == ([] if mechanism.id in ("mos", "local-laplace") else ["estimator"])


@pytest.mark.parametrize("exploration", SPEC.explorations, ids=lambda each: each.id)
def test_that_explorations_show_an_effect_or_say_why_not(exploration: Any, run: WholeRun, sample: AreaData) -> None:
    table = run.outcome.protected.table
    scene = Scene(prepared=sample, mechanism=mos.SPEC, params=mos.MosParams(), table=table)
    judge_findings(exploration.show(scene, exploration.params(), QUIET))


def test_that_an_effect_can_have_a_margin_which_spends_epsilon_again(sample: AreaData) -> None:
    params = mos.MosParams(errors=True)
    assert mos.SPEC.problems(sample, params) == ()
    assert mos.SPEC.claim(sample, params).epsilon == 8 * 3, "effect, its error, and the count"
    assert mos.SPEC.claim(sample, mos.MosParams()).epsilon == 8 * 2
    drawn = mos.SPEC.release(sample, params, ReleaseRandom(), QUIET)
    effect, margin = drawn.units("effect"), drawn.units("effect_margin_of_error")
    assert np.array_equal(effect.given(), margin.given())
    without = mos.SPEC.release(sample, mos.MosParams(), ReleaseRandom(), QUIET)
    assert not without.units("effect_margin_of_error").given().any()


def test_that_margins_of_an_effect_hold_the_noise(sample: AreaData) -> None:
    """At a small ε noise is all there is: around the exact effect nine of ten margins and more hold."""
    params, exact = mos.MosParams(epsilon=Epsilon("0.5"), errors=True), effect_of(sample, 0).value
    held = []
    for seed in range(150):
        drawn = mos.SPEC.study(sample, params, StudyRandom(seed), QUIET).reveal()
        effect, margin = (drawn.units(name).numbers() for name in ("effect", "effect_margin_of_error"))
        known = np.isfinite(margin)
        held.append(np.abs(effect - exact)[known] <= margin[known])
    # margins hold sampling and the noise of the error too, and counts are noisy
    assert 0.88 <= np.mean(held) <= 0.99


def test_that_what_belongs_to_a_line_is_refused_beside_an_effect(sample: AreaData) -> None:
    assert [each.where for each in mos.SPEC.problems(sample, mos.MosParams(slope=True, mean=True, errors=True))] == [
        "slope",
        "mean",
    ]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"estimator": EstimatorKind.DIFFERENCES, "treated": "t"}, "after"),
        ({"estimator": EstimatorKind.DISCONTINUITY}, "cutoff"),
        ({"estimator": EstimatorKind.DISCONTINUITY, "cutoff": Decimal(1)}, "cutoff"),
    ],
)
def test_that_an_effect_without_what_it_needs_is_told(changes: dict[str, Any], place: str) -> None:
    assert [problem.where for problem in problems_of(hand_made.params(**changes))] == [place]


def test_that_a_row_that_is_neither_treated_nor_not_contributes_nothing() -> None:
    marks = (np.arange(83) % 2).astype(float)
    treated = marks.copy()
    treated[:3] = (np.nan, 2.0, -1.0)
    columns = {
        name: NumericColumn(name=name, numbers=Confidential(values))
        for name, values in (("treated", treated), ("after", (np.arange(83) % 4 > 1).astype(float)))
    }
    inputs = hand_made.inputs(columns)
    inputs = dataclasses.replace(inputs, roles={**inputs.roles, "treated": COMPARISON, "after": COMPARISON})
    params = hand_made.params(estimator=EstimatorKind.DIFFERENCES, treated="treated", after="after")
    assert SPEC.problems(inputs, params) == ()
    data = SPEC.prepare(inputs, params, QUIET)
    assert data.lines.reveal()[0].size[0] == 27
    assert FINE == 10**6


def test_that_a_plan_hands_its_cap_to_the_tail_curve(run: WholeRun) -> None:
    plan = read_plan(SAMPLE / "experiment_plan.toml")
    params = tails_by_epsilon.TailsByEpsilonParams()
    found = explore("tails-by-epsilon", params, plan=plan, prepared=run.prepared, table=None, context=QUIET)
    marks = {mark.name: mark.value for mark in found.findings[0].figures[0].marks}
    assert marks["cap of the policy"] == float(plan.policy.budget)
