"""The posterior-ratio audit: the slides' example, infinity named, every population, and a claim that is held to."""

from __future__ import annotations

import dataclasses
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.products.commuting_flows.few_flows import populations
from workbench.audit.contract import Subject
from workbench.core.claims import Definition, ExactTable
from workbench.core.errors import UserProblem
from workbench.core.figures import Kind
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import QUIET
from workbench.core.quantities import show
from workbench.products.commuting_flows import synthetic_residences
from workbench.products.commuting_flows.audit import posterior_ratio
from workbench.products.commuting_flows.audit.posterior_ratio import SPEC, PosteriorRatioParams, weighed
from workbench.products.commuting_flows.audit.posterior_ratio_figures import at_least_one
from workbench.products.commuting_flows.audit.posterior_ratio_population import names_of, view_of
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.product import FLOWS
from workbench.products.commuting_flows.synthetic_residences import MinimumPrior, SyntheticResidencesParams

SLIDES = SyntheticResidencesParams(
    minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal("0.1"), prior_weight=Decimal(0), pruning=False
)
NO_PRIOR = SyntheticResidencesParams(minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal(0))


def audited(
    prepared: Populations, params: SyntheticResidencesParams, mechanism: Any = None, **settings: Any
) -> dict[str, Finding]:
    chosen = synthetic_residences.SPEC if mechanism is None else mechanism
    subject = Subject(words=FLOWS, prepared=prepared, mechanism=chosen, params=params)
    findings = SPEC.run(subject, PosteriorRatioParams(**settings), QUIET)
    judge_findings(findings)
    return {finding.id: finding for finding in findings}


def test_that_the_example_of_the_slides_comes_out() -> None:
    found = audited(populations([[9, 1, 0]]), SLIDES)["posterior-ratio-population"]
    assert found.values["max_log_ratio_one_draw"] == pytest.approx(2.3978952728, abs=1e-7)
    assert found.values["max_log_ratio"] == pytest.approx(4.6151205168, abs=1e-7)
    assert found.values["pure_epsilon"] == pytest.approx(4.6151205168, abs=1e-7)
    assert "2.398" in found.sentence
    assert "4.615" in found.sentence


def test_that_the_matrix_is_the_slides_with_the_worst_pair_outlined() -> None:
    (figure,) = audited(populations([[9, 1, 0]]), SLIDES)["posterior-ratio-population"].figures
    assert figure.kind is Kind.HEAT_MAP
    assert figure.x.categories == ("1", "2", "3")  # rows carry the numbers and the names
    named = [category.split("  ")[1] for category in figure.y.categories]
    chance = {(row, column): figure.grid[i][j] for i, row in enumerate(named) for j, column in enumerate(named)}
    assert chance["tract 001", "tract 001"] == pytest.approx(1.1 / 10.3, abs=1e-5)
    assert chance["tract 002", "tract 001"] == pytest.approx(0.1 / 10.3, abs=1e-5)
    (a, outcome), (b, other) = figure.outlined
    assert outcome == other
    assert math.log(figure.grid[a][outcome] / figure.grid[b][outcome]) == pytest.approx(math.log(11), abs=1e-2)


def test_that_a_point_without_prior_is_infinite_and_named() -> None:
    found = audited(populations([[9, 1, 0], [1, 0, 0]], prior=[1, 1, 0]), NO_PRIOR)
    assert all(finding.status is Status.FAIL for finding in found.values())
    assert "tract 002" in found["posterior-ratio-population"].sentence
    assert "infinite" in found["posterior-ratio-population"].sentence
    assert found["posterior-ratio-populations"].values["infinite"] == 2
    assert found["posterior-ratio-total"].values["total_epsilon"] == math.inf


def test_that_every_population_is_in_the_distribution() -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    prepared = populations(rng.poisson(3.0, size=(50, 5)).tolist(), prior=[9, 4, 1, 0, 0])
    found = audited(prepared, SyntheticResidencesParams())["posterior-ratio-populations"]
    (figure,) = found.figures
    assert figure.kind is Kind.DISTRIBUTION
    assert sum(figure.series[0].y) == found.values["populations"] == np.count_nonzero(prepared.size)
    assert {mark.name.split()[0] for mark in figure.marks} == {"nominal", "claimed"}
    claim = synthetic_residences.SPEC.claim(prepared, SyntheticResidencesParams())
    assert f"claimed ε {show(claim.epsilon)}" in {mark.name for mark in figure.marks}, "as the sentences say it"
    losses = synthetic_residences.SPEC.losses(prepared, SyntheticResidencesParams())
    assert found.values["largest_epsilon"] == losses.total.max()
    assert found.tables[0].rows[0][0] == names_of(prepared)[losses.worst]
    assert found.status is Status.PASS


class HalfThePrior:
    """Claims what the original claims and draws with half the prior."""

    def __getattr__(self, name: str) -> Any:
        return getattr(synthetic_residences.SPEC, name)

    def losses(self, prepared: Populations, params: SyntheticResidencesParams) -> Any:
        losses = synthetic_residences.SPEC.losses(prepared, params)
        worse = np.log1p(2.0 * np.expm1(losses.total))
        return dataclasses.replace(losses, total=worse)


def test_that_half_the_prior_is_caught() -> None:
    found = audited(populations([[0, 1, 0]]), SyntheticResidencesParams(), HalfThePrior())
    assert found["posterior-ratio-populations"].status is Status.FAIL
    assert found["posterior-ratio-total"].status is Status.FAIL
    assert "more than the claimed" in found["posterior-ratio-populations"].sentence


def test_that_the_total_counts_the_populations_of_a_worker() -> None:
    once = audited(populations([[4, 1, 0]]), SyntheticResidencesParams())["posterior-ratio-total"]
    thrice = audited(populations([[4, 1, 0]], most_populations=3), SyntheticResidencesParams())["posterior-ratio-total"]
    assert thrice.values["total_epsilon"] == pytest.approx(3 * float(str(once.values["total_epsilon"])))
    assert thrice.status is Status.PASS


def with_true_sizes(prepared: Populations) -> Populations:
    """As a plan makes them that publishes true sizes."""
    told = ExactTable(
        what="The true size of every population", keys=("work",), value="jobs", leaves=(Definition.RESIDENCE,)
    )
    return dataclasses.replace(prepared, told_exactly=(told,))


def test_that_only_what_follows_from_public_sizes_is_public() -> None:
    plain = audited(with_true_sizes(populations([[4, 1, 0]])), SyntheticResidencesParams())
    assert plain["posterior-ratio-population"].audience is Audience.INTERNAL
    assert plain["posterior-ratio-populations"].audience is Audience.PUBLIC
    far = with_true_sizes(populations([[4, 1, 0]], kept=[True, False, True]))
    moved = audited(far, SyntheticResidencesParams())
    assert moved["posterior-ratio-populations"].audience is Audience.PUBLIC, "n = m whoever lives far away"
    for size in (6, 5):  # five is the true size, by chance: a public finding would say so
        distorted = audited(populations([[4, 1, 0]], size=[size]), SyntheticResidencesParams())
        assert distorted["posterior-ratio-populations"].audience is Audience.INTERNAL
        assert distorted["posterior-ratio-total"].audience is Audience.INTERNAL


@pytest.mark.parametrize("pruning", [False, True], ids=["not pruned", "pruned"])
@pytest.mark.parametrize("mode", [MinimumPrior.PURE, MinimumPrior.SEARCH])
def test_that_a_finding_is_public_whether_or_not_somebody_lives_far_away(pruning: bool, mode: MinimumPrior) -> None:
    """That one worker lives at an eliminated point is protected: who may read a finding must not tell it."""
    params = SyntheticResidencesParams(minimum_prior=mode, pruning=pruning)
    kept = [True, False, True]
    for truth in ([5, 0, 0], [4, 1, 0]):
        found = audited(with_true_sizes(populations([truth], kept=kept, size=[5])), params)
        assert found["posterior-ratio-populations"].audience is Audience.PUBLIC
        assert found["posterior-ratio-total"].audience is Audience.PUBLIC


def test_that_population_and_unknown_worker_can_be_chosen() -> None:
    prepared = populations([[9, 1, 0], [3, 2, 0]])
    found = audited(prepared, SLIDES, population="work-1", unknown="tract 000")["posterior-ratio-population"]
    assert found.values["population"] == "work-1"
    weights, truth = weighed(prepared, SLIDES)
    attack = view_of(prepared, weights, truth, 1).attacked("tract 000")
    assert attack.audit.weights == pytest.approx([2.1, 2.1, 0.1])


@pytest.mark.parametrize("setting", [{"population": "nowhere"}, {"unknown": "tract 002"}])
def test_that_a_wrong_name_is_a_problem_in_words(setting: dict[str, str]) -> None:
    with pytest.raises(UserProblem, match="list"):
        audited(populations([[9, 1, 0]]), SLIDES, **setting)


def test_that_the_chance_of_any_draw_is_that_of_the_urn() -> None:
    prepared = populations([[2, 1, 0]])
    weights, truth = weighed(prepared, SLIDES)
    attack = view_of(prepared, weights, truth, 0).attacked("tract 001")
    whole, own = 3.3, 0.1  # prior .3, two known workers and the unknown one, who lives elsewhere
    none = math.prod((whole - own + t) / (whole + t) for t in range(3))
    assert at_least_one(attack)[0, 2] == pytest.approx(1 - none, abs=1e-6)


@pytest.mark.parametrize("counts", [[[0, 0, 0]], [[1]], [[0, 1, 0]]])
def test_that_populations_of_none_one_worker_or_one_point_do_no_harm(counts: list[list[int]]) -> None:
    found = audited(populations(counts, size=[max(sum(counts[0]), 1)]), SyntheticResidencesParams())
    assert all(finding.status is not Status.FAIL for finding in found.values())


def test_that_other_mechanisms_are_told_apart() -> None:
    from workbench.products.employment_tables.mechanisms import laplace

    subject = Subject(words=FLOWS, prepared=None, mechanism=laplace.SPEC, params=laplace.LaplaceParams())
    (finding,) = posterior_ratio.SPEC.run(subject, PosteriorRatioParams(), QUIET)
    assert finding.status is Status.INFO
