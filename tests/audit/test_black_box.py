"""The black box: its bounds hold as often as they say, and it sees what there is to see."""

from __future__ import annotations

import dataclasses
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.audit.black_box import SPEC, BlackBoxParams
from workbench.audit.black_box_findings import told_bound
from workbench.audit.confidence import lower_bound, upper_bound
from workbench.audit.contract import Subject
from workbench.audit.event_search import Event, largest_loss
from workbench.core.claims import Claim, Definition
from workbench.core.findings import Status
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.noise.discrete_laplace import draw_for_study
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.words import JOBS


@pytest.mark.parametrize(("hits", "draws"), [(0, 50), (1, 50), (20, 50), (50, 50), (300, 100_000)])
def test_that_the_bounds_are_those_of_the_binomial_tails(hits: int, draws: int) -> None:
    """Second route: at the bound, the binomial tail equals the risk."""
    from scipy.stats import binom

    low = float(lower_bound(np.array([hits]), draws, 0.01)[0])
    high = float(upper_bound(np.array([hits]), draws, 0.01)[0])
    if hits:
        assert binom.sf(hits - 1, draws, low) == pytest.approx(0.01, rel=1e-6)
    else:
        assert low == 0
    if hits < draws:
        assert binom.cdf(hits, draws, high) == pytest.approx(0.01, rel=1e-6)
    else:
        assert high == 1


def test_that_the_lower_bound_is_wrong_no_more_often_than_the_risk_says() -> None:
    """True loss exactly 1. At risk 0.1 a bound above it may come in at most a tenth of the runs."""
    rng, runs = StudyRandom(2), 200
    wrong = 0
    for _ in range(runs):
        first = 1 + draw_for_study(2000, 1.0, rng).reshape(-1, 1)
        second = draw_for_study(2000, 1.0, rng).reshape(-1, 1)
        wrong += largest_loss(first, second, delta=0.0, risk=0.1).lower > 1.0
    assert wrong <= 0.1 * runs + 4 * math.sqrt(runs * 0.1 * 0.9)


def test_that_the_bound_comes_near_the_true_loss() -> None:
    rng = StudyRandom(3)
    first = 1 + draw_for_study(200_000, 1.0, rng).reshape(-1, 1)
    second = draw_for_study(200_000, 1.0, rng).reshape(-1, 1)
    bound = largest_loss(first, second, delta=0.0, risk=0.001)
    assert 0.9 < bound.lower <= 1.0
    assert bound.event.words() == "at or above a threshold"


def test_that_a_delta_is_granted_before_the_ratio_is_taken() -> None:
    """Shown at the second neighbour never, at the first with probability 0.01: fine for δ 0.02, not for δ 0."""
    rng = np.random.Generator(np.random.PCG64(1))
    first = np.where(rng.random(100_000) < 0.01, 99, rng.integers(0, 5, 100_000)).reshape(-1, 1)
    second = rng.integers(0, 5, 100_000).reshape(-1, 1)
    assert largest_loss(first, second, delta=0.0, risk=0.001).lower > 3
    assert largest_loss(first, second, delta=0.02, risk=0.001).lower < 0.1


def test_that_a_single_telling_value_is_found_among_many() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    first, second = (rng.integers(0, 100, 100_000) for _ in range(2))
    first[rng.random(100_000) < 0.02] = 37
    bound = largest_loss(first.reshape(-1, 1), second.reshape(-1, 1), delta=0.0, risk=0.001)
    assert bound.event == Event(statistic=0, low=37, high=37)
    assert bound.lower > 0.8


def test_that_several_outputs_are_watched_one_by_one_and_together() -> None:
    """Each value moves by one, so each tells 1 and all four 4: only what they say together gives that away."""
    rng = StudyRandom(4)
    first = 1 + draw_for_study(400_000, 1.0, rng).reshape(-1, 4)
    second = draw_for_study(400_000, 1.0, rng).reshape(-1, 4)
    bound = largest_loss(first, second, delta=0.0, risk=0.001)
    assert bound.event.statistic == 5
    assert 3.5 < bound.lower < 4.0


def test_that_opposite_moves_which_the_sum_hides_are_seen_together() -> None:
    """One value moves up, the other down: the sum tells nothing, each value 1, both 2."""
    rng = StudyRandom(6)
    first = np.array([1, -1]) + draw_for_study(200_000, 1.0, rng).reshape(-1, 2)
    second = draw_for_study(200_000, 1.0, rng).reshape(-1, 2)
    bound = largest_loss(first, second, delta=0.0, risk=0.001)
    assert 1.7 < bound.lower < 2.0
    assert bound.event.words() == "together typical of one of the two"
    assert "array" not in repr(bound)


def test_that_very_many_distinct_values_are_searched_in_bins() -> None:
    rng = StudyRandom(5)
    first = 20_000 + draw_for_study(100_000, 20_000.0, rng).reshape(-1, 1)
    second = draw_for_study(100_000, 20_000.0, rng).reshape(-1, 1)
    assert 0.8 < largest_loss(first, second, delta=0.0, risk=0.001).lower <= 1.0


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_that_laplace_is_seen_to_spend_what_it_claims(epsilon: str, jobs: int) -> None:
    params = laplace.LaplaceParams(epsilon=Epsilon(epsilon), jobs_per_worker=jobs)
    findings = SPEC.run(_subject(params), BlackBoxParams(draws=100_000, release_draws=0, seed=3), QUIET)
    assert [finding.id for finding in findings] == ["black-box-study"]
    assert findings[0].status is Status.PASS
    assert 0.8 * float(epsilon) < float(str(findings[0].values["lower_bound"])) <= float(epsilon)


def test_that_both_samplers_are_watched_and_named() -> None:
    findings = SPEC.run(_subject(), BlackBoxParams(draws=5000, release_draws=2000), QUIET)
    assert [finding.values["sampler"] for finding in findings] == ["study", "release"]
    assert "not the one that publishes" in findings[0].does_not_prove
    assert [len(table.rows) for table in findings[0].tables] == [6, 6]  # of the grid, of the neighbours of the table
    assert findings[0].values["tests"] == 12


def test_that_the_same_seed_gives_the_same_finding() -> None:
    params = BlackBoxParams(draws=3000, release_draws=0, seed=9)
    assert SPEC.run(_subject(), params, QUIET) == SPEC.run(_subject(), params, QUIET)


def test_that_a_table_without_cells_warns() -> None:
    data = hand_made.cells()
    nothing = dataclasses.replace(
        data,
        domain=dataclasses.replace(data.domain, workplace_cells=data.domain.workplace_cells[:0]),
        count=type(data.count)(data.count.reveal()[:0]),
    )
    subject = Subject(words=JOBS, prepared=nothing, mechanism=laplace.SPEC, params=laplace.LaplaceParams())
    assert [f.status for f in SPEC.run(subject, BlackBoxParams(), QUIET)] == [Status.WARN, Status.WARN]


@pytest.mark.parametrize("wrong", [{"release_draws": 5}, {"draws": 10}, {"confidence": Decimal(1)}, {"seed": -1}])
def test_that_settings_that_could_see_nothing_are_refused(wrong: dict[str, Any]) -> None:
    assert problems_of(BlackBoxParams(**wrong))


def _subject(params: laplace.LaplaceParams | None = None) -> Subject:
    return Subject(
        words=JOBS, prepared=hand_made.cells(), mechanism=laplace.SPEC, params=params or laplace.LaplaceParams()
    )


def test_that_a_bound_just_above_the_claim_is_told_with_digits_that_show_it() -> None:
    """“At least 1, claimed 1, broken” would contradict itself."""
    claim = Claim(definition=Definition.EDGE, unit="one job", epsilon=Decimal(1), sentence="A promise.")
    assert told_bound(1.00054, claim) == "1.0005"
    assert told_bound(1.0000054, claim) == "1.000005"
    assert told_bound(0.99996, claim) == "0.999"
    assert told_bound(1.25, claim) == "1.25"
