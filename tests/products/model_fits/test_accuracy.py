"""Accuracy is published where it was paid for: what it costs, that it comes out of ε, and that it is right."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.products.model_fits import hand_made
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise.discrete_laplace import scale_for, spent
from workbench.products.model_fits.mechanisms import accuracy, dp_newton, dp_sgd, objective_perturbation, table_logit
from workbench.products.model_fits.mechanisms.neighbours import nobody, with_people

PAID = (dp_newton.SPEC, dp_sgd.SPEC, objective_perturbation.SPEC)


def settings(mechanism: Any, share: str, epsilon: str = "1") -> Any:
    return replace(hand_made.settings(mechanism), accuracy=Decimal(share), epsilon=Epsilon(epsilon))


@pytest.mark.parametrize("mechanism", PAID, ids=lambda mechanism: mechanism.id)
def test_that_nothing_is_told_of_accuracy_unless_it_is_paid_for(mechanism: Any) -> None:
    data = hand_made.prepared()
    free = mechanism.release(data, settings(mechanism, "0"), ReleaseRandom(), QUIET)
    assert not free.units("accuracy").given().any()
    paid = mechanism.release(data, settings(mechanism, "0.5", "8"), ReleaseRandom(), QUIET).units("accuracy")
    assert paid.given().all()
    assert len(set(paid.integers.tolist())) == 1, "one share for the whole fit"


@pytest.mark.parametrize("mechanism", PAID, ids=lambda mechanism: mechanism.id)
def test_that_accuracy_comes_out_of_the_same_epsilon(mechanism: Any) -> None:
    """The claim stays; the fit has the noise of a plan with what is left, and the loss stays within the claim."""
    data, paid = hand_made.prepared(), settings(mechanism, "0.25", "2")
    whole, smaller = settings(mechanism, "0", "2"), settings(mechanism, "0", "1.5")
    assert mechanism.claim(data, paid) == mechanism.claim(data, whole)
    calibrated = [mechanism.calibrate(each, mechanism.case()).scale for each in (paid, smaller, whole)]
    assert calibrated[0] == calibrated[1] > calibrated[2]
    loss = mechanism.exact_loss(data, paid, QUIET)
    assert loss.epsilon <= 2.0
    assert loss.delta <= float(paid.delta) * (1 + 1e-9)


def test_that_one_person_adds_one_to_one_of_the_counts_whatever_the_fit() -> None:
    data, random = nobody(hand_made.prepared()), np.random.default_rng(3)
    data = with_people(data, [(1, 1), (-1, 0), (1, 0)])
    for person, _ in product(product((1, -1), (0, 1)), range(20)):
        beta = random.normal(size=(3, 2))
        moved = accuracy.predicted(with_people(data, [person]), beta) - accuracy.predicted(data, beta)
        assert (moved >= 0).all()
        assert (moved.sum(axis=1) == 1).all()


@pytest.mark.parametrize(("epsilon", "share"), [("1", "0.1"), ("0.3", "0.5"), ("7", "0.013")])
def test_that_the_noise_of_the_counts_spends_no_more_than_its_share(epsilon: str, share: str) -> None:
    allowed = Fraction(epsilon) * Fraction(share)
    assert spent(1, scale_for(1, allowed)) <= allowed


def test_that_accuracy_is_that_of_the_published_fit() -> None:
    """Against the rows themselves, and by the noise that two counts have."""
    data = hand_made.prepared()
    design, outcome = data.people.reveal()
    many = replace(data, copies=2000)
    drawn = dp_newton.SPEC.drawn(
        many, settings(dp_newton.SPEC, "0.5", "20"), dp_newton.FitRandom(StudyRandom(2), lambda sums, _: sums), QUIET
    )
    right = float(np.mean((design @ drawn.beta[0] >= 0) == (outcome == 1)))
    assert drawn.accuracy is not None
    assert drawn.accuracy.mean() == pytest.approx(right, abs=0.0005)
    assert drawn.accuracy.std() < 0.002
    table = table_logit.SPEC.drawn(data, table_logit.TableLogitParams(epsilon=Epsilon(20)), _study(), QUIET)
    assert table.accuracy is not None
    assert table.accuracy[0] == pytest.approx(right, abs=0.01)


def _study() -> Any:
    from workbench.products.model_fits.mechanisms.fit_random import study

    return study(StudyRandom(3))


def test_that_counts_that_noise_leaves_empty_give_a_gap_and_shares_stay_shares() -> None:
    shares = accuracy.share_of_counts(np.array([[3, 1], [-2, 1], [-1, 5], [6, -2], [0, 0]]))
    assert shares[[0, 2, 3]].tolist() == [0.75, 0.0, 1.0]
    assert np.isnan(shares[[1, 4]]).all()
