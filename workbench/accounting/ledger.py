"""What has been spent on a data set, per definition, and what one more release would leave.

Pure functions on anything that states a definition and its numbers: a claim, or an entry of a project's ledger.
Claims under different definitions are never added up as they stand: for each definition in use all entries are read
under it (`implied`), added and compared with its cap, unless a policy counts definitions apart. One that
says nothing there, or tells something exactly, leaves no bound (`together`). A claim without a formal definition has no
loss that could be added; it is counted apart and said in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from workbench.accounting.composition import exact_difference
from workbench.accounting.implied import draw_of, exact_against, read_under, silent_under
from workbench.accounting.limits import Limits
from workbench.accounting.programme import Registered, registered
from workbench.accounting.share import Share, share_of
from workbench.accounting.totals import Cost, Rule, Spending, in_sequence, tightest
from workbench.core.claims import Definition
from workbench.core.quantities import exact

# Whose neighbours add, remove or exchange somebody: what a quantity that is published exactly can end.
_PRESENCE = (
    Definition.EDGE,
    Definition.STRONG,
    Definition.WEAK,
    Definition.NODE,
    Definition.HISTORY,
    Definition.CENTRAL,
    Definition.REPLACED,
)


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
    programme: Registered | None = None  # what holds for the programme that was registered, where there is one


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
    """What all entries promise together under one definition; no total where `silent` entries say nothing under it.

    `exact` is what some entry tells without noise and what ends every bound there.
    """

    definition: Definition
    total: Total | None
    silent: int = 0
    because: tuple[Definition, ...] = ()
    exact: tuple[str, ...] = ()

    def sentence(self) -> str:
        if self.total is not None:
            return self.total.sentence()
        return f"No bound under {self.definition.value}: {self.reason()}"

    def reason(self) -> str:
        """Why there is no bound."""
        if self.exact:
            return f"{' and '.join(self.exact)} {'is' if len(self.exact) == 1 else 'are'} published exactly."
        under = ", ".join(each.value for each in self.because)
        who = f"1 release under {under} says" if self.silent == 1 else f"{self.silent} releases under {under} say"
        return f"{who} nothing about it."


def together(entries: Sequence[Spending]) -> tuple[Together, ...]:
    """For every definition in use: each entry read under it, then added. One that says nothing leaves no bound.

    Where something is published exactly, also every definition that it leaves nothing of. Nothing where all entries are
    under one definition otherwise: then it is that definition's own total.
    """
    used = tuple(dict.fromkeys(entry.definition for entry in entries))
    ended = [each for each in _PRESENCE if any(exact_against(each, entry) for entry in entries)]
    if len(used) < 2 and not ended:
        return ()
    targets = dict.fromkeys((*used, *ended))
    return tuple(_together(target, entries) for target in targets if holds_something(target))


def together_words(found: Sequence[Together]) -> tuple[str, ...]:
    """One sentence for each total, and one for all definitions that are without a bound for the same reason."""
    ended: dict[str, list[str]] = {}
    for each in found:
        if each.total is None:
            ended.setdefault(each.reason(), []).append(each.definition.value)
    totals_ = [each.total.sentence() for each in found if each.total is not None]
    return (*totals_, *(f"No bound under {'; '.join(names)}: {why}" for why, names in ended.items()))


def bounded(definition: Definition, entries: Sequence[Spending]) -> bool:
    """Whether all entries together promise anything under a definition."""
    return not silent_under(definition, entries)


def holds_something(definition: Definition) -> bool:
    return definition not in (Definition.NONE, Definition.CONDITIONAL)


def _together(target: Definition, entries: Sequence[Spending]) -> Together:
    silent = silent_under(target, entries)
    if silent:
        because = tuple(dict.fromkeys(entry.definition for entry in silent))
        exact_ = dict.fromkeys(table.what for entry in silent for table in exact_against(target, entry))
        return Together(definition=target, total=None, silent=_draws(silent), because=because, exact=tuple(exact_))
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
    """How many releases: parts of one draw, or of one claim before its draw, are one."""
    draws = [draw_of(entry) for entry in entries]
    return draws.count(None) + len({draw for draw in draws if draw is not None})


def balances(entries: Sequence[Spending], limits: Decimal | Limits | None) -> tuple[Balance, ...]:
    """Every definition's total against its cap: of all that says something under it, or of its own alone."""
    known = Limits.from_cap(limits)
    used = dict.fromkeys(entry.definition for entry in entries if counted(entry))
    return tuple(_balance(definition, entries, known) for definition in used)


def counted_for(definition: Definition, entries: Sequence[Spending], limits: Limits) -> tuple[Spending, ...]:
    """The entries that count against the cap of a definition, in their numbers there."""
    if limits.implied:
        return read_under(definition, entries)
    return tuple(entry for entry in entries if entry.definition is definition)


def _balance(definition: Definition, entries: Sequence[Spending], limits: Limits) -> Balance:
    limit = limits.of(definition)
    own = counted_for(definition, entries, limits)
    total = _total(definition, own)
    programme = limits.programme(definition)
    spent = limits.chosen(total.epsilon, total.delta, total.tight)
    return Balance(
        total=total,
        cap=limit.epsilon,
        remaining=remaining(spent[0], limit.epsilon),
        delta_cap=limit.delta,
        remaining_delta=remaining(spent[1], limit.delta),
        share=share_of(own, limit) if limits.filtered else None,
        programme=None if programme is None else registered(programme, own, limit.composing),
    )


def remaining(spent: Decimal, cap: Decimal | None) -> Decimal | None:
    """cap − spent, exactly; None where there is no cap."""
    return None if cap is None else exact_difference(cap, spent)


def uncounted(entries: Sequence[Spending]) -> int:
    """How many entries make no formal promise and so cannot be added to anything."""
    return sum(not counted(entry) for entry in entries)
