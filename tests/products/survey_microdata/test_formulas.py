"""Local methods against worked-out values, and by a second route."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.noise import discrete_laplace
from workbench.products.survey_microdata.estimation.crosstabs import two_way
from workbench.products.survey_microdata.estimation.decoding import PublishedDesign
from workbench.products.survey_microdata.estimation.regression import Scored, linear, scored
from workbench.products.survey_microdata.local import joint_rr, krr_laplace
from workbench.products.survey_microdata.local.allocation import best_split, noise
from workbench.products.survey_microdata.local.design import Method, grid, laplace, response
from workbench.products.survey_microdata.local.grid_levels import best_levels, decoded_variance, mean_variance
from workbench.products.survey_microdata.params import Kind
from workbench.products.survey_microdata.survey_data import SurveyData, Variable, class_starts


def category(size: int, name: str = "q") -> Variable:
    texts = tuple(map(str, range(size)))
    return Variable(name=name, kind=Kind.CATEGORY, values=texts, labels=texts)


def percentage(name: str = "pct", upper: int = 100, classes: int = 5) -> Variable:
    return Variable(name=name, kind=Kind.NUMBER, lower=0, upper=upper, starts=class_starts(0, upper, classes))


def design_of(epsilon: float, size: int) -> PublishedDesign:
    p, q = np.exp(epsilon) / (np.exp(epsilon) + size - 1), 1 / (np.exp(epsilon) + size - 1)
    return PublishedDesign(
        variable=category(size), method=Method.RESPONSE, answers=size, kept=p, each_other=q, scale=float("nan")
    )


def test_that_responses_have_the_published_chances_and_come_back(golden: Any) -> None:
    for case in golden("krr")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        if "p" not in expected:
            continue
        made = response(category(inputs["k"]), Fraction(inputs["eps"]))
        same, other = made.chances()
        assert (same, other) == pytest.approx((expected["p"], expected["q"]), rel=1e-10)
        if "pi_j" in inputs:
            share = other + (same - other) * inputs["pi_j"]
            assert share == pytest.approx(expected["lambda_j"], rel=1e-9)
            assert (share - other) / (same - other) == pytest.approx(inputs["pi_j"])


def test_that_seven_on_a_percentage_is_a_scale_of_14_29_and_a_deviation_of_20_2(golden: Any) -> None:
    made = laplace(percentage(), Fraction(7))
    expected = next(case["expected"] for case in golden("krr")["cases"] if "laplace_range" in case["inputs"])
    assert made.scale == pytest.approx(expected["scale"], rel=1e-12)
    assert round(made.scale, 4) == 14.2857
    assert np.sqrt(discrete_laplace.variance(made.scale)) == pytest.approx(expected["sd"], rel=1e-3)
    assert made.exact_loss() <= 7.0  # per unit it would be .07: with the file's ε of 7 per unit the loss were 700


def test_that_the_coin_example_comes_back() -> None:
    """10 % truly say yes, 30 % are published, and ε is ln 3."""
    coin = response(category(2), Fraction(10986122886681096, 10**16))
    same, other = coin.chances()
    assert (same, other) == pytest.approx((0.75, 0.25))
    assert 0.9 * other + 0.1 * same == pytest.approx(0.30)
    assert coin.exact_loss() == pytest.approx(np.log(3.0))


def test_that_grids_have_the_published_variances(golden: Any) -> None:
    for case in golden("survey_grid_rr")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        found = decoded_variance(
            inputs["eps"], inputs["levels"], inputs["lo"], inputs["hi"], np.array([float(inputs["x"])])
        )
        assert found[0] == pytest.approx(expected["variance_of_decoded"], rel=1e-9)


def test_that_a_grid_beats_laplace_tenfold_at_seven_and_has_the_known_levels() -> None:
    laplace_variance = discrete_laplace.variance(laplace(percentage(), Fraction(7)).scale)
    assert mean_variance(7.0, 21, 0, 100) / laplace_variance <= 0.10
    assert [best_levels(float(epsilon), 0, 100) for epsilon in (1, 2, 3, 4, 5, 7)] == [3, 3, 5, 6, 6, 11]


def test_that_drawn_grid_numbers_are_unbiased_with_the_variance_told() -> None:
    made, x, copies = grid(percentage(), Fraction(4), 11), 37, 200_000
    drawn = made.level_values()[made.drawn(np.full(copies, x), StudyRandom(3))]
    same, other = made.chances()
    decoded = (drawn - (1 - (same - other)) * 50.0) / (same - other)
    told = float(decoded_variance(4.0, 11, 0.0, 100.0, np.array([37.0]))[0])
    assert abs(decoded.mean() - x) < 4 * np.sqrt(told / copies)
    assert decoded.var() == pytest.approx(told, rel=0.03)


def test_that_allocations_are_the_published_ones(golden: Any) -> None:
    for case in golden("survey_allocation")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        k, weights = np.array(inputs["k"]), np.array(inputs["weights"], dtype=float)
        split = best_split(k, inputs["eps_total"], weights)
        assert split == pytest.approx(expected["eps"], rel=1e-4)
        assert float(weights @ noise(split, k)) == pytest.approx(expected["objective"], rel=1e-4)
        equal = np.full(len(k), inputs["eps_total"] / len(k))
        assert float(weights @ noise(equal, k)) == pytest.approx(expected["objective_equal_split"], rel=1e-4)


def test_that_whole_records_are_kept_with_the_published_chance(golden: Any) -> None:
    for case in golden("survey_joint_rr")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        data = SurveyData(
            variables=tuple(category(k, f"q{place}") for place, k in enumerate(inputs["k"])),
            answers=Confidential(np.zeros((1, len(inputs["k"])), dtype=np.int64)),
        )
        params = joint_rr.JointRrParams(epsilon=Epsilon(str(inputs["eps_total"])))
        kept = joint_rr.threshold(data, params) / 2**64
        assert kept == pytest.approx(expected["keep"], rel=1e-9)
        assert np.log(float(joint_rr.domain(data))) == pytest.approx(expected["ln_domain"])
        assert joint_rr.SPEC.exact_loss(data, params, QUIET).epsilon <= inputs["eps_total"]


def test_that_a_domain_too_large_for_the_yardstick_is_told() -> None:
    data = SurveyData(
        variables=tuple(category(400, f"q{place}") for place in range(60)),
        answers=Confidential(np.zeros((1, 60), dtype=np.int64)),
    )
    (problem,) = joint_rr.SPEC.problems(data, joint_rr.JointRrParams())
    assert "10^156 records" in problem.what
    assert problem.do


def test_that_two_way_tables_come_back_with_the_published_errors(golden: Any) -> None:
    for case in golden("survey_two_way")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        observed = np.array(inputs["observed"], dtype=float)
        first, second = (design_of(eps, size) for eps, size in zip(inputs["eps"], observed.shape, strict=True))
        estimate, error = two_way(observed, first.inverse(), second.inverse())
        assert estimate == pytest.approx(np.array(expected["estimate"]), rel=1e-9)
        assert error == pytest.approx(np.array(expected["se_count"]), rel=1e-9)


def test_that_corrected_regressions_are_the_published_ones(golden: Any) -> None:
    for case in golden("survey_corrected_regression")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        designs = design_of(inputs["eps_x1"], inputs["k1"]), design_of(inputs["eps_x2"], inputs["k2"])
        predictors = [
            scored(design, np.array(inputs[name], dtype=float))
            for design, name in zip(designs, ("x1", "x2"), strict=True)
        ]
        fit = linear(np.array(inputs["y"]), predictors)
        assert fit.estimate == pytest.approx(expected["beta"], rel=1e-7)
        assert fit.error == pytest.approx(expected["se"], rel=1e-7)


def test_that_weights_enter_a_regression_as_if_records_were_repeated() -> None:
    random = np.random.default_rng(2)
    x, y, times = random.normal(size=300), random.normal(size=300), random.integers(1, 4, 300)
    plain = linear(np.repeat(y, times), [Scored(values=np.repeat(x, times), squares=np.repeat(x, times) ** 2)])
    weighted = linear(y, [Scored(values=x, squares=x**2)], times.astype(float))
    assert weighted.estimate == pytest.approx(plain.estimate)


def test_that_the_source_spends_280_on_forty_variables() -> None:
    data = SurveyData(
        variables=(
            *(category(3, f"q{place}") for place in range(34)),
            *(percentage(f"p{place}") for place in range(6)),
        ),
        answers=Confidential(np.zeros((2, 40), dtype=np.int64)),
    )
    claim = krr_laplace.SPEC.claim(data, krr_laplace.KrrLaplaceParams())
    assert claim.epsilon == 280
    assert len(claim.parts) == 40
    assert "280" in claim.sentence
    assert "no limit of any practical meaning" in claim.sentence
    assert "how many did, are public" in claim.sentence
    assert krr_laplace.SPEC.exact_loss(data, krr_laplace.KrrLaplaceParams(), QUIET).epsilon == pytest.approx(280.0)
