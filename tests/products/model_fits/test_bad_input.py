"""What goes wrong in data and settings: rows are settled by rule, and what is published keeps its form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.model_fits import hand_made
from workbench.audit.contract import Subject
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.findings import Status
from workbench.core.params import Rows, parse
from workbench.core.progress import QUIET
from workbench.core.quantities import Delta
from workbench.core.randomness import ReleaseRandom
from workbench.microdata.inputs import Inputs
from workbench.microdata.table import MISSING, NumericColumn
from workbench.products.model_fits.audit import delta_size
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import dp_newton, dp_sgd
from workbench.products.model_fits.params import PredictorParams
from workbench.products.model_fits.product import SPEC

Change = Callable[[np.ndarray, np.ndarray], None]


def inputs(change: Change, people: int = 400) -> Inputs:
    made = hand_made.inputs(people)
    numbers = {
        name: made.microdata.columns[name].numbers.reveal().copy()  # type: ignore[union-attr]
        for name in ("education", "married")
    }
    change(numbers["education"], numbers["married"])
    columns = dict(made.microdata.columns)
    columns |= {name: NumericColumn(name=name, numbers=Confidential(each)) for name, each in numbers.items()}
    return replace(made, microdata=replace(made.microdata, columns=columns))


def prepared(change: Change, people: int = 400) -> FitData:
    return SPEC.prepare(inputs(change, people), hand_made.params(), QUIET)


def found(data: FitData) -> dict[str, Any]:
    return {finding.id: finding for finding in SPEC.describe(data)}


def separate(education: np.ndarray, married: np.ndarray) -> None:
    married[:] = education > 12


def hold_constant(education: np.ndarray, _: np.ndarray) -> None:
    education[:] = 12.0


def go_beyond(education: np.ndarray, _: np.ndarray) -> None:
    education[:3] = (-1000.0, 7.99, 10.0**12)


def put_on_bounds(education: np.ndarray, _: np.ndarray) -> None:
    education[:3] = (8.0, 8.0, 20.0)


def lose(education: np.ndarray, married: np.ndarray) -> None:
    education[0], married[1] = np.nan, np.nan


def nothing(education: np.ndarray, married: np.ndarray) -> None:
    pass


@pytest.mark.parametrize("change", [separate, hold_constant, go_beyond, lose, nothing])
@pytest.mark.parametrize("mechanism", SPEC.mechanisms, ids=lambda mechanism: mechanism.id)
def test_that_form_labels_and_claim_of_what_is_published_are_those_of_the_plan(mechanism: Any, change: Change) -> None:
    data, usual = prepared(change), hand_made.prepared()
    params = hand_made.settings(mechanism)
    assert mechanism.problems(data, params) == ()
    table, other = (
        SPEC.public_table(each, mechanism.release(each, params, ReleaseRandom(), QUIET)) for each in (data, usual)
    )
    assert table.names == other.names
    assert table.coded("coefficient").texts() == other.coded("coefficient").texts()
    assert np.isfinite(table.units("estimate").numbers()).all()
    assert mechanism.claim(data, params) == mechanism.claim(usual, params)


def test_that_separation_is_told_to_the_preparer() -> None:
    assert found(prepared(separate))["fit.separated"].status is Status.WARN
    assert "fit.separated" not in found(hand_made.prepared())


def test_that_a_constant_predictor_is_told_to_the_preparer() -> None:
    finding = found(prepared(hold_constant))["fit.constant"]
    assert finding.status is Status.WARN
    assert "education" in finding.sentence
    assert "fit.constant" not in found(hand_made.prepared())


def test_that_values_beyond_the_bounds_count_as_the_bound_and_are_counted() -> None:
    data, at_bound = prepared(go_beyond), prepared(put_on_bounds)
    assert np.array_equal(data.grid.reveal(), at_bound.grid.reveal())
    assert at_bound.beyond.reveal() == 0
    assert found(data)["fit.rows-settled"].values["values_at_bound"] == 3
    assert found(hand_made.prepared())["fit.rows-settled"].values["values_at_bound"] == 0


def test_that_rows_with_a_missing_value_are_left_out_and_counted() -> None:
    data = prepared(lose)
    assert len(data.outcome.reveal()) == 398
    assert found(data)["fit.rows-settled"].values["rows_left_out"] == 2


@pytest.mark.parametrize("value", ["0", "-0.1", "1.01", "nan"])
def test_that_a_sampling_rate_outside_its_range_is_refused(value: str) -> None:
    with pytest.raises(UserProblem) as refused:
        parse(dp_sgd.DpSgdParams, {"sampling": value})
    assert any("ampling" in problem.sentence() for problem in refused.value.problems)


@pytest.mark.parametrize("value", ["0", "-1", "inf"])
def test_that_a_clip_that_lets_nothing_through_is_refused(value: str) -> None:
    with pytest.raises(UserProblem) as refused:
        parse(dp_sgd.DpSgdParams, {"clip": value})
    assert any("lip" in problem.sentence() for problem in refused.value.problems)


@pytest.mark.parametrize(("delta", "status"), [("0.0025", Status.WARN), ("0.0024", Status.PASS), ("0", Status.PASS)])
def test_that_a_delta_of_one_in_the_number_of_people_is_warned_of(delta: str, status: Status) -> None:
    data = hand_made.prepared()
    mechanism, params = (
        (SPEC.mechanisms[0], SPEC.mechanisms[0].params())
        if delta == "0"
        else (dp_newton.SPEC, dp_newton.DpNewtonParams(delta=Delta(delta)))
    )
    subject = Subject(words=SPEC.words, prepared=data, mechanism=mechanism, params=params)
    (finding,) = delta_size.SPEC.run(subject, delta_size.DeltaSizeParams(), QUIET)
    assert finding.status is status


@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize("mechanism", SPEC.mechanisms, ids=lambda mechanism: mechanism.id)
def test_that_fewer_rows_than_coefficients_are_told_and_still_released_in_form(mechanism: Any, people: int) -> None:
    data = prepared(nothing, people)
    assert found(data)["fit.few-people"].status is Status.WARN
    release = mechanism.release(data, hand_made.settings(mechanism), ReleaseRandom(), QUIET)
    assert release.values.shape == (2, 5)


@pytest.mark.parametrize("odd", [2.0, -1.0, 0.5])
def test_that_an_outcome_that_is_not_binary_stops_the_preparer_before_any_draw(odd: float) -> None:
    with pytest.raises(UserProblem) as refused:
        prepared(lambda _, married: married.__setitem__(5, odd))
    (problem,) = refused.value.problems
    assert "other than 0 and 1" in problem.sentence()
    assert str(odd) not in problem.sentence(), "no message holds a value"


def test_that_levels_come_from_the_plan_and_never_from_the_rows() -> None:
    """Two declared levels for four in the data, and a table too large by declaration."""
    few = hand_made.params(
        predictors=Rows({"education": PredictorParams(lower=Decimal(8), upper=Decimal(20), levels=2)})
    )
    assert SPEC.mechanisms[0].problems(SPEC.prepare(hand_made.inputs(), few, QUIET), None) == ()
    nine = replace(hand_made.prepared().predictors[0], levels=9)
    data = replace(hand_made.prepared(), predictors=(nine, replace(nine, name="age")))
    (problem,) = SPEC.mechanisms[0].problems(data, None)
    assert "81 combinations" in problem.sentence()


def test_that_one_row_of_each_person_counts_and_rows_without_an_identifier_do_not() -> None:
    """A person who comes twice adds one row, whatever the second says; nobody's row pushes out another's."""
    made = hand_made.inputs()
    codes = np.arange(400, dtype=np.int32)
    codes[0], codes[1] = MISSING, 2
    columns = dict(made.microdata.columns)
    columns["person"] = replace(made.microdata.coded("person"), codes=Confidential(codes))
    data = SPEC.prepare(replace(made, microdata=replace(made.microdata, columns=columns)), hand_made.params(), QUIET)
    assert len(data.outcome.reveal()) == 398
    usual = hand_made.prepared()
    mechanism = SPEC.mechanisms[0]
    assert mechanism.claim(data, mechanism.params()) == mechanism.claim(usual, mechanism.params())
    assert data.names == usual.names
