"""What the window shows while ε moves: the table's loss, without any data, at once, and never below the exact audit."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.params import fields_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Delta, Epsilon
from workbench.products.employment_tables.product import SPEC as TABLES

SIZES = [*range(1, 40), 99, 100, 101, 110, 1000, 10_000]  # the worst step is among them: α·x whole, α·x just below 1
EACH = pytest.mark.parametrize("spec", TABLES.mechanisms, ids=lambda spec: spec.id)
MOST_SECONDS = 0.005


def settings(spec: Any, epsilon: str, worker: bool) -> Any:
    """ε as asked, a δ that every ε of these tests can reach, and the table's worker cells."""
    known = {field.name for field in fields_of(spec.params)}
    wanted = {"epsilon": Epsilon(epsilon), "delta": Delta("0.05"), "worker_cells": 2 if worker else 1}
    return dataclasses.replace(spec.params(), **{name: value for name, value in wanted.items() if name in known})


def worst_of_tables(spec: Any, params: Any, worker: bool) -> tuple[float, float]:
    """ε and δ of the exact audit, the largest over tables with a lone establishment of every size.

    With workers the second kind is as many as the first, or absent: noise by cell adds up over both, block noise does
    not.
    """
    mixes = ((1, 0), (1, 1)) if worker else ((1, 0),)
    losses = [
        spec.exact_loss(hand_made.cells([("E1", 3, 0, (size * women, size * men))], worker=worker), params, QUIET)
        for size in SIZES
        for women, men in mixes
    ]
    return max(loss.epsilon for loss in losses), max(loss.delta for loss in losses)


@pytest.mark.parametrize("worker", [False, True], ids=["alone", "with workers"])
@EACH
def test_that_the_loss_without_data_is_the_worst_of_the_exact_audit(spec: Any, worker: bool) -> None:
    for epsilon in ("1.3", "2"):
        params = settings(spec, epsilon, worker)
        shown = spec.calibrate(params, spec.case())
        exact_epsilon, exact_delta = worst_of_tables(spec, params, worker)
        if not np.isfinite(exact_epsilon):
            assert not np.isfinite(shown.spent_epsilon)
            continue
        assert shown.spent_epsilon >= exact_epsilon * (1 - 1e-9)
        assert shown.spent_epsilon == pytest.approx(exact_epsilon, rel=0.02)
        assert shown.spent_delta >= exact_delta * (1 - 1e-9)
        assert shown.spent_epsilon <= float(spec.claim(None, params).epsilon) * (1 + 1e-9)


@EACH
def test_that_a_public_count_does_not_change_the_loss(spec: Any) -> None:
    params = settings(spec, "2", False)
    bare, counted = spec.calibrate(params, spec.case()), spec.calibrate(params, spec.case(count=100))
    assert (bare.spent_epsilon, bare.spent_delta) == (counted.spent_epsilon, counted.spent_delta)


@EACH
def test_that_the_loss_answers_while_epsilon_moves(spec: Any) -> None:
    """The processor's time of the quickest of several new values of ε: no busy machine makes it fail."""
    spec.calibrate(settings(spec, "1.9", True), spec.case())
    taken = []
    for step in range(8):
        params = settings(spec, f"2.{step}1", True)
        start = time.thread_time()
        spec.calibrate(params, spec.case())
        taken.append(time.thread_time() - start)
    assert min(taken) < MOST_SECONDS


@EACH
def test_that_neither_claim_nor_feasibility_waits_for_a_library(spec: Any) -> None:
    """They run on the window's own thread: no calibration is searched for them."""
    taken = []
    for step in range(5):
        params = settings(spec, f"2.0{step}7", True)
        start = time.thread_time()
        spec.claim(None, params)
        params_problems = getattr(params, "check", tuple)()
        taken.append(time.thread_time() - start)
        assert params_problems == ()
    assert min(taken) < MOST_SECONDS
