"""The product from file to released files: bad input, neighbours, code book, Stata and Parquet, explorations."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.products.survey_microdata import hand_made
from tests.products.survey_microdata.test_audit import PARAMS, survey
from tests.products.survey_microdata.test_formulas import category, percentage
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.params import Rows, parse
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.explorations.contract import Scene
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn
from workbench.products.survey_microdata.central.pairs_file import PairsFileParams
from workbench.products.survey_microdata.central.params import Neighbours, PairsParams, pairs_problems
from workbench.products.survey_microdata.estimation.crosstabs import corrected, true_tables
from workbench.products.survey_microdata.estimation.decoding import designs_of, indicators
from workbench.products.survey_microdata.estimation.shares import estimates, true_estimates
from workbench.products.survey_microdata.explorations import attack_curve, crosstab, trade_off
from workbench.products.survey_microdata.layout import published
from workbench.products.survey_microdata.local import krr_laplace
from workbench.products.survey_microdata.params import Kind, VariableParams
from workbench.products.survey_microdata.product import SPEC
from workbench.products.survey_microdata.recodings import Steps, told_apart
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.products.survey_microdata.usefulness.error_curves import (
    Question,
    central_error,
    local_error,
    sampling_error,
)


def problems(inputs: Any, **table: VariableParams) -> list[str]:
    params = hand_made.params(variables=Rows({**hand_made.params().variables, **table}))
    return [problem.sentence() for problem in SPEC.problems(inputs, params)]


def test_that_a_weight_left_in_is_refused_with_what_to_do() -> None:
    inputs = hand_made.inputs()
    (said,) = problems(replace(inputs, roles={**inputs.roles, "name": Role.WEIGHT}))[:1]
    assert "role" in said or "weight" in said
    every = problems(replace(inputs, roles={**inputs.roles, "name": Role.WEIGHT}))
    assert any("would name its respondent" in each and "rake" in each for each in every)


def test_that_domains_must_be_declared_and_sensible() -> None:
    inputs = hand_made.inputs()
    assert any("no declared list" in each for each in problems(inputs, score=VariableParams()))
    assert any("single category" in each for each in problems(inputs, sex=VariableParams(values=("f",))))
    many = VariableParams(values=tuple(map(str, range(10_000))))
    assert any("10,000 categories" in each and "Recode" in each for each in problems(inputs, sex=many))
    assert any("not declared" in each for each in problems(inputs, sex=VariableParams(otherwise="x")))
    with pytest.raises(UserProblem, match="ε"):
        parse(krr_laplace.KrrLaplaceParams, {"variables": {"sex": {"epsilon": 0}}})


def test_that_too_few_planned_respondents_are_told_from_the_plan_alone() -> None:
    data = hand_made.prepared()
    assert pairs_problems(data, PairsParams()) == ()  # no planning size, and the true one says nothing
    for replaced in Neighbours:
        few, many = (replace(data, planned=size) for size in (5, 3000))
        (problem,) = pairs_problems(few, PairsParams(neighbours=replaced))
        assert "5 planned respondents are too few for 6 tables" in problem.sentence()
        assert "larger ε" in problem.sentence()
        assert pairs_problems(many, PairsParams(neighbours=replaced)) == ()
    other = replace(few, answers=Confidential(np.tile(hand_made.truth(data), (50, 1))))
    assert pairs_problems(other, PairsParams(neighbours=replaced)) == (problem,)


def test_that_pairs_need_two_variables_and_not_too_many_categories() -> None:
    one = SurveyData(variables=(category(2),), answers=Confidential(np.zeros((3, 1), dtype=np.int64)))
    (problem,) = pairs_problems(one, PairsParams())
    assert "two variables" in problem.what
    long = SurveyData(
        variables=tuple(category(400, f"q{i}") for i in range(9)), answers=Confidential(np.zeros((3, 9), np.int64))
    )
    (problem,) = pairs_problems(long, PairsParams())
    assert "3,600 categories" in problem.what


ODD = {
    "missing": {"sex": [""], "score": [""]},
    "undeclared": {"sex": ["x"], "health": ["never heard of"]},
    "beyond the bounds": {"score": ["-5"]},
    "no number": {"score": ["many"]},
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("mechanism", SPEC.mechanisms, ids=lambda spec: spec.id)
def test_that_an_odd_row_changes_no_shape_no_label_and_no_message(mechanism: Any, odd: str) -> None:
    plain = hand_made.inputs()
    rows = hand_made.answers()
    lists = enumerate(hand_made.LISTS.items())
    columns = {name: [values[code] for code in rows[:, place]] for place, (name, values) in lists}
    columns["score"] = [str(code) for code in rows[:, 3]]
    changed = {name: [*first, *columns[name][len(first) :]] for name, first in ODD[odd].items()}
    params = hand_made.settings(mechanism)
    said = []
    for inputs in (plain, hand_made.inputs(**changed)):
        assert SPEC.problems(inputs, hand_made.params()) == ()
        prepared = SPEC.prepare(inputs, hand_made.params(), QUIET)
        assert mechanism.problems(prepared, params) == ()
        release = mechanism.release(prepared, params, ReleaseRandom(), QUIET)
        table = SPEC.public_table(prepared, release)
        labels = [getattr(column, "values", ()) for column in table.columns]
        said.append((table.names, labels, mechanism.claim(prepared, params), prepared.variables))
    assert said[0] == said[1]


def test_that_missing_answers_are_a_category_of_their_own_unless_the_plan_names_one() -> None:
    texts = ["", "x", *(["f"] * 58)]
    inputs = hand_made.inputs(sex=texts)
    own = hand_made.params(variables=Rows({**hand_made.params().variables, "sex": VariableParams()}))
    prepared = SPEC.prepare(inputs, own, QUIET)
    assert prepared.variables[0].values == ("f", "m", "missing")
    assert sorted(prepared.answers.reveal()[:, 0].tolist())[-2:] == [2, 2]
    assert prepared.settled is not None and prepared.settled.reveal()[0] == 2
    named = SPEC.prepare(inputs, hand_made.params(), QUIET)
    assert named.variables[0].values == ("f", "m")


def test_that_two_rows_of_one_respondent_count_once() -> None:
    twice = [f"{hand_made.SECRET_NAME} 000"] * 2 + [f"{hand_made.SECRET_NAME} {place:03d}" for place in range(2, 60)]
    assert SPEC.prepare(hand_made.inputs(name=twice), hand_made.params(), QUIET).respondents.reveal() == 59


@pytest.mark.parametrize("name", ["krr-laplace", "grid-rr", "joint-rr", "pairs-gaussian", "pairs-file"])
def test_that_estimates_come_back_within_their_errors(protected: Any, name: str) -> None:
    found, truth = estimates(survey().variables, protected[name]), true_estimates(survey())
    for which in ("share", "mean"):
        away = np.abs(getattr(found, f"{which}s") - getattr(truth, f"{which}s"))
        assert (away <= 4 / 1.96 * getattr(found, f"{which}_margins") + 0.05).all()
    cells = corrected(survey().variables, protected[name])
    assert cells is not None
    known = np.isfinite(cells)
    assert known.all() or name == "krr-laplace"  # pairs with a Laplace number have no useful cells
    assert known.any()
    assert np.sqrt(((cells - true_tables(survey()))[known] ** 2).mean()) < 25


def test_that_classes_of_laplace_numbers_are_refused(protected: Any) -> None:
    designs = designs_of(survey().variables, protected["krr-laplace"])
    assert designs is not None
    with pytest.raises(UserProblem, match="cannot be counted"):
        indicators(designs[-1], protected["krr-laplace"])


def test_that_stata_and_parquet_carry_labels_and_read_back(protected: Any) -> None:
    import pandas as pd
    import pyarrow.parquet as pq

    variables = tuple(
        replace(each, labels=tuple(f"answer {value}" for value in each.values), title=f"Question {each.name}")
        for each in survey().variables
    )
    drawn = krr_laplace.SPEC.study(replace(survey(), variables=variables), PARAMS, StudyRandom(1), QUIET).reveal()
    table = published(variables, drawn)
    files = {file.kind: file for file in SPEC.outputs(table)}
    stata = pd.read_stata(io.BytesIO(files["stata"].write()))
    assert len(stata) == table.rows
    assert str(stata["age"].iloc[0]).startswith("answer ")
    parquet = pq.read_table(io.BytesIO(files["parquet"].write()))
    assert parquet.column("pct1").to_pylist() == table.units("pct1").integers.tolist()
    book = list(csv.DictReader(io.StringIO(files["code-book"].write().decode("utf-8-sig"))))
    assert any(row["label"] == "answer 1" for row in book)


def test_that_curves_of_error_are_the_errors_of_draws() -> None:
    """Closed form against draws at fixed answers: noise alone, sampling taken out."""
    random = np.random.default_rng(1)
    rows = np.stack([random.integers(0, 3, 1500), random.integers(0, 2, 1500), random.integers(0, 101, 1500)], axis=1)
    data = SurveyData(variables=(category(3, "a"), category(2, "b"), percentage("c")), answers=Confidential(rows))
    params = krr_laplace.KrrLaplaceParams(epsilon=Epsilon(1))
    studies = [krr_laplace.SPEC.study(data, params, StudyRandom(seed), QUIET).reveal() for seed in range(200)]
    drawn = [estimates(data.variables, published(data.variables, study)) for study in studies]
    truth = true_estimates(data)
    for asked, error in (
        (Question(place=0), [each.shares[0] - truth.shares[0] for each in drawn]),
        (Question(place=2), [each.means[0] - truth.means[0] for each in drawn]),
    ):
        told = local_error(data, asked, 1.0, grid=False)
        noise = np.sqrt(told**2 - sampling_error(data, asked) ** 2)
        assert np.std(error) == pytest.approx(noise, rel=0.15)
    for asked in (Question(place=0, group=(1, 1)), Question(place=2, group=(1, 1))):
        assert local_error(data, asked, 1.0, grid=True) > sampling_error(data, asked)
        assert local_error(data, asked, 30.0, grid=False) == pytest.approx(sampling_error(data, asked), rel=0.05)
        assert central_error(data, asked, 8.0) < central_error(data, asked, 1.0)


@pytest.mark.parametrize("exploration", SPEC.explorations, ids=lambda spec: spec.id)
@pytest.mark.parametrize("mechanism", SPEC.mechanisms, ids=lambda spec: spec.id)
def test_that_every_exploration_shows_something(exploration: Any, mechanism: Any, protected: Any) -> None:
    params = mechanism.params()
    scene = Scene(prepared=survey(), mechanism=mechanism, params=params, table=protected[mechanism.id])
    settings = exploration.params(targets=10) if exploration.id == "linked-by-epsilon" else exploration.params()
    for name, offered in exploration.choices(scene).items():
        assert all(isinstance(each, str) for each in offered), name
    judge_findings(exploration.show(scene, settings, QUIET))


@pytest.mark.parametrize("exploration", [trade_off.SPEC, attack_curve.SPEC])
def test_that_curves_over_epsilon_mark_the_release_and_the_cap_of_the_policy(exploration: Any) -> None:
    scene = Scene(prepared=survey(), mechanism=SPEC.mechanisms[0], params=PairsParams(), cap=Decimal(6))
    (found,) = exploration.show(scene, exploration.params(), QUIET)
    marks = {mark.name: mark.value for mark in found.figures[0].marks}
    assert marks == {"this release": 4.0, "cap of the policy": 6.0}


def test_that_odd_draws_still_make_a_file_as_long_as_their_total() -> None:
    """Nobody, one person, constant columns, hardly any ε: after the draw nothing may stop a run."""
    random = np.random.default_rng(2)
    for people, epsilon in ((0, "0.001"), (1, "8"), (3, "0.1"), (60, "100"), (60, "0.01")):
        rows = np.stack([np.zeros(people, dtype=np.int64), random.integers(0, 9, people),
                         random.integers(0, 101, people)], axis=1)  # fmt: skip
        data = SurveyData(variables=(category(2, "a"), category(9, "b"), percentage("c")), answers=Confidential(rows))
        for neighbours in Neighbours:
            params = PairsFileParams(epsilon=Epsilon(epsilon), neighbours=neighbours)
            made = SPEC.mechanisms[0].study(data, params, StudyRandom(people), QUIET).reveal()
            assert made.rows == max(1, round(float(made.beside.units("estimate").numbers()[0])))


def test_that_a_crosstab_withholds_small_cells_and_those_that_would_give_them_away(protected: Any) -> None:
    scene = Scene(prepared=survey(), mechanism=SPEC.mechanisms[0], params=PairsParams(), table=protected["pairs-file"])
    (found,) = crosstab.SPEC.show(scene, crosstab.CrosstabParams(first="race", second="region"), QUIET)
    rows = np.array([[row[2], row[3] == "suppressed"] for row in found.tables[0].rows], dtype=int).reshape(6, 9, 2)
    true, hidden = rows[:, :, 0], rows[:, :, 1].astype(bool)
    small = (true > 0) & (true < 10)
    assert hidden[small].all()
    assert hidden.sum() > small.sum()
    for lines in (hidden, hidden.T):
        assert not any(line.sum() == 1 for line in lines)  # its margin would give a single one away
    assert [series.name for series in found.figures[0].series] == [
        "confidential", "suppressed", "source's method", "this release"
    ]  # fmt: skip


def test_that_recodings_say_how_many_answers_are_left() -> None:
    assert told_apart(category(9), Steps()) == 3
    assert told_apart(category(3), Steps()) == 3
    assert told_apart(percentage(), Steps()) == 9


def test_that_kinds_of_variables_check_themselves() -> None:
    wrong = (
        VariableParams(kind=Kind.NUMBER, lower=5, upper=5),
        VariableParams(kind=Kind.NUMBER, values=("a",)),
        VariableParams(kind=Kind.NUMBER, upper=5, classes=5),
        VariableParams(kind=Kind.NUMBER, otherwise="many"),
        VariableParams(values=("a", "a")),
    )
    assert all(each.check() for each in wrong)


def test_that_both_policies_refuse_what_the_source_spends() -> None:
    from workbench.policy.text import read_profile

    claim = krr_laplace.SPEC.claim(None, krr_laplace.KrrLaplaceParams())
    assert claim.epsilon == 280
    for name in ("standard", "strict"):
        limit = read_profile(name).limits(None).of(claim.definition)
        assert limit.epsilon is not None and limit.epsilon < claim.epsilon


@pytest.mark.skipif("SURVEY_ACS" not in os.environ, reason="set SURVEY_ACS to the ACS excerpt, which is not shipped")
def test_that_a_protected_acs_file_gives_its_proportions_back() -> None:
    from benchmarks.survey import acs, within_four

    data = acs(Path(os.environ["SURVEY_ACS"]))
    drawn = krr_laplace.SPEC.study(data, krr_laplace.KrrLaplaceParams(), StudyRandom(3), QUIET).reveal()
    assert within_four(data, published(data.variables, drawn)) == 1.0


def test_that_categories_taken_from_the_data_are_not_declared() -> None:
    inputs, params = hand_made.inputs(), hand_made.params()
    columns = {
        name: replace(column, labels_inside=True) if isinstance(column, CodedColumn) and column.labels else column
        for name, column in inputs.microdata.columns.items()
    }
    taken = replace(inputs, microdata=replace(inputs.microdata, columns=columns))
    listed = [name for name, row in params.variables.items() if row.kind is Kind.CATEGORY and not row.values]
    assert SPEC.problems(inputs, params) == ()
    assert listed
    assert [problem.where for problem in SPEC.problems(taken, params)] == [f"variables.{name}" for name in listed]
