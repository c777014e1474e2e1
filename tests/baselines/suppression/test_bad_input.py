"""Tables that cannot be suppressed are refused, each with a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.baselines.suppression.hierarchy import Dimension, nested
from workbench.baselines.suppression.system import additive
from workbench.core.errors import UserProblem

BY_REGION = [Dimension(name="region")]


def test_that_a_cycle_is_named() -> None:
    with pytest.raises(UserProblem, match="hierarchy of region: The codes A → B → C → A contain each other") as refused:
        nested("region", [("A", "B"), ("B", "C"), ("C", "A"), ("D", "A")])
    assert len(refused.value.problems) == 1


def test_that_a_code_in_two_parents_is_named() -> None:
    with pytest.raises(UserProblem, match="The code X is part of both A and B"):
        nested("region", [("X", "A"), ("X", "B")])


def test_that_totals_that_do_not_add_up_show_the_difference() -> None:
    with pytest.raises(UserProblem, match=r"the total, by region: .* differs from the sum of its 2 parts by 3"):
        additive(BY_REGION, [("A",), ("B",), (None,)], np.array([4.0, 5.0, 12.0]))


def test_that_rounding_left_in_the_values_is_no_difference() -> None:
    system = additive(BY_REGION, [("A",), ("B",), (None,)], np.array([0.1, 0.2, 0.30000000000000004]))
    assert len(system.lines) == 1


def test_that_negative_amounts_are_refused() -> None:
    with pytest.raises(UserProblem, match="A: The cell is negative or not a number"):
        additive(BY_REGION, [("A",), ("B",), (None,)], np.array([-4.0, 5.0, 1.0]))


def test_that_a_table_of_one_row_is_refused() -> None:
    with pytest.raises(UserProblem, match="The table has a single row"):
        additive(BY_REGION, [("A",), (None,)], np.array([4.0, 4.0]))


def test_that_a_cell_listed_twice_is_refused() -> None:
    with pytest.raises(UserProblem, match="A cell is listed twice"):
        additive(BY_REGION, [("A",), ("A",), (None,)], np.array([4.0, 4.0, 8.0]))
