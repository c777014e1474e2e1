"""What reviewers are shown of a fit: explorations, measures and the attack's table."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.contexts import CancelAt
from tests.contract.findings_contract import judge_figure, judge_findings
from tests.products.model_fits import hand_made
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.explorations.contract import Scene
from workbench.mechanisms.contract import Release
from workbench.products.model_fits import logit
from workbench.products.model_fits.explorations import (
    accounting_curve,
    error_by_epsilon,
    likelihood_surface,
    probability_curve,
)
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import dp_newton, dp_sgd, step_accounting, table_logit
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits, published_fit
from workbench.products.model_fits.product import SPEC
from workbench.products.model_fits.usefulness import fitted_probabilities, interval_coverage
from workbench.products.model_fits.usefulness.simulated import simulated
from workbench.utility.contract import Comparison


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three values of ε instead of six: accounting for each takes a moment."""
    monkeypatch.setattr(error_by_epsilon, "_EPSILONS", ("0.5", "1", "4"))


def scene(mechanism: Any = table_logit.SPEC, params: Any = None) -> Scene:
    return Scene(prepared=hand_made.prepared(), mechanism=mechanism, params=params or hand_made.settings(mechanism))


def comparison(mechanism: Any, release: Release, data: FitData | None = None) -> Comparison:
    return Comparison(
        prepared=data or hand_made.prepared(), mechanism=mechanism, mechanism_params=hand_made.settings(mechanism),
        mechanisms=SPEC.mechanisms, release=release, words=SPEC.words, seed=2, trials=5,
    )  # fmt: skip


def test_that_both_paths_over_the_surface_start_at_the_public_start() -> None:
    params = dp_sgd.DpSgdParams(steps=20, people=400)
    (finding,) = likelihood_surface.SPEC.show(
        scene(dp_sgd.SPEC, params), likelihood_surface.LikelihoodSurfaceParams(), QUIET
    )
    (figure,) = finding.figures
    judge_figure(figure)
    _, private, exact = figure.series
    start = dp_sgd.start(2, params.seed)
    for path in (exact, private):
        assert (path.x[0], path.y[0]) == pytest.approx(tuple(start))
        assert len(path.x) == params.steps + 1
        assert figure.extent is not None
        assert all(figure.extent[0] <= x <= figure.extent[1] for x in path.x)
        assert all(figure.extent[2] <= y <= figure.extent[3] for y in path.y)


def test_that_the_surface_is_the_log_likelihood_and_the_exact_path_climbs_it() -> None:
    data = hand_made.prepared()
    params = dp_sgd.DpSgdParams(steps=20, people=400)
    (finding,) = likelihood_surface.SPEC.show(
        scene(dp_sgd.SPEC, params), likelihood_surface.LikelihoodSurfaceParams(), QUIET
    )
    (figure,) = finding.figures
    grid = np.array(figure.grid)
    assert figure.extent is not None
    left, right, low, high = figure.extent
    across, up = (high - low) / len(grid), (right - left) / len(grid[0])
    middle = np.array([left + up * 7.5, low + across * 30.5])
    design, outcome = data.people.reveal()
    by_hand = float(np.mean(np.log(np.where(outcome == 1, p := logit.probability(design, middle), 1 - p))))
    assert grid[30, 7] == pytest.approx(by_hand, rel=1e-9)
    path = np.array([figure.series[-1].x, figure.series[-1].y]).T
    heights = -logit.log_loss(design, outcome, path)
    assert (np.diff(heights) >= -1e-12).all()
    assert path[-1] == pytest.approx(data.exact.reveal(), abs=0.05)


def test_that_error_falls_as_epsilon_grows_and_every_method_that_fits_is_drawn() -> None:
    params = error_by_epsilon.ErrorByEpsilonParams(draws=20)
    (finding,) = error_by_epsilon.SPEC.show(scene(), params, QUIET)
    (figure,) = finding.figures
    judge_figure(figure)
    assert [line.name for line in figure.series] == [method.title for method in SPEC.mechanisms]
    for line in figure.series:
        assert line.y[0] > line.y[-1]
    assert figure.marks[0].moves == "epsilon"
    (capped,) = error_by_epsilon.SPEC.show(replace(scene(), cap=Decimal(4)), params, QUIET)
    assert [(mark.name, mark.value) for mark in capped.figures[0].marks] == [
        ("this release", 1.0),
        ("cap of the policy", 4.0),
    ]


def test_that_both_accountings_are_drawn_and_the_claimed_one_is_below() -> None:
    params = dp_sgd.DpSgdParams(steps=20, people=400)
    (finding,) = accounting_curve.SPEC.show(
        scene(dp_sgd.SPEC, params), accounting_curve.AccountingCurveParams(points=4), QUIET
    )
    (figure,) = finding.figures
    judge_figure(figure)
    renyi, loss = figure.series
    assert all(low < high for low, high in zip(loss.y, renyi.y, strict=True))
    at = loss.x.index(20.0)
    assert loss.y[at] == step_accounting.epsilon_by_pld(0.05, dp_sgd.noise_of(params), 20, 1e-6)


@pytest.mark.parametrize("exploration", SPEC.explorations, ids=lambda each: each.id)
def test_that_explorations_can_be_cancelled_and_hold_no_secret(exploration: Any) -> None:
    shown = exploration.show(scene(), exploration.params(), QUIET)
    judge_findings(shown, (hand_made.SECRET_NAME,))
    with pytest.raises(Cancelled):
        exploration.show(scene(), exploration.params(), CancelAt(2))


def test_that_the_probability_curve_is_that_of_the_exact_fit() -> None:
    data = hand_made.prepared()
    (finding,) = probability_curve.SPEC.show(scene(), probability_curve.ProbabilityCurveParams(), QUIET)
    exact = finding.figures[0].series[0]
    ends = logit.probability(np.array([[1.0, -1.0], [1.0, 1.0]]), data.exact.reveal())
    assert (exact.y[0], exact.y[-1]) == pytest.approx(tuple(ends))


def test_that_log_loss_and_calibration_are_those_of_the_published_coefficients() -> None:
    data = hand_made.prepared()
    exact = published_fit(data, DrawnFits(beta=data.exact.reveal()[None]))
    perfect = Release.of(exact, table_logit.SPEC, ReleaseRandom())
    (finding,) = fitted_probabilities.SPEC.run(
        comparison(table_logit.SPEC, perfect), fitted_probabilities.FittedProbabilitiesParams(groups=4), QUIET
    )
    design, outcome = data.people.reveal()
    assert finding.values["log_loss"] == pytest.approx(finding.values["log_loss_exact"], abs=1e-6)
    p = logit.probability(design, data.exact.reveal())
    assert finding.values["log_loss_exact"] == pytest.approx(-np.mean(np.log(np.where(outcome == 1, p, 1 - p))))
    wrong = published_fit(data, DrawnFits(beta=-data.exact.reveal()[None]))
    (bad,) = fitted_probabilities.SPEC.run(
        comparison(table_logit.SPEC, Release.of(wrong, table_logit.SPEC, ReleaseRandom())),
        fitted_probabilities.FittedProbabilitiesParams(groups=4), QUIET,
    )  # fmt: skip
    assert bad.values["log_loss"] > finding.values["log_loss"]
    assert bad.values["calibration_error"] > 3 * finding.values["calibration_error"]


def test_that_intervals_of_the_table_cover_what_they_say_and_tiny_data_are_flagged() -> None:
    release = table_logit.SPEC.release(hand_made.prepared(), table_logit.TableLogitParams(), ReleaseRandom(), QUIET)
    (finding,) = interval_coverage.SPEC.run(
        comparison(table_logit.SPEC, release), interval_coverage.IntervalCoverageParams(data_sets=300), QUIET
    )
    # 600 intervals: four standard errors around 95 %
    assert abs(float(str(finding.values["coverage"])) - 0.95) < 0.036
    assert len(finding.tables[0].rows) == 9
    data = hand_made.prepared()
    few = replace(data, grid=Confidential(data.grid.reveal()[:40]), outcome=Confidential(data.outcome.reveal()[:40]))
    weak = dp_newton.SPEC.release(few, dp_newton.DpNewtonParams(), ReleaseRandom(), QUIET)
    (warned,) = interval_coverage.SPEC.run(
        comparison(dp_newton.SPEC, weak, few), interval_coverage.IntervalCoverageParams(data_sets=10), QUIET
    )
    assert warned.status is Status.WARN
    assert float(str(warned.values["flagged_fits"])) > 0.5


def test_that_a_method_without_margins_has_no_coverage() -> None:
    release = dp_sgd.SPEC.release(hand_made.prepared(), hand_made.settings(dp_sgd.SPEC), ReleaseRandom(), QUIET)
    (finding,) = interval_coverage.SPEC.run(
        comparison(dp_sgd.SPEC, release), interval_coverage.IntervalCoverageParams(), QUIET
    )
    assert finding.values == {}
    assert "no margins of error" in finding.sentence


def test_that_margins_are_withheld_and_directions_counted_where_noise_drowns_the_data() -> None:
    tight = dp_newton.DpNewtonParams(epsilon=Epsilon("0.01"))
    drawn = dp_newton.SPEC.study(hand_made.prepared(), tight, StudyRandom(3), QUIET).reveal()
    assert not drawn.units("margin_of_error").given().any()
    assert (drawn.units("weak_directions").integers >= 1).all(), "noise alone can lift one of two above the floor"
    wide = dp_newton.SPEC.study(
        hand_made.prepared(), dp_newton.DpNewtonParams(epsilon=Epsilon(20)), StudyRandom(3), QUIET
    ).reveal()
    assert wide.units("weak_directions").integers.tolist() == [0, 0]
    ratio = wide.units("margin_of_error").numbers() / wide.units("standard_error").numbers()
    assert ratio == pytest.approx(1.96, rel=0.01)


def test_that_simulated_data_have_the_declared_size_and_the_exact_fit() -> None:
    data = hand_made.prepared()
    large = simulated(data, 40_000, StudyRandom(1))
    assert len(large.outcome.reveal()) == 40_000
    assert large.exact.reveal() == pytest.approx(data.exact.reveal(), abs=0.06)
