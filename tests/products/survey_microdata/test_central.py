"""Noisy tables and the file made of them: sensitivities by brute force, ρ from the γ in use, nothing else behind."""

from __future__ import annotations

import inspect
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.products.survey_microdata.test_formulas import category, percentage
from workbench.accounting import zcdp
from workbench.core.claims import Definition
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.survey_microdata.central import measurement, pairs_file, pairs_gaussian
from workbench.products.survey_microdata.central.heaped import numbers_in_classes, tilted
from workbench.products.survey_microdata.central.params import Neighbours, PairsParams, pairs_loss
from workbench.products.survey_microdata.central.params import measurement as measured_for
from workbench.products.survey_microdata.estimation.table_regression import read_moments, regression
from workbench.products.survey_microdata.layout import published
from workbench.products.survey_microdata.survey_data import SurveyData

VARIABLES = (category(2, "a"), category(3, "b"), percentage("c", upper=10, classes=2))
REPLACED = PairsParams(neighbours=Neighbours.REPLACED)


def data(rows: Any) -> SurveyData:
    return SurveyData(variables=VARIABLES, answers=Confidential(np.array(rows, dtype=np.int64)))


def contribution(record: tuple[int, ...], measured: measurement.Measured) -> np.ndarray:
    """What one record adds to everything measured, each part over its γ, from the code's own function."""
    total, single, pair, sums = measurement.exact_integers(data([record]), QUIET)
    k = measured.categories
    which = list(itertools.combinations(range(len(k)), 2))
    parts = [np.array([total / measured.total])] if measured.total is not None else []
    parts += [each / measured.single[i] for i, each in enumerate(single)]
    parts += [each.ravel() / measured.pair[at] for at, each in zip(which, pair, strict=True)]
    parts += [
        each / (measured.number * measurement.widths(variable))
        for each, variable in zip(sums, measured.numbers, strict=True)
    ]
    return np.concatenate(parts)


@pytest.mark.parametrize("params", [PairsParams(), REPLACED], ids=["added", "replaced"])
def test_that_no_record_costs_more_than_the_accounted_rho(params: PairsParams) -> None:
    measured = measured_for(data([(0, 0, 0)]), params)
    records = list(itertools.product(range(2), range(3), range(11)))
    vectors = np.array([contribution(record, measured) for record in records])
    budget = zcdp.rho_of(float(params.epsilon), float(params.delta))
    added = 0.5 * (vectors**2).sum(axis=1).max()
    replaced = max(0.5 * ((a - b) ** 2).sum() for a, b in itertools.combinations(vectors, 2))
    if params.replaced:
        assert replaced == pytest.approx(measured.rho_replaced(), rel=1e-9)
        assert replaced <= budget
    else:
        assert added == pytest.approx(float(measured.rho_added()), rel=1e-12)
        assert added <= budget
        assert added > 0.999 * budget


def test_that_classes_of_0_to_100_have_widths_19_and_20_each_its_own() -> None:
    assert measurement.widths(percentage()).tolist() == [19, 19, 19, 19, 20]


def test_that_the_claim_is_of_presence_or_of_values_and_the_loss_from_the_gamma_in_use() -> None:
    prepared = data([(0, 0, 0), (1, 2, 10)])
    for params, definition in ((PairsParams(), Definition.CENTRAL), (REPLACED, Definition.REPLACED)):
        assert pairs_gaussian.SPEC.claim(prepared, params).definition is definition
        exact = pairs_loss(prepared, params)
        assert 0.99e-6 < exact.delta <= 1e-6


def test_that_an_exact_total_under_a_claim_of_presence_has_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.products.survey_microdata.central import params as shared

    prepared = data([(0, 0, 0), (1, 2, 10)])
    broken = replace(measured_for(prepared, PairsParams()), total=None)
    monkeypatch.setattr(shared, "measurement", lambda *_: broken)
    assert pairs_loss(prepared, PairsParams()).delta == 1.0


def test_that_drawn_tables_are_unbiased_with_the_variance_they_tell() -> None:
    random = np.random.default_rng(3)
    rows = np.stack([random.integers(0, 2, 400), random.integers(0, 3, 400), random.integers(0, 11, 400)], axis=1)
    prepared = data(rows)
    exact = np.concatenate([
        np.array([400.0]),
        *(np.bincount(prepared.classed.reveal()[:, i], minlength=k) for i, k in enumerate(prepared.categories)),
    ])  # fmt: skip
    drawn = [
        pairs_gaussian.SPEC.study(prepared, PairsParams(), StudyRandom(seed), QUIET).reveal() for seed in range(300)
    ]
    values = np.array([each.units("estimate").numbers()[: len(exact)] for each in drawn])
    told = drawn[0].units("noise_sd").numbers()[: len(exact)]
    assert np.abs(values.mean(axis=0) - exact).max() < 4.5 * (told / np.sqrt(300)).max()
    assert values.std(axis=0) == pytest.approx(told, rel=0.2)
    means = np.array([each.units("estimate").numbers()[-1] for each in drawn])
    assert means.mean() == pytest.approx(rows[:, 2].mean(), abs=4 * means.std() / np.sqrt(300) + 0.01)


def test_that_everything_after_the_draw_has_no_data_in_reach_and_the_file_is_as_long_as_the_noisy_total() -> None:
    assert set(inspect.signature(pairs_file.made_from).parameters) == {"drawn", "components", "seed", "context"}
    random = np.random.default_rng(3)
    rows = np.stack([random.integers(0, 2, 400), random.integers(0, 3, 400), random.integers(0, 11, 400)], axis=1)
    lengths = set()
    for seed in range(6):
        params = pairs_file.PairsFileParams(components=10)
        file = pairs_file.SPEC.study(data(rows), params, StudyRandom(seed), QUIET).reveal()
        assert file.beside is not None
        assert file.rows == round(float(file.beside.units("estimate").numbers()[0]))
        lengths.add(file.rows)
    assert len(lengths) > 1
    exact = pairs_file.PairsFileParams(components=10, neighbours=Neighbours.REPLACED)
    assert pairs_file.SPEC.study(data(rows), exact, StudyRandom(1), QUIET).reveal().rows == 400


def test_that_numbers_lie_in_their_class_with_the_mean_asked_for() -> None:
    variable, random = percentage(), np.random.default_rng(1)
    classed = random.integers(0, 5, 20_000)
    above = np.array([3.0, 9.0, 12.0, 10.0, 15.0])
    found = numbers_in_classes(variable, classed, above, random)
    assert np.array_equal(variable.classed(found), classed)
    for place, start in enumerate(variable.starts):
        assert found[classed == place].mean() == pytest.approx(start + above[place], abs=0.05)
    assert tilted(np.arange(20, 40), 500.0).sum() == pytest.approx(1.0)  # a mean that no class can have


def test_that_a_regression_from_tables_is_the_exact_one_where_there_is_hardly_noise() -> None:
    random = np.random.default_rng(3)
    a, b = random.integers(0, 2, 5000), random.integers(0, 3, 5000)
    c = np.clip(2 * a + b + random.integers(0, 5, 5000), 0, 10)
    prepared = data(np.stack([a, b, c], axis=1))
    params = PairsParams(epsilon=Epsilon(100))
    tables = published(VARIABLES, pairs_gaussian.SPEC.study(prepared, params, StudyRandom(2), QUIET).reveal())
    scores = (np.arange(3.0), np.arange(2.0))
    found = regression(read_moments(VARIABLES, tables, ("b", "a"), scores))
    x = np.stack([np.ones(5000), a], axis=1)
    beta = np.linalg.lstsq(x, b.astype(float), rcond=None)[0]
    assert np.abs(found.estimate - beta).max() < 0.02
    assert (found.error > regression(read_moments(VARIABLES, tables, ("b", "a"), scores), with_noise=False).error).all()


class Gone(np.ndarray):
    """Answers that may be handed on, and never looked at."""

    def __array_finalize__(self, made: Any) -> None:
        if made is not None and isinstance(made, Gone):
            raise AssertionError("answers were looked at after the draw")


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("weighted", [False, True])
def test_that_equal_draws_of_other_data_give_the_same_bytes(
    neighbours: Neighbours, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the exact integers come from the data: with these held, other people leave no trace in any file."""
    from workbench.products.survey_microdata.product import SPEC
    from workbench.products.survey_microdata.survey_data import ONCE, weighing

    random = np.random.default_rng(5)
    params = pairs_file.PairsFileParams(components=10, neighbours=neighbours)
    public = {"weighing": weighing(4) if weighted else ONCE, "planned": 500, "bounded": True}

    def people(count: int) -> SurveyData:
        rows = np.stack([random.integers(0, k, count) for k in (2, 3, 11)], axis=1)
        units = random.integers(0, 401, count) if weighted else None
        return replace(data(rows), **public).with_people(rows, units)

    first = people(300)
    held = measurement.exact_answer(first, measured_for(first, params), QUIET)
    monkeypatch.setattr(measurement, "exact_answer", lambda *_: held)
    gone = replace(first, answers=Confidential(np.zeros((0, 3), dtype=np.int64).view(Gone)), weights=None)
    seen = []
    for prepared in (first, people(123), people(1), people(0), gone):
        for mechanism in (pairs_file.SPEC, pairs_gaussian.SPEC):
            drawn = mechanism.study(prepared, params, StudyRandom(9), QUIET).reveal()
            files = SPEC.outputs(SPEC.public_table(prepared, drawn))
            seen.append([(file.name, file.write()) for file in files if file.kind not in ("parquet", "stata")])
    assert all(files == seen[0] for files in seen[::2])
    assert all(files == seen[1] for files in seen[1::2])
