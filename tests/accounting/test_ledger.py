"""The ledger adds exactly, per definition, and says in words what would be left."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.accounting.ledger import balances, remaining, total_under, totals, uncounted
from workbench.accounting.limits import Limit, Limits
from workbench.accounting.what_if import what_if
from workbench.core.claims import Claim, Definition
from workbench.core.quantities import exact


def claim(
    epsilon: str,
    definition: Definition = Definition.EDGE,
    *,
    delta: str = "0",
    alpha: str | None = None,
    formal: bool = True,
) -> Claim:
    return Claim(
        definition=definition,
        unit="one job",
        epsilon=Decimal(epsilon),
        delta=Decimal(delta),
        alpha=None if alpha is None else Decimal(alpha),
        formal=formal,
        sentence="A promise.",
    )


def test_that_claims_under_different_definitions_are_never_added_up() -> None:
    spent = totals([claim("2"), claim("1", Definition.STRONG), claim("0.5")])
    assert [(total.definition, total.epsilon) for total in spent] == [
        (Definition.EDGE, Decimal("2.5")),
        (Definition.STRONG, Decimal(1)),
    ]


@given(st.lists(st.decimals(min_value=0, max_value=20, places=6), max_size=30))
def test_that_a_total_and_what_remains_are_exact(values: list[Decimal]) -> None:
    total = total_under(Definition.EDGE, [claim(str(value)) for value in values])
    assert Fraction(total.epsilon) == sum((Fraction(value) for value in values), Fraction(0))
    left = remaining(total.epsilon, Decimal("100.1"))
    assert left is not None
    assert Fraction(left) == Fraction(Decimal("100.1")) - Fraction(total.epsilon)


def test_that_size_windows_compose_at_the_narrowest() -> None:
    (total,) = totals([claim("1", Definition.WEAK, alpha="0.1"), claim("1", Definition.WEAK, alpha="0.05")])
    assert total.alpha == Decimal("0.05")
    assert total.epsilon == 2


def test_that_delta_adds_up_to_at_most_one() -> None:
    (total,) = totals([claim("1", delta="0.000001"), claim("1", delta="1e-7")])
    assert total.delta == Decimal("0.0000011")
    (certain,) = totals([claim("1", delta="0.7"), claim("1", delta="0.6")])
    assert certain.delta == 1


def test_that_one_informal_entry_makes_the_total_informal() -> None:
    (total,) = totals([claim("1", Definition.CONDITIONAL), claim("1", Definition.CONDITIONAL, formal=False)])
    assert not total.formal


def test_that_what_would_be_left_is_said_in_one_sentence() -> None:
    answer = what_if([claim("6.2")], claim("2"), Decimal(10))
    assert answer.fits
    assert answer.remaining == Decimal("1.8")
    assert answer.sentence == "This would leave ε 1.8 of 10."


def test_that_spending_the_cap_exactly_fits_and_one_millionth_more_does_not() -> None:
    assert what_if([claim("9.9")], claim("0.1"), Decimal(10)).fits
    over = what_if([claim("9.9")], claim("0.100001"), Decimal(10))
    assert not over.fits
    assert over.sentence == "ε would exceed the cap of 10 by 10⁻⁶."


def test_that_an_infinite_loss_never_fits_under_a_cap() -> None:
    answer = what_if([], claim("Infinity"), Decimal(10))
    assert not answer.fits
    assert "without bound" in answer.sentence


def test_that_what_another_definition_implies_is_spent_too() -> None:
    assert what_if([claim("9", Definition.STRONG)], claim("9"), Decimal(10)).remaining == -8
    assert what_if([claim("9", Definition.LOCAL)], claim("1"), Decimal(10)).remaining == 9, (
        "it says nothing of presence"
    )


FOUR = (Definition.EDGE, Definition.STRONG, Definition.NODE, Definition.PROBABILISTIC)


@pytest.mark.parametrize("order", list(itertools.permutations(FOUR, 2)))
def test_that_a_cap_is_a_budget_per_person_and_not_one_for_each_definition(order: tuple[Definition, ...]) -> None:
    """A cap of 10 must not allow 10 edge + 10 strong + 10 node + 10 probabilistic, in no order."""
    first, second = (claim("10", each) for each in order)
    assert what_if([], first, Decimal(10)).fits, "what no release uses is no cap on this one"
    assert not what_if([first], second, Decimal(10)).fits


def test_that_definitions_without_a_word_for_each_other_meet_in_one_that_both_imply() -> None:
    local, edge = claim("6", Definition.LOCAL), claim("2")
    assert what_if([local], edge, Decimal(10)).fits, "one record replaced: 6 + 2·2"
    assert not what_if([local], claim("2.1"), Decimal(10)).fits
    assert "differential privacy, one record replaced" in what_if([local], claim("2.1"), Decimal(10)).sentence


def test_that_the_balance_of_a_definition_counts_all_that_speak_under_it() -> None:
    edge, strong = claim("1"), claim("2", Definition.STRONG)
    found = {each.total.definition: each for each in balances([edge, strong], Decimal(10))}
    assert (found[Definition.EDGE].total.epsilon, found[Definition.EDGE].remaining) == (3, 7)
    apart = balances([edge, strong], Limits(others=Limit(epsilon=Decimal(10)), implied=False))
    assert [each.total.epsilon for each in apart] == [1, 2]


def test_that_without_a_cap_the_new_total_is_said() -> None:
    answer = what_if([claim("1")], claim("0.5"), None)
    assert answer.fits
    assert answer.sentence == "ε spent on these data would be 1.5; there is no cap."


def test_that_a_release_without_a_promise_is_recorded_but_not_counted() -> None:
    informal = claim("0", Definition.NONE, formal=False)
    assert totals([informal]) == ()
    assert uncounted([informal, claim("1")]) == 1
    assert "no formal promise" in what_if([], informal, Decimal(1)).sentence


def test_that_every_definition_is_held_against_the_cap_by_itself() -> None:
    left = balances([claim("2"), claim("3", Definition.LOCAL)], Decimal(10))
    assert [balance.remaining for balance in left] == [Decimal(8), Decimal(7)]
    assert balances([claim("2")], None)[0].remaining is None


def test_that_a_total_reads_as_a_sentence() -> None:
    (total,) = totals([claim("0.25", Definition.STRONG, alpha="0.1", delta="1e-9")])
    assert total.sentence() == (
        "1 release under strong (α, ε) employer-employee privacy: ε = 0.25, δ = 10⁻⁹, α = 0.1 in sequence."
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [("10.00", "10"), ("1.80", "1.8"), ("1E-9", "10⁻⁹"), ("1.50E-9", "1.5 × 10⁻⁹"), ("0", "0"), ("1E+2", "100"),
     ("0.1234567890123456789012345678901", "0.1234567890123456789012345678901"), ("Infinity", "∞")],
)  # fmt: skip
def test_that_exact_decimals_keep_every_digit(value: str, text: str) -> None:
    assert exact(Decimal(value)) == text


def test_that_less_under_another_definition_is_told_before_it_runs_out() -> None:
    answer = what_if([claim("0.5")], claim("2", Definition.STRONG), Decimal(4))
    assert answer.sentence.startswith(
        "This would leave ε 2 of 4. This would leave ε 1.5 of 4 (what it implies under edge differential privacy)."
    )
