"""What has been spent on a data set, per definition, and what one more release would leave.

Pure functions on anything that states a definition and its numbers: a claim, or an entry of a project's ledger.
Claims under different definitions are never added up: each is held against the cap by itself. Where one definition
implies another (`implied`), all entries are read under it and added (`together`), which a policy may hold against its
cap. A claim without a formal definition has no loss that could be added; it is counted apart and said in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from workbench.accounting.composition import exact_difference
from workbench.accounting.implied import read_under, silent_under
from workbench.accounting.limits import Limits
from workbench.accounting.share import Share, share_of
from workbench.accounting.totals import Cost, Rule, Spending, in_sequence, tightest
from workbench.core.claims import Definition
from workbench.core.quantities import exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Everything spent under one definition: in sequence, and by the tightest rule that can be shown.

    `alpha` is the smallest of the entries': a guarantee for a wide size window holds for every narrower one, so the
    sum of the ε holds at the narrowest. `formal` only where every entry is.
    """

    definition: Definition
    epsilon: Decimal
    delta: Decimal
    alpha: Decimal | None
    formal: bool
    releases: int
    tight: Cost

    def sentence(self) -> str:
        parts = [f"ε = {exact(self.epsilon)}"]
        if self.delta:
            parts.append(f"δ = {exact(self.delta)}")
        if self.alpha is not None:
            parts.append(f"α = {exact(self.alpha)}")
        times = "1 release" if self.releases == 1 else f"{self.releases} releases"
        return f"{times} under {self.definition.value}: {', '.join(parts)} in sequence.{self._tighter()}"

    def _tighter(self) -> str:
        if self.tight.rule is Rule.SEQUENTIAL:
            return ""
        failure = f" at δ = {exact(self.tight.delta)}" if self.tight.delta else ""
        return f" Tighter: ε = {exact(self.tight.epsilon)}{failure} ({self.tight.rule.value}). {self.tight.words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """One definition's total against the cap; `remaining` is None where there is no cap, negative once overspent."""

    total: Total
    cap: Decimal | None
    remaining: Decimal | None
    delta_cap: Decimal | None = None
    remaining_delta: Decimal | None = None
    share: Share | None = None  # what is used of the budget, where the policy's filter counts


def counted(entry: Spending) -> bool:
    """True where the definition says what a loss is, so that it can be added up at all."""
    return entry.definition is not Definition.NONE


def totals(entries: Sequence[Spending]) -> tuple[Total, ...]:
    """One total per definition, in the order of first use. Exact: decimals are added, never floats."""
    definitions = dict.fromkeys(entry.definition for entry in entries if counted(entry))
    return tuple(total_under(definition, entries) for definition in definitions)


def total_under(definition: Definition, entries: Sequence[Spending]) -> Total:
    """The total of one definition; zero where nothing was spent under it."""
    return _total(definition, [entry for entry in entries if entry.definition is definition])


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What all entries promise together under one definition; no total where `silent` entries say nothing under it."""

    definition: Definition
    total: Total | None
    silent: int = 0
    because: tuple[Definition, ...] = ()

    def sentence(self) -> str:
        if self.total is not None:
            return self.total.sentence()
        under = ", ".join(each.value for each in self.because)
        who = f"1 release under {under} says" if self.silent == 1 else f"{self.silent} releases under {under} say"
        return f"No bound under {self.definition.value}: {who} nothing about it."


def together(entries: Sequence[Spending]) -> tuple[Together, ...]:
    """For every definition in use: each entry read under it, then added. One that says nothing leaves no bound.

    Nothing where all entries are under one definition: then it is that definition's own total.
    """
    used = tuple(dict.fromkeys(entry.definition for entry in entries))
    if len(used) < 2:
        return ()
    return tuple(_together(target, entries) for target in used if holds_something(target))


def bounded(definition: Definition, entries: Sequence[Spending]) -> bool:
    """Whether all entries together promise anything under a definition."""
    return not silent_under(definition, entries)


def holds_something(definition: Definition) -> bool:
    return definition not in (Definition.NONE, Definition.CONDITIONAL)


def _together(target: Definition, entries: Sequence[Spending]) -> Together:
    silent = silent_under(target, entries)
    if silent:
        because = tuple(dict.fromkeys(entry.definition for entry in silent))
        return Together(definition=target, total=None, silent=_draws(silent), because=because)
    return Together(definition=target, total=_total(target, read_under(target, entries)))


def _total(definition: Definition, own: Sequence[Spending]) -> Total:
    windows = [entry.alpha for entry in own if entry.alpha is not None]
    plain = in_sequence(own)
    return Total(
        definition=definition,
        epsilon=plain.epsilon,
        delta=plain.delta,
        alpha=min(windows, default=None),
        formal=all(entry.formal for entry in own),
        releases=_draws(own),
        tight=tightest(own),
    )


def _draws(entries: Sequence[Spending]) -> int:
    """How many releases: parts of one draw are one."""
    runs = [getattr(entry, "run_id", None) for entry in entries]
    return runs.count(None) + len({run for run in runs if run is not None})


def balances(entries: Sequence[Spending], limits: Decimal | Limits | None) -> tuple[Balance, ...]:
    """Every definition's total against its cap."""
    known = Limits.from_cap(limits)
    return tuple(_balance(total, entries, known) for total in totals(entries))


def _balance(total: Total, entries: Sequence[Spending], limits: Limits) -> Balance:
    limit = limits.of(total.definition)
    own = [entry for entry in entries if entry.definition is total.definition]
    spent = limits.chosen(total.epsilon, total.delta, total.tight)
    return Balance(
        total=total,
        cap=limit.epsilon,
        remaining=remaining(spent[0], limit.epsilon),
        delta_cap=limit.delta,
        remaining_delta=remaining(spent[1], limit.delta),
        share=share_of(own, limit) if limits.filtered else None,
    )


def remaining(spent: Decimal, cap: Decimal | None) -> Decimal | None:
    """cap − spent, exactly; None where there is no cap."""
    return None if cap is None else exact_difference(cap, spent)


def uncounted(entries: Sequence[Spending]) -> int:
    """How many entries make no formal promise and so cannot be added to anything."""
    return sum(not counted(entry) for entry in entries)
