"""Measures against sums made by hand and against scipy."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from tests.contract.samples import today
from tests.contract.twins import Twin
from tests.products.employment_tables import hand_made
from workbench.baselines.alternatives import ProtectedValues, error_of
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import ReleaseRandom
from workbench.noise.discrete_laplace import mean_absolute
from workbench.products.employment_tables import noise_infusion
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.mechanisms.cell import log_laplace
from workbench.products.employment_tables.mechanisms.error_law import discrete_half_width
from workbench.products.employment_tables.usefulness import half_widths, l1_error, ranking, relative_error
from workbench.products.employment_tables.usefulness.ranks import average_ranks, spearman
from workbench.products.employment_tables.usefulness.strata import strata_of_cells, with_figures
from workbench.products.employment_tables.words import JOBS
from workbench.utility.contract import Comparison


def comparison(*, mechanism: Any = laplace.SPEC, populations: bool = True, **params: Any) -> Comparison:
    cells = hand_made.cells(populations=populations)
    chosen = laplace.LaplaceParams(**params)
    return Comparison(
        prepared=cells,
        mechanism=mechanism,
        mechanism_params=chosen,
        mechanisms=(mechanism,),
        rivals=(today(noise_infusion.SPEC, cells),),
        release=laplace.SPEC.release(cells, chosen, ReleaseRandom(), QUIET),
        seed=5,
        trials=40,
        words=JOBS,
    )


def run(measure: Any, of: Comparison) -> Finding:
    (finding,) = measure.run(of, measure.params(), QUIET)
    assert isinstance(finding, Finding)
    return finding


def test_that_cells_fall_into_the_stratum_of_their_place() -> None:
    strata = strata_of_cells(hand_made.cells())
    assert strata.names == (
        "0–100 people", "100–10,000 people", "10,000–100,000 people", "100,000 people and more",
    )  # fmt: skip
    assert strata.member.tolist() == [place for place in range(4) for _ in range(6)]
    assert strata_of_cells(hand_made.cells(populations=False)).names == ("all cells",)


def test_that_a_place_on_the_edge_belongs_to_the_larger_stratum() -> None:
    data = hand_made.cells()
    place = dataclasses.replace(data.domain.workplace[0], populations=(99, 100, 10_000, 100_000))
    domain = dataclasses.replace(data.domain, workplace=(place, *data.domain.workplace[1:]))
    assert len(strata_of_cells(dataclasses.replace(data, domain=domain)).names) == 4


def test_that_the_l1_ratio_is_expected_error_over_todays_error() -> None:
    of = comparison(epsilon=Epsilon("0.5"))
    finding = run(l1_error.SPEC, of)
    true, scale = of.prepared.count.reveal(), 2.0
    off = error_of(of.baseline, true).mean
    for number, row in enumerate(finding.tables[0].rows):
        part = slice(6 * number, 6 * number + 6)
        assert row[1] == pytest.approx(6 * mean_absolute(scale))
        assert row[3] == pytest.approx(float(np.abs(of.release.values - true)[part].sum()))
        assert row[4] == pytest.approx(float(off[part].sum()))
    assert finding.values["ratio"] == pytest.approx(24 * mean_absolute(scale) / off.sum())
    assert finding.values["least_ratio"] < finding.values["ratio"] < finding.values["most_ratio"]
    assert finding.values["sampled_error"] == pytest.approx(24 * mean_absolute(scale), rel=0.15)
    assert finding.status is Status.INFO
    assert finding.values["ratio_10k_100k"] == pytest.approx(6 * mean_absolute(scale) / float(off[12:18].sum()))


def test_that_the_half_width_stands_beside_the_mean_error_of_one_count() -> None:
    """By the law where there is one, else by draws, which come close to it."""
    finding = run(l1_error.SPEC, comparison(epsilon=Epsilon("0.5")))
    width = discrete_half_width(2.0)
    assert [row[2] for row in finding.tables[1].rows] == [width] * 5
    assert finding.tables[1].rows[0][:4] == ("all cells", pytest.approx(mean_absolute(2.0)), width, 24)
    assert (finding.values["half_width"], "jobs" in finding.tables[1].title) == (width, True)
    clipped = run(l1_error.SPEC, comparison(epsilon=Epsilon("0.5"), clip_at_zero=True))
    assert "study draws" in clipped.tables[1].note
    assert abs(clipped.values["half_width"] - width) <= 3


def test_that_the_half_width_of_many_cells_is_that_of_the_mixture_of_their_laws() -> None:
    params = log_laplace.LogLaplaceParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"))
    cells = hand_made.cells(worker=False)
    of = dataclasses.replace(comparison(), prepared=cells, mechanism=log_laplace.SPEC, mechanism_params=params)
    groups = [np.ones(12, dtype=bool), cells.count.reveal() < 20, np.zeros(12, dtype=bool)]
    widths = half_widths.by_law(of, groups)
    assert widths is not None and widths[2] is None
    noise, rng = log_laplace.SPEC.error_law(params, 1), np.random.default_rng(3)
    for group, width in zip(groups[:2], widths, strict=False):
        assert width is not None
        driver = np.tile(cells.count.reveal()[group].astype(float), 20_000)
        off = np.abs(noise.errors(driver, rng.laplace(size=len(driver))))
        assert np.mean(off > width) < 0.0115
        assert np.mean(off > width - 1) > 0.0085  # the least such number


def test_that_the_farthest_errors_give_the_quantile_of_all() -> None:
    errors = np.random.default_rng(8).integers(-500, 500, (7, 300)).astype(float)
    far = half_widths.Farthest(300, 7)
    for row in errors:
        far.add(row)
    assert far.half_width == np.sort(np.abs(errors).ravel())[math.ceil(0.99 * 2100) - 1]
    few = half_widths.Farthest(3, 20)
    for _ in range(20):
        few.add(np.ones(3))
    assert few.half_width is None


def test_that_the_curve_falls_with_epsilon_and_marks_today() -> None:
    (figure,) = run(l1_error.SPEC, comparison()).figures
    assert {mark.name: mark.value for mark in figure.marks}["current SDL"] == 1.0
    for series in figure.series:
        assert series.x == (0.25, 0.5, 0.67, 1.0, 2.0, 4.0)
        assert np.all(np.diff(series.y) < 0)


def test_that_sampling_that_contradicts_the_closed_form_warns() -> None:
    class Boasts(Twin):
        def expected_error(self, prepared: Any, params: Any) -> Any:
            return Confidential(self.original.expected_error(prepared, params).reveal() / 2)  # type: ignore[union-attr]

    finding = run(l1_error.SPEC, comparison(mechanism=Boasts(laplace.SPEC), epsilon=Epsilon("0.25")))
    assert finding.status is Status.WARN
    assert finding.values["formula_and_sampling_agree"] is False


def test_that_without_a_closed_form_the_trials_speak() -> None:
    class Silent(Twin):
        def expected_error(self, prepared: Any, params: Any) -> None:
            return None

    finding = run(l1_error.SPEC, comparison(mechanism=Silent(laplace.SPEC)))
    assert finding.values["closed_form"] is False
    assert finding.values["expected_error"] == finding.values["sampled_error"]
    assert finding.figures == ()


def test_that_suppressed_cells_are_left_out_on_both_sides() -> None:
    of = comparison()
    baseline = of.baseline.reveal().copy()
    baseline[:12] = np.nan
    fewer = dataclasses.replace(of.today, gives=ProtectedValues(values=Confidential(baseline)))
    finding = run(l1_error.SPEC, dataclasses.replace(of, rivals=(fewer,)))
    assert finding.values["expected_error"] == pytest.approx(12 * mean_absolute(1.0))
    assert finding.values["suppressed_cells"] == 12


@settings(deadline=None)  # what is judged is the number, not the pace of a busy machine
@given(st.lists(st.integers(min_value=-5, max_value=5), min_size=2, max_size=40), st.integers(0, 1000))
def test_that_ranks_and_correlation_are_scipys(first: list[int], seed: int) -> None:
    a = np.array(first, dtype=np.float64)
    b = np.random.Generator(np.random.PCG64(seed)).integers(0, 6, len(first)).astype(np.float64)
    assert np.array_equal(average_ranks(a), rankdata(a))
    if len(set(a)) > 1 and len(set(b)) > 1:
        assert spearman(a, b) == pytest.approx(float(spearmanr(a, b).statistic), abs=1e-12)
    else:
        assert math.isnan(spearman(a, b))


def test_that_suppressed_pairs_are_left_out_of_a_ranking() -> None:
    a, b = np.array([1.0, 2.0, 3.0, np.nan]), np.array([1.0, 3.0, 2.0, 0.0])
    assert spearman(a, b) == pytest.approx(0.5)
    assert math.isnan(spearman(a[:1], b[:1]))


def test_that_places_are_ranked_by_their_totals() -> None:
    of = comparison()
    finding = run(ranking.SPEC, of)
    totals = [array.reshape(4, 6).sum(axis=1) for array in (of.release.values, of.prepared.count.reveal())]
    assert finding.tables[0].rows[0][0] == "totals by Place"
    assert finding.values["ranked"] == 4
    assert finding.values["release_to_truth"] == pytest.approx(
        spearman(totals[0].astype(float), totals[1].astype(float))
    )
    assert [row[1] for row in finding.tables[0].rows[1:]] == [12, 3, 3, 3, 3]
    assert finding.tables[0].rows[1][0] == "workplace cells, all cells"


def test_that_one_kind_of_worker_can_be_ranked() -> None:
    """Ranking 2: women alone, over all workplace cells; a kind that the table has not is refused with a sentence."""
    of = comparison()
    women = ranking.SPEC.run(of, ranking.RankingParams(workers=("F",), sweep_trials=0), QUIET)[0]
    release, true = (
        array.reshape(12, 2)[:, 0].astype(float) for array in (of.release.values, of.prepared.count.reveal())
    )
    assert women.tables[0].rows[1][2] == pytest.approx(spearman(release, true))
    assert " of F:" in women.sentence
    for wrong, words in ((("F", "E4"), "2 values"), (("X",), "“X” is not a value")):
        with pytest.raises(UserProblem, match=words):
            ranking.SPEC.run(of, ranking.RankingParams(workers=wrong, sweep_trials=0), QUIET)


def test_that_the_first_workplace_attribute_is_ranked_where_no_population_is_known() -> None:
    assert run(ranking.SPEC, comparison(populations=False)).tables[0].rows[0][0] == "totals by Place"


def test_that_much_noise_ranks_worse_than_little() -> None:
    (figure,) = run(ranking.SPEC, comparison()).figures
    last = {series.name: series.y for series in figure.series}["workplace cells, 100–10,000 people"]
    assert last[-1] >= last[0]


def test_that_the_share_within_reach_counts_cells_one_by_one() -> None:
    of = comparison()
    finding = run(relative_error.SPEC, of)
    true, today, release = of.prepared.count.reveal(), of.baseline.reveal(), of.release.values
    filled = [i for i in range(len(true)) if true[i] > 0]
    near = [i for i in filled if abs(release[i] - true[i]) / true[i] <= abs(today[i] - true[i]) / true[i] + 0.1 + 1e-12]
    assert finding.values["cells"] == len(filled)
    assert finding.values["share"] == pytest.approx(len(near) / len(filled))


def test_that_a_single_stratum_is_not_drawn_once_more() -> None:
    assert with_figures(("all cells", "small places")) == ("all cells",)
    assert with_figures(("all cells", "small places", "large places")) == ("all cells", "small places", "large places")
