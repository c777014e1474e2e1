"""Weights of respondents in central tables: what they cost, what is measured, what stays in the house."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.products.survey_microdata import hand_made
from tests.products.survey_microdata.test_formulas import category, percentage
from workbench.accounting import zcdp
from workbench.audit.contract import Subject
from workbench.audit.declared_law import check as declared_law
from workbench.core.confidential import Confidential
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.microdata.roles import Role
from workbench.products.survey_microdata.audit import table_noise, table_sampler
from workbench.products.survey_microdata.central import measurement, pairs_file, pairs_gaussian
from workbench.products.survey_microdata.central.pairs_file import PairsFileParams
from workbench.products.survey_microdata.central.params import Neighbours, PairsParams, pairs_loss, rho_spent
from workbench.products.survey_microdata.central.params import measurement as measured_for
from workbench.products.survey_microdata.estimation.crosstabs import as_counted, corrected, true_tables
from workbench.products.survey_microdata.estimation.shares import estimates, true_estimates
from workbench.products.survey_microdata.estimation.table_regression import read_moments, regression
from workbench.products.survey_microdata.layout import effective, published
from workbench.products.survey_microdata.local import joint_rr, krr_laplace
from workbench.products.survey_microdata.product import SPEC
from workbench.products.survey_microdata.suppressed_tables import SPEC as SUPPRESSED
from workbench.products.survey_microdata.survey_data import SurveyData, weighing

VARIABLES = (category(2, "a"), category(3, "b"), percentage("c", upper=10, classes=2))
MOST = 5
REPLACED = PairsParams(neighbours=Neighbours.REPLACED)


def data(rows: Any, weights: Any) -> SurveyData:
    return SurveyData(
        variables=VARIABLES,
        answers=Confidential(np.array(rows, dtype=np.int64)),
        weights=Confidential(np.rint(100 * np.array(weights)).astype(np.int64)),
        weighing=weighing(MOST),
        planned=3000,
        bounded=True,
    )


def sample(people: int, seed: int) -> SurveyData:
    """People who are seldom drawn have large weights, and answer otherwise than the others."""
    random = np.random.default_rng(seed)
    a = random.integers(0, 2, people)
    b = np.where(random.random(people) < 0.3 + 0.3 * a, random.integers(0, 3, people), a)
    c = np.clip(3 * a + b + random.integers(0, 5, people), 0, 10)
    return data(np.stack([a, b, c], axis=1), np.where(a == 1, 3.0, 0.5) * random.uniform(0.8, 1.2, people))


def contribution(record: tuple[int, ...], weight: float, measured: measurement.Measured) -> np.ndarray:
    """What one record of this weight adds to every integer, each over its γ, from the code's own function."""
    _, exact = measurement.exact_answer(data([record], [weight]), measured, QUIET)
    over: np.ndarray = exact / measurement.scales(measured)
    return over


@pytest.mark.parametrize("params", [PairsParams(), REPLACED], ids=["added", "replaced"])
def test_that_no_record_of_any_weight_costs_more_than_the_accounted_rho(params: PairsParams) -> None:
    measured = measured_for(data([(0, 0, 0)], [1]), params)
    assert measured.total is not None and measured.squares is not None  # under both claims
    records = list(itertools.product(range(2), range(3), (0, 4, 5, 10)))
    vectors = np.array([contribution(r, w, measured) for r in records for w in (0.0, 0.01, 1.0, 4.99, MOST)])
    budget = zcdp.rho_of(float(params.epsilon), float(params.delta))
    added = 0.5 * (vectors**2).sum(axis=1).max()
    apart = max(0.5 * ((a - vectors) ** 2).sum(axis=1).max() for a in vectors)
    assert added == pytest.approx(float(measured.rho_added()), rel=1e-12)
    if params.replaced:
        assert 0.95 * measured.rho_replaced() < apart <= measured.rho_replaced() <= budget
    else:
        assert 0.999 * budget < added <= budget
        assert apart > budget  # a replacement costs more, and nothing here claims it


def test_that_a_weight_beyond_the_declared_one_would_cost_more() -> None:
    """The broken variants: weights that are not cut off, noise of w_max instead of w_max², an exact total weight."""
    measured = measured_for(data([(0, 0, 0)], [1]), PairsParams())
    budget = float(measured.rho_added())
    assert 0.5 * (contribution((0, 0, 0), 2.0 * MOST, measured) ** 2).sum() > 3.9 * budget
    one = weighing(1)
    too_little = replace(
        measurement.planned(VARIABLES, budget * MOST, replaced=False, weighing=one), weighing=weighing(MOST)
    )
    assert float(too_little.rho_added()) > 4.9 * budget
    assert rho_spent(replace(measured_for(data([(0, 0, 0)], [1]), REPLACED), total=None), True) == np.inf


@pytest.mark.parametrize("params", [PairsParams(epsilon=Epsilon(8)), replace(REPLACED, epsilon=Epsilon(8))])
def test_that_weighted_tables_are_unbiased_with_the_noise_they_tell(params: PairsParams) -> None:
    prepared = sample(2000, 1)
    draws = [pairs_gaussian.SPEC.study(prepared, params, StudyRandom(seed), QUIET).reveal() for seed in range(300)]
    values = np.array([each.units("estimate").numbers() for each in draws])
    told = draws[0].units("noise_sd").numbers()
    mass, classed = prepared.mass.reveal(), prepared.classed.reveal()
    one_way = [np.bincount(classed[:, i], weights=mass, minlength=k) for i, k in enumerate(prepared.categories)]
    exact = np.concatenate([[mass.sum()], *one_way, true_tables(prepared)])
    cells = values[:, : len(exact)]
    assert np.abs((cells.mean(axis=0) - exact) / told[: len(exact)]).max() < 4.5 / np.sqrt(300)
    assert cells.std(axis=0) == pytest.approx(told[: len(exact)], rel=0.2)
    assert values[:, -2].mean() == pytest.approx(true_estimates(prepared).means[0], abs=0.05)
    worth = mass.sum() ** 2 / (mass**2).sum()
    assert values[:, -1].mean() == pytest.approx(worth, rel=0.02)
    assert values[:, -1].std() == pytest.approx(told[-1], rel=0.25)
    assert 0.99e-6 < pairs_loss(prepared, params).delta <= 1e-6


def test_that_margins_of_weighted_tables_and_slopes_hold_in_the_population() -> None:
    """Unequal chances of being drawn, weights their inverse: 95 of 100 intervals hold what everybody has."""
    random, people = np.random.default_rng(7), 60_000
    everybody = sample(people, 3).answers.reveal()
    chance = np.where(everybody[:, 0] == 1, 1.0, 5.0) / people
    chance /= chance.sum()
    whole = data(everybody, np.ones(people))
    truth, x = true_tables(whole) / people, np.stack([np.ones(people), everybody[:, 0]], axis=1)
    slope = np.linalg.lstsq(x, everybody[:, 1].astype(float), rcond=None)[0][1]
    held, slopes = [], []
    for seed in range(120):
        chosen = random.choice(people, 3000, p=chance)
        prepared = data(everybody[chosen], 1.0 / (people * chance[chosen]))
        tables = published(
            VARIABLES, pairs_gaussian.SPEC.study(prepared, PairsParams(), StudyRandom(seed), QUIET).reveal()
        )
        cells, margins = corrected(VARIABLES, tables), tables.units("margin_of_error").numbers()
        assert cells is not None
        total = tables.units("estimate").numbers()[0]
        held.append(np.abs(cells - truth * total) <= margins[1 + 7 : 1 + 7 + len(truth)])
        fit = regression(read_moments(VARIABLES, tables, ("b", "a"), (np.arange(3.0), np.arange(2.0))))
        slopes.append(abs(fit.estimate[1] - slope) <= 1.96 * fit.error[1])
    assert 0.92 <= np.mean(held) <= 0.985
    assert np.mean(slopes) >= 0.90


def test_that_a_weighted_file_weighs_itself_and_follows_its_tables() -> None:
    prepared = sample(2000, 1)
    params = PairsFileParams(epsilon=Epsilon(20), components=30)
    release = pairs_file.SPEC.release(prepared, params, ReleaseRandom(), QUIET)
    assert release.beside is not None
    assert release.rows == round(effective(release.beside)) < 2000  # what the sample is worth, not its size
    file = published(VARIABLES, release)
    found, truth = estimates(VARIABLES, file), true_estimates(prepared)
    assert np.abs(found.shares - truth.shares).max() < 2.0
    unweighted = prepared.with_people(prepared.answers.reveal())
    assert np.abs(true_estimates(unweighted).shares - truth.shares).max() > 10.0  # weights matter here
    away = as_counted(VARIABLES, file) - true_tables(prepared)
    assert np.sqrt((away**2).mean()) < 60 < np.sqrt((true_tables(unweighted) / MOST - true_tables(prepared)).std() ** 2)
    subject = Subject(words=SPEC.words, prepared=prepared, mechanism=pairs_file.SPEC, params=params, release=release)
    for check, settings in (
        (table_noise.SPEC, table_noise.TableNoiseParams()),
        (table_sampler.SPEC, table_sampler.TableSamplerParams(draws=5000, release_draws=1000)),
        (declared_law.SPEC, declared_law.SPEC.params()),
    ):
        assert all(each.status is not Status.FAIL for each in check.run(subject, settings, QUIET)), check.id


@pytest.mark.parametrize("total", [-10_000, 0, 1, 10**9])
@pytest.mark.parametrize("square", [-(10**6), 0, 10**9])
def test_that_odd_draws_of_weights_still_make_a_file_no_longer_than_planned(total: int, square: int) -> None:
    prepared = sample(50, 2)
    measured = measured_for(prepared, PairsParams(epsilon=Epsilon("0.1")))
    honest = measurement.measure(prepared, measured, StudyRandom(1), QUIET)
    drawn = replace(honest, total=total, squares=tuple(np.full_like(each, square) for each in honest.squares))
    made = pairs_file.made_from(drawn, 5, [1, 2, 3, 4], QUIET)
    assert made.beside is not None
    assert 1 <= made.rows == effective(made.beside) <= prepared.planned


def with_weights(*first: str) -> Any:
    texts = [*first, *(str(1 + place % 3) for place in range(60 - len(first)))]
    inputs = hand_made.inputs()
    columns = {**inputs.microdata.columns, "w": hand_made.coded("w", texts)}
    return replace(
        inputs, microdata=replace(inputs.microdata, columns=columns), roles={**inputs.roles, "w": Role.WEIGHT}
    )


@pytest.mark.parametrize("odd", ["", "-3", "1000000", "much", "0", "nan", "1e300"])
def test_that_an_odd_weight_changes_no_shape_no_label_and_no_message(odd: str) -> None:
    params, settings = hand_made.params(weight="w", most_weight=4, planned=100), PairsParams(epsilon=Epsilon(4))
    said = []
    for inputs in (with_weights("2"), with_weights(odd)):
        assert SPEC.problems(inputs, params) == ()
        prepared = SPEC.prepare(inputs, params, QUIET)
        units = prepared.counts_as.reveal()
        assert units.min() >= 0 and units.max() <= 400
        assert len(units) == 60
        release = pairs_gaussian.SPEC.release(prepared, settings, ReleaseRandom(), QUIET)
        table = SPEC.public_table(prepared, release)
        labels = [getattr(column, "values", ()) for column in table.columns]
        assert "weighted respondents" in table.coded("statistic").texts()
        said.append((table.rows, table.names, labels, pairs_gaussian.SPEC.claim(prepared, settings)))
    assert said[0] == said[1]


def test_that_a_weight_needs_its_declarations_and_a_central_method() -> None:
    missing = hand_made.params(weight="w")
    assert {problem.where for problem in missing.check()} == {"most_weight", "planned"}
    assert any("is the weight and a variable" in each.what for each in hand_made.params(weight="sex").check())
    declared = hand_made.params(weight="w", most_weight=4, planned=100)
    assert declared.check() == ()
    assert SPEC.problems(with_weights(), hand_made.params())  # a weight that nothing uses
    prepared = SPEC.prepare(with_weights(), declared, QUIET)
    for local, params in (
        (krr_laplace.SPEC, krr_laplace.KrrLaplaceParams()),
        (joint_rr.SPEC, joint_rr.JointRrParams()),
    ):
        (problem,) = local.problems(prepared, params)
        assert "cannot use a weight" in problem.sentence()
    told = [finding.sentence for finding in SPEC.describe(prepared)]
    assert any("respondents of equal weight" in each for each in told)


def test_that_suppression_withholds_by_respondents_and_prints_weights() -> None:
    prepared = sample(300, 4)
    tables = SUPPRESSED.protect(prepared, SUPPRESSED.params(threshold=20), StudyRandom(1), QUIET).published.reveal()
    cells, exact = corrected(VARIABLES, tables), true_tables(prepared)
    assert cells is not None
    people = true_tables(replace(prepared, weights=None, weighing=weighing(MOST).__class__()))
    hidden = np.isnan(cells)
    assert hidden[(people > 0) & (people < 20)].all()
    assert np.abs(cells - exact)[~hidden].max() < 0.01
