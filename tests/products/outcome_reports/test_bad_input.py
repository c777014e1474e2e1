"""Plans are refused with a sentence each; rows never are."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.microdata.table import CodedColumn
from workbench.products.outcome_reports.mechanisms import observed_mean
from workbench.products.outcome_reports.mechanisms.observed_mean import ObservedMeanParams
from workbench.products.outcome_reports.mechanisms.year_budget import Division, YearParts
from workbench.products.outcome_reports.params import OutcomeReportsParams
from workbench.products.outcome_reports.product import SPEC


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"cap": 0}, "cap"),
        ({"person": ""}, "person"),
        ({"year": ""}, "year"),
        ({"earnings": ""}, "earnings"),
        ({"years": ()}, "years"),
        ({"years": ("1", "1")}, "years"),
        ({"years": tuple(map(str, range(99)))}, "years"),
        ({"institution": "", "titles": (), "sectors": ()}, "titles"),
        ({"titles": ("sector",)}, "titles"),
        ({"profile": ("1",)}, "profile"),
        ({"profile": ("1", "0")}, "profile"),
        ({"profile": ("1", "nan")}, "profile"),
        ({"profile": ("1", "most")}, "profile"),
    ],
)
def test_that_a_plan_that_cannot_be_carried_out_is_refused(changes: dict[str, Any], where: str) -> None:
    found = hand_made.params(**changes).check()
    assert [problem.where for problem in found] == [where]
    assert all(problem.what and problem.do for problem in found)


def test_that_a_division_by_a_profile_needs_one_and_no_table_beside_it() -> None:
    params = ObservedMeanParams(division=Division.MEAN)
    (problem,) = observed_mean.SPEC.problems(hand_made.prepared(), params)
    assert "no profile" in problem.what
    known = SPEC.prepare(hand_made.inputs(), hand_made.params(profile=("1", "0.9")), QUIET)
    assert observed_mean.SPEC.problems(known, params) == ()
    both = dataclasses.replace(params, years=Rows({"1": YearParts()}))
    assert "in two ways" in both.check()[0].what


def test_that_an_empty_plan_tells_everything_at_once() -> None:
    assert {problem.where for problem in OutcomeReportsParams().check()} == {
        "person", "year", "earnings", "cap", "titles",
    }  # fmt: skip


def test_that_a_column_without_a_public_list_is_refused_and_told_why() -> None:
    inputs = hand_made.inputs()
    sector = inputs.microdata.columns["sector"]
    assert isinstance(sector, CodedColumn)
    columns = {**inputs.microdata.columns, "sector": dataclasses.replace(sector, labels={})}
    without = dataclasses.replace(inputs, microdata=dataclasses.replace(inputs.microdata, columns=columns))
    (problem,) = SPEC.problems(without, hand_made.params())
    assert "no declared list of values" in problem.what
    assert "data dictionary" in problem.do


@pytest.mark.parametrize("mechanism", SPEC.mechanisms, ids=lambda each: each.id)
def test_that_nobody_and_a_single_person_are_published_like_everybody(mechanism: Any) -> None:
    """Nobody, one person at an institution, and all others: the same shape, whatever the method."""
    settings = hand_made.settings(mechanism)
    for rows in ([("P", "A", "faculty", "business", "1", 5e4)], [("P", "C", "faculty", "business", "1", 5e4)]):
        data = SPEC.prepare(hand_made.inputs_of(rows), hand_made.params(), QUIET)
        assert mechanism.problems(data, settings) == ()
        drawn = mechanism.study(data, settings, StudyRandom(1), QUIET).reveal()
        table = SPEC.public_table(data, drawn)
        assert table.rows == 16
        assert np.abs(drawn.values[:, 0]).max() < 200
