"""The requirement matrix against published losses, and what it says of whom."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.twins import Twin
from tests.products.employment_tables import hand_made
from tests.products.employment_tables.audit.reference_losses import Reference, kappa_tight, log_laplace, smooth_gamma
from tests.products.employment_tables.test_selection import SMALL, params, prepared
from workbench.audit.contract import Subject
from workbench.core.claims import Definition
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import QUIET
from workbench.products.employment_tables.audit import requirements
from workbench.products.employment_tables.audit.requirement_findings import Demand
from workbench.products.employment_tables.audit.requirement_scenarios import (
    REQUIREMENTS,
    size_ceiling,
    size_step,
    sizes_to_try,
)
from workbench.products.employment_tables.mechanisms import laplace, node_down_sensitivity, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.cell import log_laplace as shipped
from workbench.products.employment_tables.mechanisms.cell import smooth_laplace
from workbench.products.employment_tables.mechanisms.large_establishments import LargeEstablishmentsParams
from workbench.products.employment_tables.mechanisms.pair_loss import KnowsPairLoss, state_of
from workbench.products.employment_tables.product import SPEC as PRODUCT
from workbench.products.employment_tables.words import JOBS

RELATIVE = 1e-9


def judged(mechanism: Any, *, worker: bool = False, params: Any = None, size: int = 100) -> Finding:
    cells = hand_made.cells(worker=worker)
    subject = Subject(words=JOBS, prepared=cells, mechanism=mechanism, params=params or laplace.LaplaceParams())
    return requirements.SPEC.run(subject, requirements.RequirementsParams(size=size), QUIET)[0]


def strong(loss: Any, epsilon: float, alpha: float, definition: Definition = Definition.STRONG) -> Reference:
    return Reference(loss, definition=definition, epsilon=epsilon, alpha=alpha)


def test_that_log_laplace_reaches_the_published_losses(golden: Any) -> None:
    """ε over neighbours at the tight scale, half of it at the paper's; twice that for a worker who moves."""
    table = golden("loglaplace_privacy")
    for case in table["cases"]:
        alpha, epsilon, expected = case["inputs"]["alpha"], case["inputs"]["eps"], case["expected"]
        for name, scale in (("paper", 2 * math.log1p(alpha) / epsilon), ("tight", math.log1p(alpha) / epsilon)):
            loss = log_laplace(scale=scale, gamma=1 / alpha)
            values = judged(strong(loss, epsilon, alpha)).values
            assert values["size_informed"] == pytest.approx(expected[f"sup_loss_{name}_scale"], rel=RELATIVE)
            assert values["worker_moves"] == pytest.approx(expected[f"sup_def41_{name}_scale"], rel=RELATIVE)
            assert float(str(values["size_ceiling"])) <= expected[f"sup_loss_{name}_scale"] * (1 + RELATIVE)
            rest, before, after = (case["inputs"][key] for key in ("n_minus", "x", "x_prime"))
            pair = loss(rest + before, 0, rest + after, 0)
            assert pair == pytest.approx(expected[f"loss_{name}_scale"], rel=table["rtol"])


def test_that_the_ceiling_costs_smooth_gamma_what_is_published(golden: Any) -> None:
    table = golden("size_requirement_ceiling")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        alpha, epsilon, size = inputs["alpha"], inputs["eps"], inputs["x"]
        kappa = kappa_tight(epsilon, alpha)
        plain = smooth_gamma(kappa=kappa, size=lambda x, a=alpha: max(a * x, 1.0))
        mended = smooth_gamma(kappa=kappa, size=lambda x, a=alpha: a * x + 1.0)
        for loss, name in ((plain, "loss_S_max"), (mended, "loss_S_plus1")):
            found = loss(size, size, expected["y"], expected["y"])
            assert found == pytest.approx(expected[name], rel=table["rtol"])
        broken, kept = judged(strong(plain, epsilon, alpha)), judged(strong(mended, epsilon, alpha))
        assert float(str(broken.values["size_ceiling"])) >= expected["loss_S_max"] * (1 - RELATIVE)
        assert broken.values["size_informed"] == pytest.approx(epsilon, rel=1e-6)
        assert float(str(kept.values["size_ceiling"])) <= epsilon * (1 + RELATIVE)


def test_that_calibrations_for_moving_workers_bring_them_within_epsilon(golden: Any) -> None:
    for case in golden("def41_calibration")["cases"]:
        epsilon, alpha, expected = case["inputs"]["eps"], case["inputs"]["alpha"], case["expected"]
        both = log_laplace(scale=expected["ll_lambda"], gamma=expected["ll_gamma"])
        floor = expected["floor_c"]
        gamma = smooth_gamma(kappa=expected["kappa_tight"], size=lambda x, a=alpha, c=floor: max(a * x, c))
        for loss in (both, gamma):
            values = judged(strong(loss, epsilon, alpha)).values
            assert float(str(values["worker_moves"])) <= epsilon * (1 + 1e-8)
            assert float(str(values["size_informed"])) <= epsilon * (1 + 1e-8)
        moved = judged(strong(both, epsilon, alpha)).values["worker_present"]
        assert moved == pytest.approx(expected["ll_one_worker_loss_max"], rel=RELATIVE)


def test_that_the_counterexample_to_theorem_7_5_is_found(golden: Any) -> None:
    """New workers of one kind are one strong step, but move that kind's own count too far."""
    table = golden("thm75_counterexample")
    for case in table["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        alpha, epsilon = inputs["alpha"], inputs["eps"]
        loss = log_laplace(scale=math.log1p(alpha) / epsilon, gamma=1 / alpha)
        mechanism = strong(loss, epsilon, alpha)
        before = state_of(((inputs["x1"], inputs["establishment_size"] - inputs["x1"]),))
        after = state_of(((inputs["x1"] + expected["k"], inputs["establishment_size"] - inputs["x1"]),))
        found = mechanism.loss_between(None, before, after) / epsilon
        assert found == pytest.approx(expected["loss_over_eps"], rel=table["rtol"])
        finding = judged(mechanism, worker=True)
        assert finding.status is Status.FAIL
        assert float(str(finding.values["size_informed"])) > 5 * epsilon


def test_that_noise_for_workers_holds_for_workers_and_says_what_it_does_not_hold() -> None:
    finding = judged(laplace.SPEC)
    assert finding.status is Status.INFO
    assert finding.values["worker_present"] == pytest.approx(1.0)
    assert finding.values["worker_moves"] == pytest.approx(2.0)
    assert finding.values["size_informed"] == math.inf
    assert finding.values["shape_informed"] == 0.0
    rows = {str(row[1]).partition(" (")[0]: row[3] for row in finding.tables[0].rows}
    assert rows["employed here, or nowhere"] == "yes"
    assert list(rows.values()).count("no") == 4
    assert "worker attributes" in str(finding.tables[1].rows[-1][-1])


def test_that_a_loss_that_grows_with_the_employer_has_no_bound_and_one_that_settles_has() -> None:
    """Log-Laplace, cell by cell: a group that loses all it has is told apart the better the larger it was."""
    loss = log_laplace(scale=math.log1p(0.1) / 2, gamma=10.0)
    values = judged(strong(loss, 2.0, 0.1, Definition.WEAK), worker=True).values
    assert values["shape_informed"] == math.inf
    assert values["shape_weak"] == pytest.approx(2 * (1 + math.log(1 / 0.9) / math.log1p(0.1)), rel=1e-3)
    assert values["size_weak"] == pytest.approx(4.0, rel=1e-3)


def test_that_shape_is_judged_where_the_table_shows_it() -> None:
    values = judged(laplace.SPEC, worker=True).values
    assert values["worker_attribute"] == pytest.approx(2.0)
    assert values["shape_informed"] == math.inf


def test_that_breaking_a_promise_fails() -> None:
    loss = log_laplace(scale=0.5 * math.log1p(0.1), gamma=10.0)  # spends 2, claims 1
    assert judged(strong(loss, 1.0, 0.1)).status is Status.FAIL
    weak = judged(strong(loss, 2.0, 0.1, Definition.WEAK))
    assert weak.status is Status.INFO
    assert weak.values["hold"] == 7  # all but the worker who moves


def test_that_an_agency_may_demand_more_than_the_claim() -> None:
    subject = Subject(
        words=JOBS, prepared=hand_made.cells(worker=False), mechanism=laplace.SPEC, params=laplace.LaplaceParams()
    )
    params = requirements.RequirementsParams(demand=Demand.ALL)
    finding = requirements.SPEC.run(subject, params, QUIET)[0]
    assert finding.status is Status.FAIL
    assert "Demanded, but not met" in finding.sentence


def test_that_a_mechanism_that_cannot_tell_is_not_judged() -> None:
    class Mute:
        claim = staticmethod(laplace.SPEC.claim)

    assert not isinstance(Mute(), KnowsPairLoss)
    assert isinstance(laplace.SPEC, KnowsPairLoss)
    finding = judged(Mute())
    assert finding.status is Status.INFO
    assert finding.sentence.startswith("Not evaluated")


def test_that_an_infinite_loss_is_reported_and_still_drawn() -> None:
    certain = Reference(
        lambda count, _, moved, __: 0.0 if count == moved else math.inf,
        definition=Definition.NONE,
        epsilon=1.0,
        alpha=0.1,
    )
    finding = judged(certain)
    assert finding.values["size_weak"] == math.inf
    assert finding.figures[0].series[2].y == (1.0,)


def test_that_the_matrix_is_public_because_nothing_in_it_depends_on_data() -> None:
    assert judged(laplace.SPEC).audience is Audience.PUBLIC
    other = hand_made.cells([("E", 1, 1, (5, 6))], worker=False)
    subject = Subject(words=JOBS, prepared=other, mechanism=laplace.SPEC, params=laplace.LaplaceParams())
    found, _, today = requirements.SPEC.run(subject, requirements.RequirementsParams(), QUIET)
    assert found == judged(laplace.SPEC)
    assert today.audience is Audience.INTERNAL
    named = hand_made.cells(from_data=("sex",))
    subject = Subject(words=JOBS, prepared=named, mechanism=laplace.SPEC, params=laplace.LaplaceParams())
    assert requirements.SPEC.run(subject, requirements.RequirementsParams(), QUIET)[0].audience is Audience.INTERNAL


@pytest.mark.parametrize("size", [2, 100, 5000])
def test_that_the_curve_falls_by_the_loss_and_the_permitted_one_by_its_slope(size: int) -> None:
    loss = log_laplace(scale=math.log1p(0.1) / 2, gamma=10.0)
    prior, permitted, reached = judged(strong(loss, 2.0, 0.1), size=size).figures[0].series
    assert sum(prior.y) == pytest.approx(1.0)
    assert max(reached.y) == reached.y[reached.x.index(float(size))]
    for x, y in zip(reached.x, reached.y, strict=True):
        drop = math.log(max(reached.y) / y)
        assert drop == pytest.approx(loss(size, size, int(x), int(x)), abs=1e-9)
    logs = np.log(permitted.y) - np.log(max(permitted.y))
    slope = np.abs(
        logs[np.array(permitted.x) != size] / np.log(np.array(permitted.x) / size)[np.array(permitted.x) != size]
    )
    assert slope == pytest.approx(2.0 / math.log1p(0.1))


def test_that_steps_are_neighbours_and_the_ceiling_reaches_beyond() -> None:
    """Every pair within one step has max((1+α)x, x+1) at most; the ceiling exceeds it somewhere."""
    alpha = Decimal("0.1")
    for before, after in size_step(alpha, 3):
        assert sum(after.counts) - sum(before.counts) <= max(alpha * before.largest_total, 1)
    beyond = [
        (before, after)
        for before, after in size_ceiling(alpha, 1)
        if sum(after.counts) - sum(before.counts) > max(alpha * before.largest_total, 1)
    ]
    assert (state_of(((15,),)), state_of(((17,),))) in beyond
    assert {0, 1, 11, 21} <= set(sizes_to_try(alpha))


def test_that_shapes_keep_the_size_and_stay_within_the_window() -> None:
    alpha = Decimal("0.2")
    for requirement in REQUIREMENTS:
        if requirement.key.startswith("shape"):
            for before, after in requirement.pairs(alpha, 4):
                assert sum(before.counts) == sum(after.counts)
                assert min(after.counts) >= 0
                assert after.largest_total == before.largest_total


def test_that_twins_of_a_mechanism_can_still_tell() -> None:
    assert isinstance(Twin(laplace.SPEC), KnowsPairLoss)


SHIPPED = [
    pytest.param(spec, spec.params(**({"calibration": way} if way else {})), id=f"{spec.id}-{way or 'only'}")
    for spec in PRODUCT.mechanisms
    if isinstance(spec, KnowsPairLoss)
    for way in (type(spec.params().calibration) if hasattr(spec.params(), "calibration") else (None,))
]


@pytest.mark.parametrize(("spec", "params"), SHIPPED)
def test_that_every_shipped_mechanism_keeps_what_its_definition_promises(spec: Any, params: Any) -> None:
    finding = judged(spec, params=params)
    assert finding.status is not Status.FAIL
    for row in finding.tables[0].rows:
        assert (row[3] == "yes") == (float(str(row[2])) <= float(params.epsilon) * (1 + RELATIVE))
    assert all(why for _, why in finding.tables[1].rows)


def test_that_shape_costs_block_noise_two_steps_at_most_and_cell_by_cell_noise_without_bound() -> None:
    """Definition 4.3 at a fixed size: the strong definition takes two steps, the weak one gives no bound."""
    block = judged(block_gamma.SPEC, worker=True, params=block_gamma.BlockGammaParams())
    assert 2.0 < float(str(block.values["shape_informed"])) <= 4.0
    weak = judged(shipped.SPEC, worker=True, params=shipped.LogLaplaceParams())
    assert weak.values["shape_informed"] == math.inf
    assert "Theorem 7.2" in str(weak.tables[1].rows[6][1])


def test_that_theorem_7_2_fails_on_an_establishment_of_which_one_group_takes_all() -> None:
    """p = 10/11 and (1+α)p = 1 at α = 0.1: the other group goes from x/10 to none, at every size."""
    params = shipped.LogLaplaceParams()
    losses = []
    for men in (100, 1000, 10_000):
        women = men // 10
        before, after = state_of(((men, women),)), state_of(((men + women, 0),))
        losses.append(shipped.SPEC.loss_between(params, before, after))
        steps = math.log((women + 10) / 10) / math.log1p(0.1)
        assert losses[-1] == pytest.approx(
            steps + math.log((men + women + 10) / (men + 10)) / math.log1p(0.1), rel=1e-9
        )
    assert losses[0] > 4 * 2.0
    assert losses[2] - losses[1] == pytest.approx(math.log(10) / math.log1p(0.1), rel=0.05)


def test_that_a_size_at_which_a_mechanism_turns_is_tried_and_does_not_count_as_growth() -> None:
    for theta in (777, 700_000):
        finding = judged(node_truncation.SPEC, params=node_truncation.NodeTruncationParams(theta=theta))
        assert finding.values["worker_present"] == pytest.approx(2.0)
        assert finding.values["size_informed"] == pytest.approx(2.0)


def test_that_a_loss_without_bound_says_whether_the_employers_size_or_the_noise_itself_is_the_reason() -> None:
    growing = judged(laplace.SPEC).tables[1].rows[3][1]
    assert growing == "no bound, the larger the employer: the noise does not grow with the employer"
    params = node_down_sensitivity.NodeDownSensitivityParams()
    assert str(judged(node_down_sensitivity.SPEC, params=params).tables[1].rows[3][1]).startswith("no bound, whatever")


def test_that_several_steps_cost_several_times_epsilon_and_delta_grows_by_the_group_rule() -> None:
    """Two workers' worth of steps at (ε, δ) by hand: δ(e^{2ε} − 1)/(e^ε − 1) = δ(e^ε + 1)."""
    params = smooth_laplace.SmoothLaplaceParams()
    table = judged(smooth_laplace.SPEC, params=params).tables[2]
    by_steps = {row[0]: row for row in table.rows}
    assert by_steps[2][2] == pytest.approx(2 * float(params.epsilon))
    assert by_steps[2][3] == pytest.approx(float(params.delta) * (math.exp(float(params.epsilon)) + 1))
    assert by_steps[10][3] == 1.0
    assert len(judged(laplace.SPEC).tables[2].columns) == 3  # pure: no δ


def test_that_the_matrix_says_what_a_number_beside_the_table_adds() -> None:
    asked = LargeEstablishmentsParams(epsilon=Decimal("0.5"), above=100)
    chosen = laplace.LaplaceParams(large_establishments=asked, jobs_per_worker=2)
    cells = prepared(SMALL, params({}))
    subject = Subject(words=JOBS, prepared=cells, mechanism=laplace.SPEC, params=chosen)
    told = requirements.SPEC.run(subject, requirements.RequirementsParams(size=20), QUIET)[0]
    assert told.sentence.startswith("The table meets ")
    assert told.sentence.endswith(
        "The number of establishments with more than 100 jobs beside it adds at most 0.5 to what is reached, whatever "
        "is compared."
    )
    assert judged(laplace.SPEC).sentence.startswith("The release meets ")
