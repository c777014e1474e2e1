"""Parallel composition only with a witness, implied guarantees only where every neighbour is reached, caps on both."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from tests.accounting.test_ledger import claim
from workbench.accounting.coverage import ESTABLISHMENT, PERSON, coverage_from, coverage_text
from workbench.accounting.entries import entries_of
from workbench.accounting.implied import edge_to_strong, read_under, strong_steps, weak_to_strong, wider_steps
from workbench.accounting.ledger import balances, together, together_words, total_under
from workbench.accounting.limits import Limit, Limits
from workbench.accounting.totals import Rule, tightest
from workbench.accounting.what_if import what_if
from workbench.core.claims import Claim, Coverage, Definition, ExactTable
from workbench.core.quantities import show, show_left


@dataclass(frozen=True, kw_only=True)
class Entry:
    epsilon: Decimal
    coverage: Coverage | None = None
    definition: Definition = Definition.STRONG
    delta: Decimal = Decimal(0)
    alpha: Decimal | None = Decimal("0.1")
    formal: bool = True
    group_size: int = 1


def only(*places: str, units: tuple[str, ...] = (ESTABLISHMENT,)) -> Coverage:
    return Coverage(attribute="place", values=places, fixed_for=units)


def test_that_releases_shown_to_share_no_establishment_cost_the_larger_loss() -> None:
    entries = [Entry(epsilon=Decimal(2), coverage=only("A")), Entry(epsilon=Decimal(3), coverage=only("B", "C"))]
    cost = tightest(entries)
    assert (cost.rule, cost.epsilon) == (Rule.PARALLEL, Decimal(3))
    assert "place" in cost.words
    total = total_under(Definition.STRONG, entries)
    assert total.epsilon == 5, "the sum in sequence is still told"
    assert total.tight.epsilon == 3


def test_that_a_unit_pays_for_every_release_that_covers_it() -> None:
    """Brute force over places: what a firm in each place has been part of."""
    spent = {("A",): "2", ("B",): "3", ("A", "B"): "0.5", ("C",): "3.1"}
    entries = [Entry(epsilon=Decimal(e), coverage=only(*places)) for places, e in spent.items()]
    entries.append(Entry(epsilon=Decimal("0.25")))
    firm = {place: sum(Decimal(e) for places, e in spent.items() if place in places) for place in "ABCD"}
    assert tightest(entries).epsilon == max(firm.values()) + Decimal("0.25") == Decimal("3.75")


@pytest.mark.parametrize(
    "other",
    [
        None,
        only("A", "B"),
        Coverage(attribute="sector", values=("B",), fixed_for=(ESTABLISHMENT,)),
        only("B", units=(PERSON,)),
        only("B", units=()),
        Coverage(attribute="place", values=(), fixed_for=(ESTABLISHMENT,)),
    ],
)
def test_that_without_a_witness_losses_are_added(other: Coverage | None) -> None:
    entries = [Entry(epsilon=Decimal(2), coverage=only("A")), Entry(epsilon=Decimal(3), coverage=other)]
    assert tightest(entries).epsilon == 5


def test_that_persons_are_apart_only_where_nobody_holds_two_jobs() -> None:
    def edge(*units: str) -> list[Entry]:
        return [
            Entry(epsilon=Decimal(1), coverage=only(place, units=units), definition=Definition.EDGE) for place in "AB"
        ]

    assert tightest(edge(ESTABLISHMENT)).epsilon == 2
    assert tightest(edge(ESTABLISHMENT, PERSON)).epsilon == 1


@dataclass(frozen=True, kw_only=True)
class Drawn(Entry):
    run_id: int


def test_that_a_person_kept_in_one_place_by_one_draw_may_be_in_another_by_the_next() -> None:
    """Bounding chooses a person's place from the rows and the rule of one draw; a workplace is where it is."""

    def drawn(definition: Definition, unit: str, *runs: int) -> list[Drawn]:
        return [
            Drawn(epsilon=Decimal(1), coverage=only(place, units=(unit,)), definition=definition, run_id=run)
            for place, run in zip("AB", runs, strict=True)
        ]

    for definition in (Definition.CENTRAL, Definition.HISTORY):
        assert tightest(drawn(definition, PERSON, 1, 1)).epsilon == 1, "parts of one draw"
        assert tightest(drawn(definition, PERSON, 1, 2)).epsilon == 2, "the same people, perhaps, in two draws"
    assert tightest(drawn(Definition.STRONG, ESTABLISHMENT, 1, 2)).epsilon == 1
    # two draws in two parts each: somebody dear in the first and somebody dear in the second may be one person
    parts = [
        Drawn(epsilon=Decimal(e), coverage=only(place, units=(PERSON,)), definition=Definition.CENTRAL, run_id=run)
        for place, run, e in (("A", 1, 2), ("B", 1, 1), ("A", 2, 1), ("B", 2, 2))
    ]
    assert tightest(parts).epsilon >= 4
    local = [Entry(epsilon=Decimal(1), coverage=only(p, units=(ESTABLISHMENT, PERSON)), definition=Definition.LOCAL)
             for p in "AB"]  # fmt: skip
    assert tightest(local).epsilon == 2, "its unit is not known well enough"


def test_that_a_witness_is_stored_and_read_again() -> None:
    witness = only("A", "é")
    assert coverage_from(coverage_text(witness)) == witness
    assert coverage_from("") is None


def totals_of(entries: list[Entry]) -> dict[Definition, Decimal | None]:
    return {each.definition: each.total.epsilon if each.total else None for each in together(entries)}


def test_that_an_employer_guarantee_covers_one_job_and_an_edge_guarantee_no_employer() -> None:
    strong, weak = Entry(epsilon=Decimal(1)), Entry(epsilon=Decimal(2), definition=Definition.WEAK)
    edge = Entry(epsilon=Decimal(4), definition=Definition.EDGE, alpha=None)
    node = Entry(epsilon=Decimal("0.5"), definition=Definition.NODE, alpha=None)
    assert totals_of([strong, weak, edge, node]) == {
        Definition.STRONG: None, Definition.WEAK: None, Definition.NODE: None,
        Definition.EDGE: 1 + 2 + 4 + 2 * Decimal("0.5"),
    }  # fmt: skip
    assert totals_of([strong, node])[Definition.STRONG] == 1 + 1
    (read,) = (each for each in together([strong, weak]) if each.definition is Definition.WEAK)
    assert read.total is not None and (read.total.epsilon, read.total.alpha) == (3, Decimal("0.1"))
    assert together([edge]) == ()


def test_that_one_worker_and_one_employer_release_leave_no_bound_for_employers() -> None:
    """Laplace 1 with Smooth Gamma 2: edge 3, and nothing for the sizes of employers."""
    laplace = Entry(epsilon=Decimal(1), definition=Definition.EDGE, alpha=None)
    found = together([laplace, Entry(epsilon=Decimal(2))])
    assert {each.definition: each.total.epsilon if each.total else None for each in found} == {
        Definition.EDGE: Decimal(3),
        Definition.STRONG: None,
    }
    (strong,) = (each for each in found if each.definition is Definition.STRONG)
    assert strong.sentence() == (
        "No bound under strong (α, ε) employer-employee privacy: 1 release under edge differential privacy says "
        "nothing about it."
    )


def test_that_flows_leave_no_bound_but_for_homes() -> None:
    """Their sizes are true: summed by workplace they are every establishment's size."""
    flows = Entry(epsilon=Decimal(5), delta=Decimal("1e-6"), definition=Definition.RESIDENCE, alpha=None)
    entries = [Entry(epsilon=Decimal(2)), Entry(epsilon=Decimal(1), definition=Definition.EDGE, alpha=None), flows]
    assert totals_of(entries) == {
        Definition.STRONG: None,
        Definition.EDGE: None,
        Definition.RESIDENCE: 2 * 2 + 2 * 1 + 5,
    }


@pytest.mark.parametrize("definition", [each for each in Definition if each is not Definition.CONDITIONAL])
def test_that_a_conditional_claim_leaves_no_bound_at_all(definition: Definition) -> None:
    entries = [
        Entry(epsilon=Decimal(1), definition=definition),
        Entry(epsilon=Decimal(1), definition=Definition.CONDITIONAL),
    ]
    assert not any(each.total for each in together(entries))


def test_that_losing_a_bound_is_said_before_the_approval_and_refused_where_the_policy_asks() -> None:
    spent = [Entry(epsilon=Decimal(2))]
    adds = Entry(epsilon=Decimal(1), definition=Definition.EDGE, alpha=None)
    asked = what_if(spent, adds, Limits(others=Limit(epsilon=Decimal(10))))
    assert asked.fits
    assert asked.unbounded == (Definition.STRONG,)
    assert "would then have no bound under strong" in asked.sentence
    assert not what_if(spent, adds, Limits(others=Limit(epsilon=Decimal(10)), needs_bound=True)).fits
    assert what_if([adds], adds, Limits(needs_bound=True)).fits


def test_that_an_employer_guarantee_costs_a_worker_once_for_every_job() -> None:
    """Worker-level entries for workers with up to three jobs: what is added to them must hold for those workers too."""
    entries = [
        Entry(epsilon=Decimal(1), definition=Definition.EDGE, alpha=None, group_size=3),
        Entry(epsilon=Decimal(3)),
        Entry(epsilon=Decimal("0.5"), definition=Definition.NODE, alpha=None),
    ]
    assert totals_of(entries)[Definition.EDGE] == 1 + 3 * 3 + 2 * 3 * Decimal("0.5")
    (home,) = (read.epsilon for read in read_under(Definition.RESIDENCE, entries[1:2]))
    assert home == 2 * 3, "out and in again"
    at_home = read_under(Definition.RESIDENCE, entries)
    assert [read.epsilon for read in at_home] == [2, 2 * 3 * 3, 2 * 3 * Decimal("0.5")]
    assert [read.epsilon for read in read_under(Definition.STRONG, entries)] == [3, 1]


def test_that_steps_from_one_definition_to_another_are_the_known_ones(golden: Any) -> None:
    for case in golden("implied_steps")["cases"]:
        given, expected = case["inputs"], case["expected"]
        if given["type"] == "node_to_strong_weak_edge":
            _check_node(given, expected)
            continue
        assert _known_steps(given) == expected.get("steps", expected.get("steps_at_most")), given


def _check_node(given: dict[str, Any], expected: dict[str, Any]) -> None:
    for target in (Definition.STRONG, Definition.WEAK, Definition.EDGE):
        (read,) = read_under(target, [claim(str(given["eps"]), Definition.NODE, delta=str(given["delta"]))])
        assert (read.epsilon, float(read.delta)) == (expected["eps"], pytest.approx(expected["delta"]))


def _known_steps(given: dict[str, Any]) -> int:
    alpha = Decimal(str(given["alpha"]))
    if given["type"] == "strong_to_node":
        return strong_steps(alpha, given["size_cap"])
    if given["type"] == "strong_to_wider_strong":
        return wider_steps(alpha, Decimal(str(given["wider_alpha"])))
    if given["type"] == "edge_to_strong":
        return edge_to_strong(alpha, given["size_cap"])
    return weak_to_strong(alpha, given["size_cap"], given["worker_cells"])


@pytest.mark.parametrize(
    ("cap", "edge", "weak"), [(0, 1, 8), (1, 1, 8), (9, 1, 8), (10, 1, 8), (11, 1, 8), (20, 2, 16)]
)
def test_that_small_size_caps_never_make_a_step_free(cap: int, edge: int, weak: int) -> None:
    alpha = Decimal("0.1")
    assert edge_to_strong(alpha, cap) == edge
    assert weak_to_strong(alpha, cap, 8) == weak


def test_that_two_node_steps_grow_delta_too() -> None:
    (read,) = read_under(Definition.EDGE, [claim("2", Definition.NODE, delta="1e-9")])
    assert (read.epsilon, float(read.delta)) == (Decimal(4), pytest.approx(8.38905609893065e-09))


def test_that_delta_has_a_cap_of_its_own() -> None:
    limits = Limits(others=Limit(epsilon=Decimal(10), delta=Decimal("1e-5")))
    spent = [claim("1", delta="8e-6")]
    over = what_if(spent, claim("1", delta="3e-6"), limits)
    assert not over.fits
    assert over.sentence == "This would leave ε 8 of 10. δ would exceed the cap of 10⁻⁵ by 10⁻⁶."
    fits = what_if(spent, claim("1", delta="2e-6"), limits)
    assert fits.fits
    assert fits.remaining_delta == 0
    assert "δ would be 10⁻⁵ of 10⁻⁵." in fits.sentence
    (balance,) = balances(spent, limits)
    assert balance.remaining_delta == Decimal("2e-6")


def test_that_a_ledger_is_never_measured_by_losses_composed_as_if_fixed_beforehand() -> None:
    spent = [claim("0.1")] * 59
    caps = Limit(epsilon=Decimal(5), delta=Decimal("1e-6"), composing=Decimal("1e-6"))
    careless = Limits(others=Limit(epsilon=Decimal(5), delta=Decimal(1)), tightest=True)
    assert not what_if(spent, claim("0.1"), careless).fits, "a wide cap on δ is no leave to trade it for ε"
    assert not what_if(spent, claim("0.1"), Limits(others=caps)).fits
    assert tightest([*spent, claim("0.1")], Decimal("1e-6")).epsilon < 5, "which would fit"
    assert not what_if(spent, claim("0.1"), Limits(others=caps, tightest=True)).fits
    assert what_if(spent, claim("0.1"), Limits(others=caps, tightest=True, filtered=True)).fits


def test_that_losses_are_counted_across_definitions_unless_a_policy_counts_them_apart() -> None:
    caps = {Definition.EDGE: Limit(epsilon=Decimal(5)), Definition.STRONG: Limit(epsilon=Decimal(9))}
    spent = [claim("4")]
    strong = claim("2", Definition.STRONG, alpha="0.1")
    assert what_if(spent, strong, Limits(by_definition=caps, implied=False)).fits
    counted = what_if(spent, strong, Limits(by_definition=caps))
    assert not counted.fits
    assert "exceed the cap of 5 by 1 (what it implies under edge differential privacy)" in counted.sentence
    later = what_if([strong], claim("4"), Limits(by_definition=caps))
    assert not later.fits, "the order of approvals does not matter"


def test_that_what_is_shown_of_a_loss_is_never_too_small_and_of_a_rest_never_too_large() -> None:
    assert show(Decimal("2.00001")) == "2.001"
    assert show(Decimal("0.1")) == "0.1"
    assert show(Decimal("1.00001E-9")) == "1.001 × 10⁻⁹"
    assert show(Decimal("1234.2")) == "1,235"
    assert show_left(Decimal("1.99999")) == "1.999"
    assert show_left(Decimal("0.5")) == "0.5"
    assert show(Decimal("Infinity")) == "∞"


SIZES = ExactTable(
    what="The true size of every population", keys=("place",), value="jobs", leaves=(Definition.RESIDENCE,)
)


def flows(epsilon: str = "5") -> Claim:
    return Claim(
        definition=Definition.RESIDENCE, unit="one home", epsilon=Decimal(epsilon), sentence="Homes.", exact=(SIZES,)
    )


def test_that_flows_with_true_sizes_leave_no_bound_but_for_residence() -> None:
    found = {each.definition: each.total for each in together([flows()])}
    assert found.pop(Definition.RESIDENCE) is not None
    assert set(found) == {
        Definition.EDGE, Definition.STRONG, Definition.WEAK, Definition.NODE, Definition.HISTORY, Definition.CENTRAL,
        Definition.REPLACED,
    }  # fmt: skip
    assert not any(found.values())
    words = together_words(together([flows()]))
    assert words[-1].startswith("No bound under edge differential privacy; strong (α, ε)")
    assert words[-1].endswith(": The true size of every population is published exactly.")


@pytest.mark.parametrize("needs_bound", [False, True])
def test_that_exact_sizes_end_the_claim_of_an_earlier_release_and_the_policy_says_what_follows(
    needs_bound: bool,
) -> None:
    gamma = claim("2", Definition.STRONG, alpha="0.1")
    answer = what_if([gamma], flows(), Limits(needs_bound=needs_bound))
    assert answer.unbounded == (Definition.STRONG,)
    assert "no bound under strong" in answer.sentence
    assert answer.fits is not needs_bound
    (entry,) = entries_of(flows())
    assert entry.exact == (SIZES,)


@pytest.mark.parametrize(
    ("cap", "edge", "weak"), [(0, 1, 8), (1, 1, 8), (9, 1, 8), (10, 1, 8), (11, 1, 8), (20, 2, 16)]
)
def test_that_a_size_cap_below_one_window_still_counts_one_worker(cap: int, edge: int, weak: int) -> None:
    assert edge_to_strong(Decimal("0.1"), cap) == edge
    assert weak_to_strong(Decimal("0.1"), cap, 8) == weak


def test_that_a_local_claim_says_nothing_of_presence_nor_of_histories() -> None:
    """H records more or fewer are seen; only values that are replaced are covered."""
    local = Entry(epsilon=Decimal(1), definition=Definition.LOCAL, alpha=None)
    for target in (Definition.HISTORY, Definition.EDGE, Definition.CENTRAL, Definition.STRONG, Definition.NODE):
        assert read_under(target, [local]) == ()
    (replaced,) = read_under(Definition.REPLACED, [local])
    assert replaced.epsilon == 1


def test_that_a_person_with_three_jobs_pays_three_steps_and_six_for_another_home() -> None:
    strong = Entry(epsilon=Decimal(1))
    edge = Entry(epsilon=Decimal(4), definition=Definition.EDGE, alpha=None, group_size=3)
    read = {target: read_under(target, [strong, edge])[0].epsilon for target in (Definition.EDGE, Definition.RESIDENCE)}
    assert read == {Definition.EDGE: 3, Definition.RESIDENCE: 6}
