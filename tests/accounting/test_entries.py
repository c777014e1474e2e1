"""A claim enters the ledger part by part, and never for less than it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.accounting.coverage import PERSON
from workbench.accounting.entries import entries_of
from workbench.accounting.implied import read_under
from workbench.accounting.ledger import together, total_under, totals
from workbench.accounting.limits import Limit, Limits
from workbench.accounting.totals import Rule, Spending, in_sequence
from workbench.accounting.what_if import what_if
from workbench.core.claims import READ_AS, Claim, ClaimPart, Coverage, Definition, answer_of

EMPLOYERS = (Definition.STRONG, Definition.WEAK, Definition.NODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An entry as a ledger may hold it."""

    run_id: int
    part: str
    epsilon: Decimal
    definition: Definition
    formal: bool
    delta: Decimal = Decimal(0)
    alpha: Decimal | None = None


def together_under(target: Definition, entries: Sequence[Spending]) -> Decimal:
    return in_sequence(read_under(target, entries)).epsilon


def claim(*parts: ClaimPart, epsilon: str = "2", delta: str = "0") -> Claim:
    return Claim(
        definition=Definition.EDGE, unit="one person", epsilon=Decimal(epsilon), delta=Decimal(delta),
        sentence="A promise.", parts=parts, group_size=3, alpha=None,
    )  # fmt: skip


def part(name: str, epsilon: str, **more: object) -> ClaimPart:
    return ClaimPart(name=name, epsilon=Decimal(epsilon), **more)  # type: ignore[arg-type]


def test_that_a_claim_without_parts_is_one_entry() -> None:
    (entry,) = entries_of(claim())
    assert (entry.definition, entry.unit, entry.epsilon, entry.group_size, entry.part) == (
        Definition.EDGE, "one person", Decimal(2), 3, "",
    )  # fmt: skip


def test_that_each_part_is_an_entry_of_its_own_and_counts_as_conditional_where_it_is_not_formal() -> None:
    own, local = part("counts", "2"), part("answers", "5", definition=Definition.LOCAL, unit="one answer", formal=False)
    counts, answers = entries_of(claim(own, local))
    assert (counts.part, counts.definition, counts.unit, counts.formal) == (
        "counts",
        Definition.EDGE,
        "one person",
        True,
    )
    assert (answers.part, answers.definition, answers.unit) == ("answers", Definition.CONDITIONAL, "one answer")
    assert not answers.formal
    assert {total.definition: total.epsilon for total in totals(entries_of(claim(own, local)))} == {
        Definition.EDGE: Decimal(2),
        Definition.CONDITIONAL: Decimal(5),
    }


def test_that_a_whole_proved_to_be_less_than_its_parts_is_entered_whole() -> None:
    (entry,) = entries_of(claim(part("a", "1.5"), part("b", "1.5")))
    assert (entry.part, entry.epsilon) == ("", Decimal(2))


def test_that_a_failure_chance_of_the_whole_is_entered_too() -> None:
    """δ by advanced composition is in no part: entering the parts alone would lose it."""
    made = claim(part("a", "1"), part("b", "1", delta=Decimal("1e-6")), delta="1e-6")
    assert sum(entry.delta for entry in entries_of(made)) == Decimal("1e-6")


def test_that_parts_on_units_shown_apart_cost_the_dearest_only() -> None:
    apart = [
        part(f"sector {name}", epsilon, coverage=Coverage(attribute="sector", values=(name,), fixed_for=(PERSON,)))
        for name, epsilon in (("A", "2"), ("B", "1.5"))
    ]
    total = total_under(Definition.EDGE, entries_of(claim(*apart)))
    assert total.epsilon == Decimal("3.5")
    assert (total.tight.epsilon, total.tight.rule) == (Decimal(2), Rule.PARALLEL)
    unproved = [replace(each, coverage=replace(each.coverage, fixed_for=())) for each in apart]  # type: ignore[type-var]
    assert total_under(Definition.EDGE, entries_of(claim(*unproved))).tight.epsilon == Decimal("3.5")


numbers = st.decimals(min_value=0, max_value=9, places=3)


@given(st.lists(st.tuples(numbers, st.sampled_from([None, Definition.EDGE, Definition.LOCAL])), max_size=5), numbers)
def test_that_the_ledger_never_counts_less_than_the_claim(
    made: list[tuple[Decimal, Definition | None]], less: Decimal
) -> None:
    parts = tuple(ClaimPart(name=str(i), epsilon=epsilon, definition=kind) for i, (epsilon, kind) in enumerate(made))
    own = sum((each.epsilon for each in parts if each.definition is not Definition.LOCAL), Decimal(0))
    whole = max(own - less, Decimal(0)) if parts else less
    entered = entries_of(claim(*parts, epsilon=str(whole)))
    assert total_under(Definition.EDGE, entered).epsilon >= whole
    local = sum((each.epsilon for each in parts if each.definition is Definition.LOCAL), Decimal(0))
    assert total_under(Definition.LOCAL, entered).epsilon == local


def test_that_the_caps_of_every_definition_are_looked_at() -> None:
    made = claim(part("counts", "2"), part("answers", "5", definition=Definition.LOCAL))
    caps = {Definition.EDGE: Limit(epsilon=Decimal(3)), Definition.LOCAL: Limit(epsilon=Decimal(4))}
    answer = what_if((), entries_of(made), Limits(by_definition=caps))
    assert not answer.fits
    assert answer.sentence.startswith("Under local differential privacy: ε would exceed the cap of 4 by 1.")
    assert answer.unbounded == (Definition.EDGE, Definition.LOCAL)
    assert (answer.before, answer.after) == (Decimal(0), Decimal(2)), "the numbers are those of the first part"
    roomy = what_if((), entries_of(made), Decimal(10))
    assert roomy.fits
    assert roomy.sentence.count("would leave") == 3, "each part's own, and the one that both imply"


@pytest.mark.parametrize("kinds", [(Definition.NONE,), (Definition.NONE, Definition.EDGE)])
def test_that_parts_without_a_formal_promise_are_recorded_but_not_counted(kinds: tuple[Definition, ...]) -> None:
    parts = tuple(part(kind.value, "2", definition=kind) for kind in kinds)
    made = replace(claim(), definition=kinds[-1], parts=parts)
    entered = entries_of(made)
    assert len(entered) == len(kinds)
    answer = what_if((), entered, Decimal(1))
    assert answer.fits is (Definition.EDGE not in kinds)


def test_that_two_answers_of_one_draw_are_never_taken_for_one() -> None:
    """Whatever their names: only an entry that says of which answer it is another reading replaces that one."""
    node = f"big{READ_AS}{Definition.NODE.value}"
    own, read = part("big", "1", beside=True), part(node, ".4", definition=Definition.NODE, formal=True, beside=True)

    def edge(*parts: ClaimPart) -> Decimal:
        entries = entries_of(claim(*parts, epsilon="1"))
        return together_under(Definition.EDGE, entries)

    assert edge(own, read) == Decimal(1)  # one answer: 6 · .4 by node, 1 as it stands
    assert edge(replace(own, epsilon=Decimal(3)), read) == Decimal("2.4")
    # two answers of one name: nobody knows whose reading the third is
    twice = Decimal(3) + Decimal(3) + Decimal("2.4")
    for order in permutations((replace(own, epsilon=Decimal(3)), replace(own, epsilon=Decimal(3)), read)):
        assert edge(*order) == twice
    # names that only look like a reading, or another table's answer
    for name, other in ((f"big{READ_AS}2019", f"big{READ_AS}2020"), ("big", "big"), ("big", f"bigger{READ_AS}{node}")):
        assert edge(part(name, "1"), replace(read, name=other)) == Decimal("3.4")
    # what is no formal promise, or may fail, is compared with nothing
    assert edge(own, replace(read, delta=Decimal("1e-9"))) == Decimal("3.4")


def test_that_a_name_may_hold_the_mark_of_a_reading() -> None:
    name = f"income{READ_AS}2019"
    assert [answer_of(each) for each in (name, f"{name}{READ_AS}{Definition.NODE.value}", READ_AS, "")] == [
        name, name, READ_AS, "",
    ]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3),
            st.sampled_from("ab"),
            st.sampled_from([None, *EMPLOYERS]),
            st.integers(1, 9),
            st.booleans(),
        ),
        max_size=8,
    ),
    st.sampled_from([Definition.EDGE, *EMPLOYERS]),
)
def test_that_a_total_is_at_least_that_of_every_answer_at_its_cheapest(
    drawn: list[tuple[int, str, Definition | None, int, bool]], target: Definition
) -> None:
    """A second route: for each draw and answer the cheapest of what its readings imply."""
    entries = [
        Row(
            run_id=run, part=name if under is None else f"{name}{READ_AS}{under.value}", epsilon=Decimal(epsilon),
            definition=under or Definition.EDGE, formal=formal,
        )
        for run, name, under, epsilon, formal in drawn
    ]  # fmt: skip
    cheapest: dict[tuple[int, str], Decimal] = {}
    for row, (run, name, *_) in zip(entries, drawn, strict=True):
        for each in read_under(target, [row]):
            cheapest[run, name] = min(each.epsilon, cheapest.get((run, name), each.epsilon))
    total = together_under(target, entries)
    assert (
        sum(cheapest.values(), Decimal(0))
        <= total
        <= sum((together_under(target, [row]) for row in entries), Decimal(0))
    )


def test_that_a_release_counts_once_before_and_after_its_draw() -> None:
    """Parts of one claim are one release, whatever is asked of them."""
    parts = entries_of(claim(part("a", "1"), part("b", "1", definition=Definition.NODE), epsilon="1"))
    assert (
        total_under(Definition.EDGE, (*parts, *entries_of(claim(part("a", "1"), part("c", "2"), epsilon="3")))).releases
        == 2
    )
    (edge, node) = together(parts)
    assert edge.total is not None
    assert edge.total.releases == node.silent == 1
