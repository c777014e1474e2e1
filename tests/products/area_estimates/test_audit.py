"""The audit of area estimates: what sets χ, the attack on one child, and broken twins that must be caught."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import WORDS
from tests.contract.twins import Twin
from tests.products.area_estimates import hand_made
from tests.products.area_estimates.test_estimates import official
from workbench.audit.contract import Subject
from workbench.core.confidential import Confidential
from workbench.core.findings import Status
from workbench.core.progress import QUIET, Context
from workbench.core.published import MISSING, Columns
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.observed_sensitivity import losses
from workbench.products.area_estimates import removals as removal
from workbench.products.area_estimates.area_data import AreaData, Bounded
from workbench.products.area_estimates.audit import noise_law, observed_sensitivity, one_child, table_sampler
from workbench.products.area_estimates.columns import truth
from workbench.products.area_estimates.mechanisms import fractional_table, mos, noisy_stats
from workbench.products.area_estimates.neighbours import with_people
from workbench.products.area_estimates.people import FINE, People
from workbench.products.area_estimates.places import EVERYWHERE, Places
from workbench.products.area_estimates.table_noise import listed


def subject(mechanism: Any = fractional_table.SPEC, params: Any = None, prepared: Any = None) -> Subject:
    data = hand_made.prepared() if prepared is None else prepared
    return Subject(words=WORDS, prepared=data, mechanism=mechanism, params=params or mechanism.params())


@pytest.fixture(scope="module")
def example(shared_data: Path) -> AreaData:
    """The official example data as prepared cells of one pool."""
    x, y, cell, lines = official(shared_data)
    areas = len(lines.size)
    places = Places(
        area_column="cell",
        areas=tuple(str(place + 1) for place in range(areas)),
        larger=(EVERYWHERE,),
        larger_of=np.zeros(areas, np.int64),
        group_columns=(),
        groups=((),),
    )
    fine = [np.rint(values * FINE).astype(np.int32) for values in (x, y)]
    base = dataclasses.replace(hand_made.prepared(), places=places, outcomes=(Bounded(name="y", lower=0, upper=1),))
    return with_people(base, People(cell=cell.astype(np.int32), x=fine[0], y=(fine[1],)))


@pytest.mark.parametrize(
    ("rank", "chi", "cell", "people", "low", "high"),
    [
        (0.25, 2.9702334, "67", 121, 0.9902, 1.0752),
        (0.75, 3.1894479, None, 95, 0.9873, 1.1890),
        (None, 7.5007864, "40", 95, 0.9865, 1.3576),
    ],
)
def test_that_removals_on_the_official_data_change_chi_as_measured(
    example: AreaData, rank: float | None, chi: float, cell: str | None, people: int, low: float, high: float
) -> None:
    found = removal.removals(example, rank, 0, 3, 10**9)
    assert found is not None
    assert found.people == 10_000
    assert found.chi == pytest.approx(chi, rel=1e-5)  # millionths of a rank, where the file has eight digits
    assert cell in (None, example.places.areas[found.setting_cell])
    assert found.changing == people
    assert (found.ratios.min(), found.ratios.max()) == pytest.approx((low, high), abs=1e-4)


def test_that_a_removal_is_the_same_by_fitting_again() -> None:
    """A second route: take each person out, prepare again, and look at χ."""
    prepared = hand_made.prepared()
    people = prepared.people.reveal()
    found = removal.removals(prepared, 0.25, 1, 20, 10**9)
    assert found is not None
    rows = np.flatnonzero(people.cell == 2)
    for place, row in enumerate(rows.tolist()):
        kept = np.arange(len(people)) != row
        fewer = People(cell=people.cell[kept], x=people.x[kept], y=(people.y[0][kept],))
        _, (scales, _) = mos.noise_scales(with_people(prepared, fewer), mos.MosParams())
        chi = scales[2] * 8.0 * (kept & (people.cell == 2)).sum()
        assert chi / found.chi == pytest.approx(found.ratios[place], rel=1e-9)


def test_that_the_profile_names_the_cell_that_sets_chi() -> None:
    told, conditional, alone, _ = observed_sensitivity.SPEC.run(
        subject(mos.SPEC), observed_sensitivity.ObservedSensitivityParams(), QUIET
    )
    assert alone.values["pools_of_one"] == 2
    assert alone.tables[0].rows == (("Here", "T1"), ("There", "T3")), "the other cell of each has too few people"
    assert told.status is Status.WARN
    assert told.values["setting_cell"] in hand_made.AREAS
    assert conditional.values["conditional_delta"] == pytest.approx(losses.joining_delta(21, 8.0))
    unused, _ = observed_sensitivity.SPEC.run(subject(), observed_sensitivity.ObservedSensitivityParams(), QUIET)
    assert unused.status is Status.INFO


def test_that_one_child_is_read_off_exact_values_and_not_off_the_table() -> None:
    params = fractional_table.FractionalTableParams(epsilon=Epsilon("0.5"))
    (found,) = one_child.SPEC.run(subject(params=params), one_child.OneChildParams(), QUIET)
    assert found.values["child_read_exact"] == 1.0
    assert found.values["child_read_suppressed"] == pytest.approx((2 + 0.5) / 3)  # one cell is below the threshold
    assert float(str(found.values["child_read_release"])) < 0.8
    loud = mos.MosParams(epsilon=Epsilon(50), minimum=3)
    (broken,) = one_child.SPEC.run(subject(mos.SPEC, loud), one_child.OneChildParams(), QUIET)
    assert broken.status is Status.WARN
    assert float(str(broken.values["child_read_release"])) > float(str(found.values["child_read_release"]))


def test_that_reading_more_than_the_claim_allows_is_a_breach() -> None:
    """A twin that publishes exact values under the same claim."""
    quiet = fractional_table.FractionalTableParams(epsilon=Epsilon("0.2"))
    (honest,) = one_child.SPEC.run(subject(params=quiet), one_child.OneChildParams(), QUIET)
    assert honest.status is Status.PASS
    assert "allows up to 60 %" in honest.sentence
    (broken,) = one_child.SPEC.run(subject(Exact(fractional_table.SPEC), quiet), one_child.OneChildParams(), QUIET)
    assert broken.status is Status.FAIL


class Exact(Twin):
    """Publishes exact values."""

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        return Confidential(truth(prepared))


class Shared(Twin):
    """As in the official example: one draw for the estimate and its count."""

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        drawn = self.original.study(prepared, params, rng, context).reveal()
        _, (scale, *_) = mos.noise_scales(prepared, params)
        off = drawn.units("count").integers - prepared.lines.reveal()[0].size
        exact = prepared.lines.reveal()[0].at(prepared.inner_ranks[0])
        values = np.rint((exact + scale * float(params.epsilon) * off) * 10_000).astype(np.int64)
        columns = tuple(
            dataclasses.replace(column, integers=values) if column.name == "p25" else column for column in drawn.columns
        )
        return Confidential(dataclasses.replace(drawn, columns=columns))


class Normal(Twin):
    """As in the official example: normal noise of the same standard deviation."""

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        drawn = self.original.study(prepared, params, rng, context).reveal()
        columns = []
        for column in drawn.columns:
            values = column.integers
            if column.name in prepared.rank_names() and (values != MISSING).all():
                noise = rng.generator.normal(values.mean(), values.std(), len(values))
                column = dataclasses.replace(column, integers=np.rint(noise).astype(np.int64))
            columns.append(column)
        return Confidential(dataclasses.replace(drawn, columns=tuple(columns)))


@pytest.mark.parametrize(
    ("mechanism", "status", "word"),
    [
        (mos.SPEC, Status.PASS, "independently"),
        (Shared(mos.SPEC), Status.FAIL, "share a draw"),
        (Normal(mos.SPEC), Status.FAIL, "not Laplace"),
        (fractional_table.SPEC, Status.INFO, "no Laplace noise to single"),
    ],
    ids=["independent", "shared", "normal", "table"],
)
def test_that_the_variants_of_the_official_example_are_caught(mechanism: Any, status: Status, word: str) -> None:
    (found,) = noise_law.SPEC.run(subject(mechanism), noise_law.NoiseLawParams(), QUIET)
    assert found.status is status, found.sentence
    assert word in found.sentence


def test_that_a_shared_draw_confirms_the_true_data_set() -> None:
    """Golden values of the residual are elsewhere: here the twin's own release is attacked."""
    prepared, params = hand_made.prepared(), mos.MosParams()
    (pair,) = mos.SPEC.neighbours(prepared, params, 50)
    data = pair.second.reveal()
    drawn = Shared(mos.SPEC).study(data, params, StudyRandom(4), QUIET).reveal()
    line, (chi, *_) = data.lines.reveal()[0], data.held.reveal()
    real = float(line.at(0.25)[0]), float(line.size[0])
    for candidate, confirmed in (
        (real, True),
        ((real[0] + 0.01, real[1]), False),
        ((real[0], real[1] + 1), False),
    ):
        left = [
            losses.shared_draw_residual(estimate=estimate, count=count, chi=float(chi[0]), candidate=candidate)
            for estimate, count in zip(
                drawn.units("p25").numbers().tolist(), drawn.units("count").numbers().tolist(), strict=True
            )
        ]
        assert (max(map(abs, left)) < 1e-4) == confirmed  # the last published decimal


def test_that_the_person_at_the_corner_attains_the_claimed_loss() -> None:
    """2 × 60,000 draws see most of ε and never more; half the noise is a breach."""
    params = fractional_table.FractionalTableParams(epsilon=Epsilon(1))
    settings = table_sampler.TableSamplerParams(draws=60_000, release_draws=4000)
    study, release = table_sampler.SPEC.run(subject(params=params), settings, QUIET)
    assert study.status is release.status is Status.PASS
    assert 0.75 < float(str(study.values["lower_bound"])) <= 1.0
    broken = HalfNoise(fractional_table.SPEC)
    found = table_sampler.SPEC.run(subject(broken, params), settings, QUIET)
    assert found[0].status is Status.FAIL


class HalfNoise(Twin):
    """Draws its table with twice the ε it claims."""

    def claim(self, prepared: Any, params: Any) -> Any:
        return self.original.claim(prepared, params)

    def numbers(self, outcomes: int) -> int:
        return fractional_table.SPEC.numbers(outcomes)

    def watched(self, table: Any, prepared: Any, params: Any, rng: Any, context: Context) -> Any:
        doubled = dataclasses.replace(params, epsilon=Epsilon(2 * params.epsilon))
        return fractional_table.SPEC.watched(table, prepared, doubled, rng, context)


def test_that_all_integers_of_a_table_are_watched() -> None:
    table = hand_made.prepared().table.reveal()
    assert len(listed(table)) == fractional_table.SPEC.numbers(1)


@pytest.mark.parametrize("mechanism", [fractional_table.SPEC, noisy_stats.SPEC], ids=["table", "noisy stats"])
def test_that_methods_of_noisy_sums_are_not_taken_for_noise_by_cell(mechanism: Any) -> None:
    (found,) = noise_law.SPEC.run(subject(mechanism), noise_law.NoiseLawParams(draws=1000), QUIET)
    assert found.status is Status.INFO
