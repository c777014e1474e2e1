"""ε for an accuracy target: the least of two digits, from public planning sizes, whatever the confidential rows are."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.mechanisms.dial import turned
from workbench.products.outcome_reports.mechanisms import (
    approximate_quantiles,
    history_histogram,
    job_year,
    observed_mean,
)
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.product import SPEC
from workbench.products.outcome_reports.usefulness.budget_solver import SOLVER, largest_of_share, planned_by
from workbench.products.outcome_reports.usefulness.planning_cells import planning_cells
from workbench.products.solver import Case, best_of

DATA = hand_made.prepared()
COUNTS = "90% of counts within 10% at 200 people"


def case(*mechanisms: Any, prepared: Outcomes = DATA) -> Case:
    chosen = tuple((each, each.params()) for each in mechanisms)
    return Case(prepared=prepared, mechanisms=chosen, baseline_params=None, baseline=lambda _: None, seed=1)  # type: ignore[arg-type,return-value]


def test_that_epsilon_is_the_least_of_two_digits_and_that_of_the_closed_form() -> None:
    """Laplace counts: P(|z| ≤ k) = 1 − 2e^(−(k + 1)/b)/(1 + e^(−1/b)), ε = 2T/b, at 1,500 drawn cells."""
    asked = SOLVER.target(COUNTS)
    (offer,) = SOLVER.offers(asked, case(observed_mean.SPEC), QUIET)
    years = DATA.layout.years
    assert offer.epsilon is not None
    kept = {}
    for factor in (0.9, 1.1):
        each = factor * float(offer.epsilon) / (2 * years)
        kept[factor] = 1 - 2 * math.exp(-21 * each) / (1 + math.exp(-each))
    assert kept[0.9] < 0.9 < kept[1.1]
    here = case(observed_mean.SPEC)
    cells = planning_cells(DATA.layout, DATA.cap, planned_by(here, asked))
    step = Decimal(1).scaleb(offer.epsilon.adjusted() - 1)
    reached = [
        largest_of_share(asked, cells, observed_mean.SPEC, turned(observed_mean.SPEC, here.mechanisms[0][1], at), 1)
        for at in (offer.epsilon, offer.epsilon - step)
    ]
    assert reached[0] <= 0.1 < reached[1]


@pytest.mark.parametrize("target", [COUNTS, "80% of medians within 10% at 500 people"])
def test_that_the_confidential_rows_play_no_part(target: str) -> None:
    nobody = replace(
        DATA, count=Confidential(np.zeros(DATA.rows, np.int64)), pay=Confidential(np.zeros(0, np.int64))
    )  # fmt: skip
    one, two = (
        [
            each.epsilon
            for each in SOLVER.offers(SOLVER.target(target), case(history_histogram.SPEC, prepared=data), QUIET)
        ]
        for data in (DATA, nobody)
    )
    assert one == two
    assert one[0] is not None


def test_that_planned_cells_have_the_sizes_of_the_file_and_the_profile_of_the_plan() -> None:
    """Four blocks of the file stand for all, the smallest first, and a year has its share of each."""
    sizes = replace(DATA, planned=(10, None, 400, 40), profile=(1.0, 0.5))
    asked = SOLVER.target("90% of counts within 10%")
    here = case(history_histogram.SPEC, prepared=sizes)
    cells = planning_cells(sizes.layout, sizes.cap, planned_by(here, asked))
    years = cells.layout.years
    first, second = (cells.count.reveal().reshape(-1, years)[:, place] for place in range(2))
    for size in (10, 40, 100, 400):
        assert int((first == size).sum()) == pytest.approx(len(first) / 4, abs=2)
    assert np.array_equal(second, first // 2)
    assert cells.planned is not None
    assert set(cells.planned) == {10, 40, 100, 400}
    fixed = planning_cells(sizes.layout, sizes.cap, planned_by(here, SOLVER.target(COUNTS)))
    assert (fixed.count.reveal() == 200).all()


def test_that_small_cells_of_the_file_need_a_larger_epsilon() -> None:
    asked = SOLVER.target("90% of counts within 10%")
    found = [
        SOLVER.offers(asked, case(observed_mean.SPEC, prepared=data), QUIET)[0].epsilon
        for data in (DATA, replace(DATA, planned=(50, 100, 100, 200)))
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert found[1] > found[0]


def test_that_whole_histories_go_before_a_single_year_at_a_smaller_epsilon() -> None:
    found = SOLVER.offers(SOLVER.target(COUNTS), case(job_year.SPEC, observed_mean.SPEC, history_histogram.SPEC), QUIET)
    single, _, whole = (each.epsilon for each in found)
    assert single is not None
    assert whole is not None
    assert single < whole
    assert best_of(found).mechanism is history_histogram.SPEC


def test_that_a_method_without_the_statistic_says_that_nothing_meets_the_target() -> None:
    asked = SOLVER.target("90% of mean earnings within 10%")
    (offer,) = SOLVER.offers(asked, case(approximate_quantiles.SPEC), QUIET)
    assert not offer.reached
    assert offer.public
    assert "no ε up to 50" in offer.why


def test_that_the_target_is_repeated_in_the_words_of_the_product() -> None:
    said = SOLVER.target("80 % of mean earnings within 5%").sentence(SPEC.words)
    assert said == "mean earnings within 5 % in at least 80 % of cells of the planned size"


@pytest.mark.parametrize("words", ["half of counts", "0% of counts within 5%", "90% of counts within 5% at 0 people"])
def test_that_a_target_that_is_not_understood_is_refused_with_examples(words: str) -> None:
    with pytest.raises(UserProblem) as said:
        SOLVER.target(words)
    assert "for example" in said.value.problems[0].do
