"""Optimal composition only for a list that was registered beforehand."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from decimal import Decimal

import pytest

from workbench.accounting.entries import Entry
from workbench.accounting.limits import Limit, Limits
from workbench.accounting.programme import Pair, Programme, besides, items_from, items_text, registered
from workbench.accounting.what_if import what_if
from workbench.core.claims import Definition

CAP = Limit(epsilon=Decimal("6.423684"), delta=Decimal("0.001"), composing=Decimal("0.001"))
ONE, MANY = ("0.05", "6.37564"), ("0.05", *["0.2"] * 80)


def spent(epsilon: str, delta: str = "0") -> Entry:
    return Entry(definition=Definition.EDGE, unit="one person", epsilon=Decimal(epsilon), delta=Decimal(delta))


def programme(*losses: str) -> Programme:
    return Programme(definition=Definition.EDGE, items=tuple((Decimal(each), Decimal(0)) for each in losses))


def fits(history: tuple[str, ...], *lists: Programme, **more: bool) -> bool:
    entries = [spent(each) for each in history]
    limits = Limits(others=CAP, filtered=True, programmes=lists, **{"tightest": True, **more})
    return what_if(entries[:-1], entries[-1], limits).fits


@pytest.mark.parametrize(("history", "other"), [(ONE, MANY), (MANY, ONE)])
def test_that_a_history_of_the_counterexample_passes_only_where_its_own_list_was_registered(
    history: tuple[str, ...], other: tuple[str, ...]
) -> None:
    assert fits(history, programme(*history))
    assert not fits(history), "nothing registered"
    assert not fits(history, programme(*other)), "the other list"
    assert not fits(history, programme(*history, *other[1:])), "both as alternatives are one list of all"
    assert not fits(history, programme(*history), tightest=False), "the policy measures otherwise"


def test_that_items_may_spend_less_and_come_in_any_order_but_nothing_may_be_added() -> None:
    plan = programme(*MANY)
    assert fits(("0.1", *["0.2"] * 79, "0.05"), plan), "less on one item, in another order"
    assert not fits((*MANY, "0.01"), plan), "one more"
    assert not fits(("0.05", "0.4", *["0.2"] * 78), plan), "two items merged"
    found = registered(plan, [spent("0.2"), spent("0.3")], Decimal("0.001"))
    assert found is not None and (found.used, found.besides) == (1, 1)
    assert found.words().startswith("1 of 81 registered releases used; 1 release besides, added in full. All of them")


def test_that_what_is_not_registered_comes_on_top() -> None:
    plan = programme("0.05", *["0.2"] * 40)
    alone = registered(plan, [], Decimal("0.001"))
    more = registered(plan, [spent("0.5", "1e-7")], Decimal("0.001"))
    assert alone is not None and more is not None
    assert more.epsilon == alone.epsilon + Decimal("0.5")
    assert more.delta == Decimal("0.0010001")


@pytest.mark.parametrize("definition", [Definition.RESIDENCE, Definition.CONDITIONAL])
def test_that_definitions_whose_pairs_do_not_compose_have_no_programme(definition: Definition) -> None:
    plan = replace(programme("1", "1"), definition=definition)
    assert registered(plan, [], Decimal("1e-6")) is None
    assert registered(programme("1", "1"), [], None) is None, "no δ for composing"


def test_that_as_many_entries_as_possible_are_taken_as_items() -> None:
    """Against every assignment, for pairs in which more ε may go with less δ."""
    rng = random.Random(7)
    for _ in range(200):
        items: list[Pair] = [(Decimal(rng.randint(1, 4)), Decimal(rng.randint(0, 3))) for _ in range(rng.randint(1, 4))]
        entries = [spent(str(rng.randint(1, 4)), str(rng.randint(0, 3))) for _ in range(rng.randint(1, 4))]
        outside = besides(items, entries)
        best = min(
            sum(entry.epsilon for place, entry in enumerate(entries) if place not in taken)
            for taken in _assignments(items, entries)
        )
        assert sum(entry.epsilon for entry in outside) == best


def _assignments(items: list[Pair], entries: list[Entry]) -> list[set[int]]:
    """The sets of entries that some one-to-one choice of items covers."""
    places = range(len(entries))
    return [
        set(chosen)
        for size in range(min(len(items), len(entries)) + 1)
        for chosen in itertools.combinations(places, size)
        if any(
            all(
                entries[e].epsilon <= items[i][0] and entries[e].delta <= items[i][1]
                for e, i in zip(chosen, order, strict=True)
            )
            for order in itertools.permutations(range(len(items)), size)
        )
    ]  # fmt: skip


def test_that_items_are_stored_exactly() -> None:
    items = programme("0.1", "1E-30").items
    assert items_from(items_text(items)) == items
    assert programme("0.05", "0.2", "0.2").words() == "1 × ε 0.05, 2 × ε 0.2"
