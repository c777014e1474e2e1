"""The alternatives that hide whole establishments: truncation keeps its promise uselessly, the other has none."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.contract.mechanism_contract import QUICK
from tests.products.employment_tables import hand_made
from workbench.audit.event_search import largest_loss
from workbench.core.claims import Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.mechanisms import node_down_sensitivity, node_truncation
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.node_down_sensitivity import NodeDownSensitivityParams
from workbench.products.employment_tables.mechanisms.node_truncation import NodeTruncationParams, left_out
from workbench.products.employment_tables.product import SPEC as PRODUCT

ROWS = [("BIG", 0, 0, (30, 5)), ("SMALL", 0, 0, (4, 3)), ("EDGE", 1, 1, (10, 10)), ("OVER", 1, 1, (0, 21))]


def test_that_establishments_above_theta_are_left_out_by_total_size() -> None:
    lost = left_out(hand_made.cells(ROWS), 20)
    assert lost[:2].tolist() == [30, 5]
    assert lost[8:10].tolist() == [0, 21]
    assert lost.sum() == 56
    assert left_out(hand_made.cells(ROWS), 35).sum() == 0


def test_that_the_expected_error_counts_noise_and_what_is_left_out() -> None:
    data, params = hand_made.cells(ROWS), NodeTruncationParams(theta=20, epsilon=Epsilon("4"))
    expected = node_truncation.SPEC.expected_error(data, params).reveal()
    draws = [node_truncation.SPEC.study(data, params, StudyRandom(seed), QUIET).reveal().values for seed in range(4000)]
    errors = np.abs(np.stack(draws) - data.count.reveal())
    spread = errors.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert np.all(np.abs(errors.mean(axis=0) - expected) < 4.5 * spread)


def test_that_truncation_is_biased_by_exactly_what_it_leaves_out() -> None:
    data, params = hand_made.cells(ROWS), NodeTruncationParams(theta=20, epsilon=Epsilon("40"))
    draws = [node_truncation.SPEC.study(data, params, StudyRandom(seed), QUIET).reveal().values for seed in range(2000)]
    bias = np.stack(draws).mean(axis=0) - data.count.reveal()
    assert np.all(np.abs(bias + left_out(data, 20)) < 0.1)


def test_that_a_table_that_does_not_know_its_establishments_is_refused_only_where_it_matters() -> None:
    data = dataclasses.replace(hand_made.cells(ROWS), contributions=None)
    assert node_truncation.SPEC.problems(data, NodeTruncationParams(theta=35)) == ()
    (problem,) = node_truncation.SPEC.problems(data, NodeTruncationParams(theta=34))
    assert problem.where == "theta"
    with pytest.raises(UserProblem, match="which establishment"):
        node_truncation.SPEC.expected_error(data, NodeTruncationParams(theta=34))


def test_that_truncation_claims_node_privacy_for_whole_establishments() -> None:
    claim = node_truncation.SPEC.claim(None, NodeTruncationParams())
    assert claim.definition is Definition.NODE
    assert claim.formal
    assert "more than 1,000 jobs is left out" in claim.sentence


def test_that_calibration_says_when_the_largest_establishment_disappears() -> None:
    kept, lost = (
        node_truncation.SPEC.calibrate(NodeTruncationParams(), CellCase(count=5000, largest=size))
        for size in (1000, 1001)
    )
    assert kept.expected_absolute_error == pytest.approx(500, rel=1e-3)
    assert lost.expected_absolute_error > 1001
    assert "left out" in lost.notes[0]


def test_that_down_sensitivity_noise_claims_nothing_formal_and_says_why() -> None:
    claim = node_down_sensitivity.SPEC.claim(None, NodeDownSensitivityParams())
    assert claim.definition is Definition.CONDITIONAL
    assert not claim.formal
    assert "no guarantee" in claim.sentence
    exact = node_down_sensitivity.SPEC.exact_loss(hand_made.cells(), NodeDownSensitivityParams(), QUIET)
    assert "no bound" in exact.worst_pair


def test_that_taking_out_the_largest_establishment_itself_breaks_down_sensitivity_noise() -> None:
    """Real node neighbours: the only establishment of a cell, present or absent. The black box sees it at once."""
    params = NodeDownSensitivityParams(epsilon=Epsilon("1"))
    present = node_down_sensitivity.SPEC.neighbours(hand_made.cells([("E", 0, 0, (40, 0))]), params, 20_000)[0].second
    absent = dataclasses.replace(
        present.reveal(),
        count=Confidential(np.zeros(40_000, dtype=np.int64)),
        workplace_largest=Confidential(np.zeros(20_000, dtype=np.int64)),
    )
    sides = [
        node_down_sensitivity.SPEC.study(data, params, StudyRandom(seed), QUIET).reveal().values.reshape(-1, 2)
        for seed, data in enumerate((present.reveal(), absent))
    ]
    bound = largest_loss(sides[0], sides[1], delta=0.0, risk=float(1 - QUICK.confidence))
    assert bound.lower > 4


def test_that_worker_level_laplace_keeps_its_only_name() -> None:
    """Edge differential privacy is `laplace`; an alias would be a second name for one meaning."""
    ids = [mechanism.id for mechanism in PRODUCT.mechanisms]
    assert "laplace" in ids
    assert "edge-laplace" not in ids
