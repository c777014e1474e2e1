"""Primary rules: worked values, and what the rules ask of sums, holders and levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.baselines.suppression.small_tables import at, people, table
from workbench.baselines.suppression.contributions import behind, summed
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.rules import Flagged, Rules, flagged, union_rule
from workbench.core.params import problems_of


def judged(rules: Rules, amounts: list[float], holders: list[int] | None = None) -> Flagged:
    who = np.array(holders or range(len(amounts)))
    given = summed(np.zeros(len(amounts), dtype=np.int64), who, np.array(amounts, dtype=np.float64), cells=1)
    return flagged(rules, behind(given, np.array([float(sum(amounts))]), kept=rules.kept))


def test_that_the_rules_give_the_worked_values(golden: Any) -> None:
    worked = golden("suppression_primary_rules")
    for case in worked["cases"]:
        given, expected = case["inputs"], case["expected"]
        amounts = given["contributions"]
        off = {"threshold": 0, "least": 1e-12}
        found = {
            "threshold": judged(Rules(threshold=given["threshold"]), amounts),
            "nk": judged(Rules(**off, dominant=given["n"], dominance=given["k_share"]), amounts),
            "p_percent": judged(Rules(**off, p=given["p"]), amounts),
            "pq": judged(Rules(**off, p=given["p"], q=given["q"] or 100), amounts),
        }
        for rule, one in found.items():
            assert bool(one.primary[0]) == expected[rule], rule
        if expected["p_percent"]:
            assert found["p_percent"].upper[0] == pytest.approx(expected["p_percent_protection_upper"], rel=1e-9)


def test_that_a_sensitive_cell_under_pq_asks_for_protection() -> None:
    """100, 50, rest 15 at p 10, q 50: the level is (p/q)·x₁ − rest = 5, not the −5 of p % alone."""
    found = judged(Rules(threshold=0, p=10, q=50, least=1e-12), [100, 50, 15])
    assert found.primary[0]
    assert found.upper[0] == pytest.approx(5.0)


def test_that_every_primary_cell_has_levels_above_zero() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        amounts = rng.exponential(10, rng.integers(1, 6)).tolist()
        rules = Rules(threshold=3, dominant=2, dominance=0.85, p=12, q=60, least=0.5)
        found = judged(rules, amounts)
        assert not found.primary[0] or (found.upper[0] > 0 and found.lower[0] > 0)
    few = judged(Rules(threshold=3, least=0.5, share=0.1), [20, 10])  # no rule's own level: least and share count
    assert few.primary[0] and (few.upper[0], few.lower[0]) == (2.0, 2.0)


def test_that_a_dominated_cell_is_hidden_until_the_largest_hold_their_share() -> None:
    found = judged(Rules(threshold=0, dominant=2, dominance=0.8, least=1e-12), [60, 30, 10])
    assert found.upper[0] == pytest.approx(90 / 0.8 - 100)


def test_that_contributions_are_summed_by_holder_first() -> None:
    """60 and 30 of one firm, 9 and 1: safe as four establishments, sensitive as three firms."""
    rules = Rules(threshold=0, p=10)
    assert not judged(rules, [60, 30, 9, 1]).primary[0]
    assert judged(rules, [60, 30, 9, 1], [0, 0, 1, 2]).primary[0]


def test_that_a_cell_whose_largest_contribution_is_zero_is_not_flagged_by_p() -> None:
    given = summed(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), cells=1)
    assert not flagged(Rules(p=10), behind(given, np.zeros(1))).primary[0]


def test_that_one_firm_in_two_cells_of_a_row_is_seen_in_their_sum() -> None:
    """Alone in cells of 100 and 60: each is hidden by the other, and their sum is the firm's total."""
    holders = {(0, 0): [(1, 100.0)], (0, 1): [(1, 60.0)], (0, 2): [(2, 40.0), (3, 40.0), (4, 40.0)],
               (1, 0): [(5, 30.0), (6, 30.0), (7, 30.0)], (1, 1): [(5, 30.0), (6, 30.0), (7, 30.0)],
               (1, 2): [(5, 30.0), (6, 30.0), (7, 30.0)]}  # fmt: skip
    system = table([[100, 60, 120], [90, 90, 90]], counts=False, holders=holders)
    judge = union_rule(Rules(threshold=3, p=10), system)
    assert judge(np.array([at(system, 0, 0), at(system, 0, 1)]))
    assert not judge(np.array([at(system, 0, 0), at(system, 0, 1), at(system, 0, 2)]))
    holders[0, 1] = [(1, 60.0), (2, 30.0)]  # as three firms the rest of 30 would do; as 160 and 30 nothing is left
    system = table([[100, 90, 120], [90, 90, 90]], counts=False, holders=holders)
    assert union_rule(Rules(threshold=0, p=10), system)(np.array([at(system, 0, 0), at(system, 0, 1)]))


def test_that_two_cells_of_one_person_are_still_too_few_together() -> None:
    inner = [[1, 1, 9], [5, 5, 5]]
    system = table(inner, holders=people(inner))
    judge = union_rule(Rules(threshold=3), system)
    assert judge(np.array([at(system, 0, 0), at(system, 0, 1)]))
    assert not judge(np.array([at(system, 0, 0), at(system, 0, 2)]))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (SuppressionParams(threshold=0, p=0), "No primary rule is turned on"),
        (SuppressionParams(least=0), "no protection level"),
        (SuppressionParams(p=20, q=10), "prior knowledge q = 10 is below p = 20"),
    ],
)
def test_that_rules_without_effect_are_refused_in_words(params: SuppressionParams, words: str) -> None:
    assert any(words in problem.sentence() for problem in problems_of(params))
