"""Broken variants of the methods are caught, honest ones pass, and the attacks see what there is to see."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.contract.twins import Twin
from tests.products.survey_microdata.test_formulas import category, percentage
from workbench.audit import completeness, exact_loss
from workbench.audit.contract import Subject
from workbench.core.claims import Definition
from workbench.core.confidential import Confidential
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET
from workbench.core.published import Coded, ColumnRole, Units
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise import randomised_response
from workbench.products.survey_microdata.audit import linkage, noise_barrier, table_noise
from workbench.products.survey_microdata.central import measurement, pairs_file
from workbench.products.survey_microdata.central.pairs_file import PairsFileParams, made_from
from workbench.products.survey_microdata.central.params import measurement as measured_for
from workbench.products.survey_microdata.local import krr_laplace
from workbench.products.survey_microdata.local import mechanism as local
from workbench.products.survey_microdata.local.design import response
from workbench.products.survey_microdata.product import SPEC
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.products.survey_microdata.twin.attitudes import answers
from workbench.products.survey_microdata.twin.vocabulary import QUESTIONS

PARAMS = krr_laplace.KrrLaplaceParams()
EXACT = krr_laplace.KrrLaplaceParams(epsilon=Epsilon(100))
FILE = PairsFileParams(epsilon=Epsilon(2), components=40)


@cache
def survey() -> SurveyData:
    """2,000 respondents and 14 variables, two of them percentages."""
    chosen = [*range(12), 34, 35]
    rows = answers(2000, 3)[:, chosen]
    listed = tuple(
        category(len(QUESTIONS[place].answers), QUESTIONS[place].name)
        if QUESTIONS[place].answers
        else percentage(QUESTIONS[place].name)
        for place in chosen
    )
    return SurveyData(variables=listed, answers=Confidential(rows), bounded=True)


def subject(mechanism: Any, params: Any, release: Any = None) -> Subject:
    return Subject(words=SPEC.words, prepared=survey(), mechanism=mechanism, params=params, release=release)


def judged(check: Any, of: Subject, **settings: Any) -> Finding:
    (found,) = check.run(of, check.params(**settings), QUIET)
    return found


class RoundedUp(Twin):
    """A keep-threshold that is too high by one part in a million."""

    def exact_loss(self, prepared: Any, params: Any, context: Any) -> Any:
        designs = self.original.designs(prepared, params)
        return local.exact([replace(d, kept=int(d.kept * (1 + 1e-6))) if d.kept else d for d in designs])


class KeepOther(Twin):
    """The chance of "keep, else another" used where all answers are drawn: loss ln(1 + k·e^ε/(k − 1))."""

    def exact_loss(self, prepared: Any, params: Any, context: Any) -> Any:
        designs = [
            replace(d, kept=int(d.chances()[0] * randomised_response.WHOLE)) if d.kept else d
            for d in self.original.designs(prepared, params)
        ]
        return local.exact(designs)


class OneForAll(Twin):
    """Claims the ε of one variable for the whole record."""

    def claim(self, prepared: Any, params: Any) -> Any:
        return replace(self.original.claim(prepared, params), epsilon=Decimal(params.epsilon), parts=())


@pytest.mark.parametrize("broken", [RoundedUp, KeepOther, OneForAll])
def test_that_the_exact_loss_catches_a_method_that_spends_more(broken: type[Twin]) -> None:
    assert judged(exact_loss.SPEC, subject(krr_laplace.SPEC, PARAMS)).status is Status.PASS
    assert judged(exact_loss.SPEC, subject(broken(krr_laplace.SPEC), PARAMS)).status is Status.FAIL


def test_that_keep_other_loses_what_is_said() -> None:
    made = response(category(5), Fraction(2))
    same, _ = made.chances()
    loss = randomised_response.exact_loss(int(same * randomised_response.WHOLE), 5)
    assert loss == pytest.approx(np.log(1 + 5 * np.exp(2) / 4), rel=1e-6)


class PassedThrough(Twin):
    """The first variable is published as it is; `shuffled` as the honest method shuffles."""

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Any) -> Any:
        return Confidential(self._with_truth(prepared, self.original.study(prepared, params, rng, context).reveal()))

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Any) -> Any:
        return self._with_truth(prepared, self.original.release(prepared, params, rng, context))

    @staticmethod
    def _with_truth(prepared: Any, drawn: Any) -> Any:
        first = drawn.columns[0]
        true = replace(first, codes=prepared.answers.reveal()[:, 0].astype(np.int32))
        return replace(drawn, columns=(true, *drawn.columns[1:]))


def test_that_a_column_that_passes_the_noise_barrier_fails() -> None:
    honest = krr_laplace.SPEC.release(survey(), PARAMS, ReleaseRandom(), QUIET)
    assert judged(noise_barrier.SPEC, subject(krr_laplace.SPEC, PARAMS, honest)).status is Status.PASS
    broken = PassedThrough(krr_laplace.SPEC)
    leaked = broken.release(survey(), PARAMS, ReleaseRandom(), QUIET)
    by_release = judged(noise_barrier.SPEC, subject(krr_laplace.SPEC, PARAMS, leaked))
    by_method = judged(noise_barrier.SPEC, subject(broken, PARAMS, honest))
    assert by_release.status is by_method.status is Status.FAIL
    assert "“age” came through unchanged" in by_method.sentence


def test_that_the_noise_barrier_tells_nothing_of_answers_that_all_are_alike() -> None:
    """A column of ones that came out as ones by luck must not be told from one in which the last answer was another."""
    alike = np.zeros_like(survey().answers.reveal()[:60])
    other = alike.copy()
    other[-1, 0] = 1
    file = krr_laplace.SPEC.release(replace(survey(), answers=Confidential(alike)), EXACT, ReleaseRandom(), QUIET)
    assert not file.columns[0].codes.any()  # at this ε no answer changes
    told = []
    for true in (alike, other):
        held = replace(survey(), answers=Confidential(true))
        told.append(judged(noise_barrier.SPEC, replace(subject(krr_laplace.SPEC, EXACT, file), prepared=held)))
    assert told[0] == told[1]
    assert told[0].status is Status.PASS
    assert noise_barrier.log_orders(np.array([1, 1, 2, 3, 3])) == pytest.approx(np.log(30))
    assert noise_barrier.log_orders(alike[:, 0]) == 0.0


@pytest.mark.parametrize(
    "column",
    [
        Units(name="weight", integers=np.arange(2000), additive=False),
        Coded(name="date", codes=np.arange(2000, dtype=np.int32), role=ColumnRole.VALUE),
    ],
    ids=["weight", "date"],
)
def test_that_a_column_without_a_method_fails(column: Any) -> None:
    honest = krr_laplace.SPEC.release(survey(), PARAMS, ReleaseRandom(), QUIET)
    more = replace(honest, columns=(*honest.columns, column))
    found = judged(noise_barrier.SPEC, subject(krr_laplace.SPEC, PARAMS, more))
    assert found.status is Status.FAIL
    assert f"“{column.name}” stands in the file" in found.sentence


def test_that_records_do_not_come_out_in_the_order_they_went_in() -> None:
    exact = krr_laplace.KrrLaplaceParams(epsilon=Epsilon(100))
    release = krr_laplace.SPEC.release(survey(), exact, ReleaseRandom(), QUIET)
    came, went = release.values[:, :12], survey().answers.reveal()[:, :12]  # at this ε no category changes
    assert (came == went).all(axis=1).mean() < 0.05
    assert sorted(map(tuple, came.tolist())) == sorted(map(tuple, went.tolist()))


@cache
def drawn() -> measurement.Drawn:
    return measurement.measure(survey(), measured_for(survey(), FILE), StudyRandom(5), QUIET)


@cache
def exact() -> measurement.Drawn:
    """What an honest program never has: the tables without noise, called drawn."""
    total, single, pair, sums = measurement.exact_integers(survey(), QUIET)
    return replace(
        drawn(), total=total, single=tuple(single), sums=tuple(sums), pair=dict(zip(drawn().pair, pair, strict=True))
    )


def released(made: Any) -> Any:
    from workbench.mechanisms.contract import Release

    return Release(columns=made.columns, records=made.records, beside=made.beside, mechanism="pairs-file", version=1)


@cache
def honest_file() -> Any:
    return made_from(drawn(), 40, [1], QUIET)


def test_that_an_honest_file_passes_and_one_made_from_true_tables_fails() -> None:
    assert judged(table_noise.SPEC, subject(pairs_file.SPEC, FILE, released(honest_file()))).status is Status.PASS
    cheated = replace(made_from(exact(), 40, [1], QUIET), beside=honest_file().beside)
    found = judged(table_noise.SPEC, subject(pairs_file.SPEC, FILE, released(cheated)))
    assert found.status is Status.FAIL
    assert "not made from the drawn tables" in found.sentence


def test_that_swapping_towards_the_true_tables_is_seen() -> None:
    from workbench.products.survey_microdata import records

    honest = honest_file()
    classed = np.stack([
        variable.classed(column.codes if isinstance(column, Coded) else column.integers)
        for variable, column in zip(survey().variables, honest.columns, strict=True)
    ], axis=1)  # fmt: skip
    true = records.file_tables(survey().classed.reveal(), survey().categories)
    random = np.random.default_rng(1)
    polished = records.polished(classed.astype(np.int64), true, survey().categories, random, QUIET)
    columns = tuple(
        replace(column, codes=polished[:, place].astype(np.int32))
        if isinstance(column, Coded)
        else replace(column, integers=np.array(survey().variables[place].starts)[polished[:, place]])
        for place, column in enumerate(honest.columns)
    )
    found = judged(table_noise.SPEC, subject(pairs_file.SPEC, FILE, released(replace(honest, columns=columns))))
    assert found.status is Status.FAIL


@pytest.mark.parametrize("way", ["too small", "none where empty", "not multiplied by the categories"])
def test_that_noise_of_the_wrong_size_is_seen(way: str) -> None:
    true, noisy = exact(), drawn()
    pair = {}
    for at, table in noisy.pair.items():
        noise = table - true.pair[at]
        if way == "too small":
            pair[at] = true.pair[at] + noise // 2
        elif way == "not multiplied by the categories":
            pair[at] = true.pair[at] + noise // noise.size
        else:
            pair[at] = table
    beside = made_from(replace(noisy, pair=pair), 40, [1], QUIET).beside
    if way == "none where empty":
        exact_cells = made_from(exact(), 40, [1], QUIET).beside
        value, true_value = beside.units("estimate").integers, exact_cells.units("estimate").integers
        kept = replace(beside.units("estimate"), integers=np.where(true_value == 0, 0, value))
        beside = replace(
            beside, columns=tuple(kept if column.name == "estimate" else column for column in beside.columns)
        )
    found = judged(table_noise.SPEC, subject(pairs_file.SPEC, FILE, released(replace(honest_file(), beside=beside))))
    assert found.status is Status.FAIL


def test_that_a_file_of_the_true_length_under_a_claim_of_presence_is_seen() -> None:
    honest = honest_file()
    assert honest.rows != 2000  # the noisy total of this seed
    columns = tuple(
        replace(column, codes=np.resize(column.codes, 2000))
        if isinstance(column, Coded)
        else replace(column, integers=np.resize(column.integers, 2000))
        for column in honest.columns
    )
    found = judged(completeness.SPEC, subject(pairs_file.SPEC, FILE, released(replace(honest, columns=columns))))
    assert found.status is Status.FAIL


def test_that_local_methods_never_claim_presence() -> None:
    claim = krr_laplace.SPEC.claim(survey(), PARAMS)
    assert claim.definition is Definition.LOCAL
    assert "That a respondent took part" in claim.sentence


def test_that_the_attacks_find_people_in_the_sources_file_and_nobody_in_a_made_one() -> None:
    settings = {"targets": 100, "people": 1200}
    source = judged(linkage.SPEC, subject(krr_laplace.SPEC, PARAMS), **settings)
    assert source.status is Status.WARN
    assert float(str(source.values["linked_all"])) > 0.95
    weak = judged(
        linkage.SPEC, subject(krr_laplace.SPEC, krr_laplace.KrrLaplaceParams(epsilon=Epsilon("0.1"))), **settings
    )
    assert float(str(weak.values["linked_all"])) < 0.05
    made = judged(linkage.SPEC, subject(pairs_file.SPEC, FILE), **settings)
    assert made.status is Status.PASS
    assert "linked_all" not in made.values
    assert abs(float(str(made.values["membership_auc"])) - 0.5) < 0.12
