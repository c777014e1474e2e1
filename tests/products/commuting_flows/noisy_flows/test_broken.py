"""Each broken variant is caught: by the exact loss, the budget check, the declared law or the black box."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.contract.samples import WORDS
from tests.products.commuting_flows import hand_made_flows as made
from tests.products.commuting_flows.noisy_flows import broken
from workbench.audit import black_box, exact_loss
from workbench.audit.contract import Subject
from workbench.audit.declared_law import check as declared_law
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom
from workbench.products.commuting_flows.audit import flow_budget
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams, mechanism
from workbench.products.commuting_flows.noisy_flows.params import Unit

QUICK = black_box.BlackBoxParams(draws=60_000, release_draws=0, seed=3)
JOB = NoisyFlowsParams(epsilon=Epsilon(2), small_limit=3)
HOME = NoisyFlowsParams(epsilon=Epsilon(2), small_limit=3, unit=Unit.HOME)


def subject(params: NoisyFlowsParams, release: bool = False) -> Subject:
    prepared = made.listed()
    drawn = SPEC.release(prepared, params, ReleaseRandom(), QUIET) if release else None
    return Subject(words=WORDS, prepared=prepared, mechanism=SPEC, params=params, release=drawn)


def watched(params: NoisyFlowsParams) -> Status:
    (finding,) = black_box.SPEC.run(subject(params), QUICK, QUIET)
    return finding.status


@pytest.mark.parametrize(
    "params", [JOB, HOME, NoisyFlowsParams(epsilon=Epsilon(3), small_limit=3, unit=Unit.HOME, reports=True)]
)
def test_that_the_honest_mechanism_passes(params: NoisyFlowsParams) -> None:
    assert watched(params) is Status.PASS
    assert all(
        f.status is not Status.FAIL
        for f in flow_budget.SPEC.run(subject(params, True), flow_budget.SPEC.params(), QUIET)
    )
    quick = declared_law.SPEC.params(law_draws=30_000, turns=6)
    assert all(f.status is not Status.FAIL for f in declared_law.SPEC.run(subject(params), quick, QUIET))


@pytest.mark.parametrize("wrong", [broken.sensitivity_one, broken.each_level_all])
def test_that_scales_that_spend_too_much_are_caught_three_times(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken.CLAIMED, wrong)
    assert exact_loss.SPEC.run(subject(HOME), exact_loss.SPEC.params(), QUIET)[0].status is Status.FAIL
    found = flow_budget.SPEC.run(subject(HOME), flow_budget.SPEC.params(), QUIET)
    assert Status.FAIL in {finding.status for finding in found}
    assert watched(HOME) is Status.FAIL


@pytest.mark.parametrize(
    ("name", "wrong", "params"),
    [
        ("tract_flows", broken.small_too, HOME),
        ("who_is_small", broken.by_true_size, JOB),
        ("noisy", broken.only_positive, JOB),
        ("noisy", broken.only_positive, HOME),
    ],
)
def test_that_the_black_box_sees_what_formulas_cannot(
    name: str, wrong: Any, params: NoisyFlowsParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{broken.MEASURE}.{name}", wrong)
    assert watched(params) is Status.FAIL


@pytest.mark.parametrize("wrong", [broken.cut, broken.reused()])
def test_that_the_declared_law_sees_cut_and_reused_noise(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{broken.MEASURE}.noisy", wrong)
    quick = declared_law.SPEC.params(law_draws=30_000)
    found = declared_law.SPEC.run(subject(JOB), quick, QUIET)
    assert Status.FAIL in {finding.status for finding in found}


def test_that_true_sizes_in_the_file_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = made.listed()
    honest = mechanism.finished

    def true_sizes(layout: Any, measured: Any, rng: Any, context: Any) -> Any:
        return honest(layout, broken.true_sizes(measured, prepared.size), rng, context)

    monkeypatch.setattr(mechanism, "finished", true_sizes)
    release = SPEC.release(prepared, JOB, ReleaseRandom(), QUIET)
    at_draw = Subject(words=WORDS, prepared=prepared, mechanism=SPEC, params=JOB, release=release)
    found = flow_budget.SPEC.run(at_draw, flow_budget.SPEC.params(), QUIET)
    assert found[0].status is Status.FAIL
    assert not prepared.row_rule(release).kept


def test_that_a_list_of_populations_from_the_data_tells_who_is_the_last() -> None:
    """What no noise hides: without its only job a population is gone, and with it its rows."""
    from workbench.products.commuting_flows.flows.structures import PopulationList

    with_job, without = (
        made.listed(rows, populations=PopulationList.DATA) for rows in (made.FLOWS, (*made.FLOWS[:3], *made.FLOWS[4:]))
    )
    assert len(with_job.work_area) == len(without.work_area) + 1
    assert not SPEC.claim(with_job, JOB).formal
    assert made.listed(made.FLOWS).populations == made.listed((*made.FLOWS[:3], *made.FLOWS[4:])).populations


def test_that_unequal_scales_of_neighbours_have_no_bound() -> None:
    """Why small must follow from the noisy size: the law's own loss between two scales is infinite."""
    from workbench.noise.declared.discrete import DiscreteLaplace

    one, other = (DiscreteLaplace(np.zeros(1, np.int64), np.array([scale])) for scale in (0.5, 0.7))
    assert np.isinf(one.loss(other, 4.0)[0][0])
