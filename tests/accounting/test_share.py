"""The ledger's default rule: the plain sum, or a filter that holds however ε follows from what was published."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from workbench.accounting.coverage import ESTABLISHMENT
from workbench.accounting.entries import Entry, entries_of
from workbench.accounting.implied import read_under
from workbench.accounting.limits import Limit, Limits
from workbench.accounting.share import share_of
from workbench.accounting.what_if import what_if
from workbench.core.claims import Claim, Coverage, Definition

CAP = Limit(epsilon=Decimal(10), delta=Decimal("1e-6"), composing=Decimal("1e-6"))
RULES = Limits(others=CAP, filtered=True)


def spent(epsilon: str, **given: object) -> Entry:
    made = Entry(definition=Definition.EDGE, unit="one person", epsilon=Decimal(epsilon))
    return replace(made, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("epsilon", "most"), [("0.1", 313), ("0.25", 54), ("0.5", 20), ("1", 10)])
def test_that_as_many_releases_fit_as_the_two_rules_together_allow(epsilon: str, most: int) -> None:
    assert what_if([spent(epsilon)] * (most - 1), spent(epsilon), RULES).fits
    assert not what_if([spent(epsilon)] * most, spent(epsilon), RULES).fits


@pytest.mark.parametrize("rest", [["6.37564"], ["0.2"] * 80])
def test_that_neither_history_of_the_adaptive_counterexample_is_allowed(rest: list[str]) -> None:
    """Each is within the cap if it alone were fixed beforehand; chosen after looking, true δ is .00144 at .001."""
    caps = Limit(epsilon=Decimal("6.423684"), delta=Decimal("0.001"), composing=Decimal("0.001"))
    history = [spent(each) for each in ("0.05", *rest)]
    assert not what_if(history[:-1], history[-1], Limits(others=caps, filtered=True, tightest=True)).fits


def test_that_the_order_is_that_of_the_cap_and_the_promise_is_at_the_cap() -> None:
    share = share_of([spent("0.1")] * 200, CAP)
    assert share is not None
    assert (share.rule.order, round(float(share.rule.budget), 3)) == (Decimal("3.85"), 5.926)
    assert share.words() == "64 % (Rényi order 3.85: 3.78 of 5.93)"
    assert share.promise() == (
        "Everything published under this policy, now and later, keeps ε ≤ 10, δ ≤ 10⁻⁶, besides at most 10⁻⁶ for the δ "
        "of single releases."
    )


def test_that_the_filter_is_told_where_the_sum_is_above_the_cap() -> None:
    answer = what_if([spent("0.1")] * 199, spent("0.1"), RULES)
    assert answer.fits
    assert "The plain sum would be ε 20" in answer.sentence
    assert "64 %" in answer.sentence


def test_that_a_release_in_zcdp_enters_with_its_rho() -> None:
    claim = Claim(definition=Definition.EDGE, unit="one person", epsilon=Decimal(3), delta=Decimal("1e-6"),
                  sentence="A promise.", rho=Decimal("0.1"))  # fmt: skip
    (entry,) = entries_of(claim)
    share = share_of([entry], CAP)
    assert share is not None
    assert share.used == Decimal("3.85") * Decimal("0.1")
    assert share.single_delta == 0, "its own curve has no δ"


def test_that_the_delta_of_single_releases_is_capped_apart() -> None:
    share = share_of([spent("0.1", delta=Decimal("1e-7"))], CAP)
    assert share is not None and not share.admitted
    wider = replace(CAP, delta=Decimal("1.1e-6"))
    assert (share := share_of([spent("0.1", delta=Decimal("1e-7"))], wider)) is not None and share.admitted


def test_that_units_in_different_values_of_a_public_attribute_have_filters_of_their_own() -> None:
    def at(place: str) -> Entry:
        witness = Coverage(attribute="place", values=(place,), fixed_for=(ESTABLISHMENT,))
        return spent("0.1", definition=Definition.STRONG, coverage=witness)

    together, alone = share_of([at("A"), at("B"), at("A")], CAP), share_of([at("A"), at("A")], CAP)
    assert together is not None and alone is not None
    assert together.used == alone.used


@pytest.mark.parametrize("definition", [Definition.CONDITIONAL, Definition.RESIDENCE, Definition.PROBABILISTIC])
def test_that_definitions_that_are_no_true_pairs_are_only_added(definition: Definition) -> None:
    assert share_of([spent("0.1", definition=definition)], CAP) is None


def test_that_a_mover_between_two_atoms_is_told_by_group_privacy() -> None:
    """313 counts n_A − n_B at ε .1 fill the cap of each atom. The mover's true δ at ε 20 is 7.8e-6, not 2e-6."""

    def reads(*places: str) -> Entry:
        witness = Coverage(attribute="place", values=places, fixed_for=(ESTABLISHMENT,))
        return spent("0.1", definition=Definition.STRONG, coverage=witness)

    share = share_of([*[reads("A", "B")] * 312, reads("A"), reads("B")], CAP)
    assert share is not None and share.admitted
    assert share.attribute == "place"
    assert "ε ≤ 20, δ ≤ 0.02203" in share.movers(), "δ(1 + e^10), not 2e-6"
    assert mover_delta(313, Decimal(20)) > Decimal("7.7e-6")


def mover_delta(releases: int, epsilon: Decimal) -> Decimal:
    """The true δ of somebody who moves: each release shifts a discrete Laplace of ε .1 by 2, exactly convolved."""
    odds = math.exp(-0.1)
    size = (1 - odds) / (1 + odds)
    # losses of a shift by 2: ±0.2 in the tails, 0 in the middle; under the first law
    law = {2: 1 / (1 + odds), -2: odds**2 / (1 + odds), 0: size * odds}
    total = np.array([1.0])
    step = np.array([law[-2], law[0], law[2]])
    for _ in range(releases):
        total = np.convolve(total, step)
    losses = 0.2 * np.arange(-releases, releases + 1)
    gain = np.maximum(0.0, 1.0 - np.exp(float(epsilon) - losses))
    return Decimal(float((total * gain).sum()))


def test_that_losses_are_converted_before_the_order_is_applied() -> None:
    """Three jobs at ε .1, order 3.85: D(.3) = .150, not three times D(.1) = .057."""
    strong = spent("0.1", definition=Definition.STRONG)
    edge = spent("0.01", group_size=3)
    share = share_of(read_under(Definition.EDGE, [strong, edge]), CAP)
    alone = share_of([edge], CAP)
    assert share is not None and alone is not None
    assert round(float(share.used - alone.used), 3) == 0.150


def test_that_a_release_in_zcdp_keeps_its_curve_under_another_definition() -> None:
    node = spent("3", definition=Definition.NODE, rho=Decimal("0.1"), delta=Decimal("1e-7"))
    (read,) = read_under(Definition.STRONG, [node])
    assert (read.epsilon, read.rho) == (6, Decimal("0.4")), "two steps: ρ times four"
    (own,) = read_under(Definition.NODE, [node])
    assert own.rho == Decimal("0.1")
