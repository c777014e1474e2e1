"""What has been spent on a data set, per definition, and what one more release would leave.

Pure functions on anything that states a definition and its numbers: a claim, or an entry of a project's ledger.
Claims under different definitions are never added up: each is held against the cap by itself. A claim without a
formal definition has no loss that could be added; it is counted apart and said in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from workbench.accounting.composition import exact_difference, sequential
from workbench.core.claims import Definition
from workbench.core.quantities import show

SEQUENTIAL = "sequential"


class Spending(Protocol):
    """What claims and ledger entries have in common."""

    @property
    def definition(self) -> Definition: ...
    @property
    def epsilon(self) -> Decimal: ...
    @property
    def delta(self) -> Decimal: ...
    @property
    def alpha(self) -> Decimal | None: ...
    @property
    def formal(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Everything spent under one definition, by sequential composition.

    `alpha` is the smallest of the entries': a guarantee for a wide size window holds for every narrower one, so the
    sum of the ε holds at the narrowest. `formal` only where every entry is.
    """

    definition: Definition
    epsilon: Decimal
    delta: Decimal
    alpha: Decimal | None
    formal: bool
    releases: int

    def sentence(self) -> str:
        parts = [f"ε = {exact(self.epsilon)}"]
        if self.delta:
            parts.append(f"δ = {exact(self.delta)}")
        if self.alpha is not None:
            parts.append(f"α = {exact(self.alpha)}")
        times = "1 release" if self.releases == 1 else f"{self.releases} releases"
        return f"{times} under {self.definition.value}: {', '.join(parts)} in sequence."


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """One definition's total against the cap; `remaining` is None where there is no cap, negative once overspent."""

    total: Total
    cap: Decimal | None
    remaining: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What approving one more claim would do: whether it fits under the cap, what it leaves, and both in words."""

    fits: bool
    before: Decimal
    after: Decimal
    remaining: Decimal | None
    sentence: str


def counted(entry: Spending) -> bool:
    """True where the definition says what a loss is, so that it can be added up at all."""
    return entry.definition is not Definition.NONE


def totals(entries: Sequence[Spending]) -> tuple[Total, ...]:
    """One total per definition, in the order of first use. Exact: decimals are added, never floats."""
    definitions = dict.fromkeys(entry.definition for entry in entries if counted(entry))
    return tuple(_total(definition, entries) for definition in definitions)


def _total(definition: Definition, entries: Sequence[Spending]) -> Total:
    own = [entry for entry in entries if entry.definition is definition]
    windows = [entry.alpha for entry in own if entry.alpha is not None]
    return Total(
        definition=definition,
        epsilon=sequential(entry.epsilon for entry in own),
        delta=min(sequential(entry.delta for entry in own), Decimal(1)),
        alpha=min(windows, default=None),
        formal=all(entry.formal for entry in own),
        releases=len(own),
    )


def total_under(definition: Definition, entries: Sequence[Spending]) -> Total:
    """The total of one definition; zero where nothing was spent under it."""
    return _total(definition, entries)


def balances(entries: Sequence[Spending], cap: Decimal | None) -> tuple[Balance, ...]:
    """Every definition's total against the same cap."""
    return tuple(Balance(total=total, cap=cap, remaining=remaining(total.epsilon, cap)) for total in totals(entries))


def remaining(spent: Decimal, cap: Decimal | None) -> Decimal | None:
    """cap − spent, exactly; None where there is no cap."""
    return None if cap is None else exact_difference(cap, spent)


def uncounted(entries: Sequence[Spending]) -> int:
    """How many entries make no formal promise and so cannot be added to anything."""
    return sum(not counted(entry) for entry in entries)


def what_if(entries: Sequence[Spending], claim: Spending, cap: Decimal | None) -> WhatIf:
    """What would be left after one more release: "this would leave 1.8 of 10"."""
    before = total_under(claim.definition, entries).epsilon
    if not counted(claim):
        sentence = "This release makes no formal promise: the ledger records it but cannot count what it costs."
        return WhatIf(fits=True, before=before, after=before, remaining=None, sentence=sentence)
    after = sequential((before, claim.epsilon))
    left = remaining(after, cap)
    fits = left is None or left >= 0
    return WhatIf(fits=fits, before=before, after=after, remaining=left, sentence=_words(after, left, cap))


def _words(after: Decimal, left: Decimal | None, cap: Decimal | None) -> str:
    if left is None or cap is None:
        return f"ε spent on these data would be {exact(after)}; there is no cap."
    if left < 0:
        over = "without bound" if left.is_infinite() else f"by {exact(left.copy_negate())}"
        return f"ε would exceed the cap of {exact(cap)} {over}."
    return f"This would leave {exact(left)} of {exact(cap)}."


def exact(value: Decimal) -> str:
    """A decimal as a person would type it, every digit kept: 10.00 -> '10', 1.80 -> '1.8', 1E-9 -> '1e-9'."""
    if value.is_infinite():
        return show(value)
    if value and value.adjusted() < -6:
        digits, exponent = f"{value:e}".split("e")
        return f"{_without_padding(digits)}e{exponent}"
    return _without_padding(f"{value:f}")


def _without_padding(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
