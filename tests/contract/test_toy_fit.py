"""A slow draw, a loss that is a bound and nothing to be compared with: what the toy fit shows of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.cli.said import dwb
from tests.contract import toy_fit
from tests.contract.contexts import CancelAt, Listener
from tests.contract.toys import registered
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.review.plan.plan_text import from_text, to_text

MECHANISM = toy_fit.SPEC.mechanisms[0]


@pytest.fixture(autouse=True, scope="module")
def known() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture(scope="module")
def reviewed(known: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_fit.TOY.review(tmp_path_factory.mktemp("fit"))


def test_that_every_step_tells_how_far_it_is_and_can_be_the_last() -> None:
    prepared, params = toy_fit.TOY.sample.prepared(), toy_fit.NoisyStepsParams()
    listener = Listener()
    MECHANISM.release(prepared, params, ReleaseRandom(), listener)
    assert len(listener.sentences) == params.steps + 1
    with pytest.raises(Cancelled):
        MECHANISM.release(prepared, params, ReleaseRandom(), CancelAt(params.steps - 1))


def test_that_without_noise_its_steps_lead_to_least_squares() -> None:
    prepared = toy_fit.TOY.sample.prepared()
    still = toy_fit._fitted(prepared, toy_fit.NoisyStepsParams(steps=400), lambda sums: sums, QUIET).values
    assert np.abs(still - prepared.exact()).max() <= 50, "in cents, of a pay of thousands"


def test_that_the_most_a_person_can_move_the_sums_is_what_the_noise_is_made_for() -> None:
    """Brute force over everybody who could join, at many places of the line."""
    params = toy_fit.NoisyStepsParams()
    people = np.array([(group, cents) for group in (0, 1) for cents in range(0, toy_fit.MOST + 1, 50)])
    lines = [(a, b) for a in range(-toy_fit.MOST, toy_fit.MOST + 1, 2500) for b in range(-5000, 5001, 2500)]
    moved = [
        np.abs(np.clip(people[:, 1] - a - b * people[:, 0], -params.clip, params.clip)) * (1 + people[:, 0])
        for a, b in lines
    ]
    assert max(each.max() for each in moved) == 2 * params.clip


def test_that_its_audit_speaks_of_a_bound(reviewed: Path) -> None:
    said = json.loads((reviewed / "run.json").read_text(encoding="utf-8"))
    (loss,) = [each for each in said["findings"] if each["id"] == "exact-loss"]
    assert loss["status"] == "pass"
    assert "at most 2.000, by accounting" in loss["sentence"]
    assert "An upper bound may be far above what is spent." in loss["does_not_prove"]


def test_that_a_plan_without_a_baseline_says_nothing_of_one(reviewed: Path) -> None:
    plan = from_text(toy_fit.PLAN)
    assert plan.baselines == ()
    assert "baseline" not in to_text(plan)
    assert "Current SDL" not in (reviewed / "internal.json").read_text(encoding="utf-8")


def test_that_naming_a_baseline_is_refused_in_words() -> None:
    with pytest.raises(UserProblem, match="has no baseline to compare with"):
        from_text(toy_fit.PLAN + '\n[baseline]\nid = "toy-rounding"\n')


def test_that_an_accuracy_target_is_refused_in_words(reviewed: Path) -> None:
    said = dwb("solve", reviewed / "plan.toml", "--target", "half within 5%")
    assert said.code != 0
    assert "no estimates to set an accuracy target for" in said.err
