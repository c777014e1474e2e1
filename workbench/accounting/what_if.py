"""What approving one more release would do to the budget of its data set, before anybody approves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from workbench.accounting.implied import called_now, implied_by
from workbench.accounting.ledger import bounded, counted, counted_for, holds_something, remaining, total_under
from workbench.accounting.limits import Limits
from workbench.accounting.programme import Registered, registered
from workbench.accounting.share import Share, share_of
from workbench.accounting.totals import Rule, Spending
from workbench.core.claims import Definition
from workbench.core.quantities import exact


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What approving one more claim would do: whether it fits under the caps, what it leaves, and both in words.

    `before` and `after` are ε as the policy measures it; `after_delta` is the δ that goes with `after`.
    """

    fits: bool
    before: Decimal
    after: Decimal
    remaining: Decimal | None
    sentence: str
    after_delta: Decimal = Decimal(0)
    remaining_delta: Decimal | None = None
    rule: str = Rule.SEQUENTIAL.value
    unbounded: tuple[Definition, ...] = ()  # definitions under which nothing would hold any more for all together


def what_if(
    entries: Sequence[Spending], claim: Spending | Sequence[Spending], limits: Decimal | Limits | None
) -> WhatIf:
    """What would be left after one more release: "This would leave ε 1.8 of 10.".

    A release whose parts are under several definitions is compared with the caps of each; the numbers are those of the
    first.
    """
    known = Limits.from_cap(limits)
    adds = tuple(claim) if isinstance(claim, Sequence) else (claim,)
    own = dict.fromkeys(each.definition for each in adds if counted(each))
    if not own:
        before = _under(adds[0].definition, entries, (), known).before
        sentence = "This release makes no formal promise: the ledger records it but cannot count what it costs."
        return WhatIf(fits=True, before=before, after=before, remaining=None, sentence=sentence)
    outlooks = [_under(target, entries, adds, known) for target in own]
    further = [_under(target, entries, adds, known) for target in _others(entries, adds)] if known.implied else []
    broken = [outlook for outlook in (*outlooks, *further) if not outlook.fits]
    first = outlooks[0]
    lost = _lost(entries, adds)
    return WhatIf(
        unbounded=lost,
        fits=not broken and not (lost and known.needs_bound),
        before=first.before,
        after=first.epsilon,
        remaining=first.left,
        sentence=_sentence(broken or (*outlooks, *_scarcer(outlooks, further)), several=len(own) > 1)
        + _lost_words(lost),
        after_delta=first.delta,
        remaining_delta=first.left_delta,
        rule=first.rule.value,
    )


def _scarcer(outlooks: Sequence[_Outlook], further: Sequence[_Outlook]) -> tuple[_Outlook, ...]:
    """The other definition under which least would be left, where that is less than under the release's own."""
    least = min((each.left for each in outlooks if each.left is not None), default=None)
    less = [each for each in further if each.left is not None and least is not None and each.left < least]
    return tuple(sorted(less, key=lambda each: each.left or Decimal(0))[:1])


def _others(entries: Sequence[Spending], adds: Sequence[Spending]) -> tuple[Definition, ...]:
    """The other definitions with whose caps a release is compared: those in use about which it says something.

    Where no definition in use bounds all releases together, also those that all of them say something about: a cap is
    a budget per person, and must not be had once for each definition.
    """
    whole, own = (*entries, *adds), {each.definition for each in adds}
    named = dict.fromkeys(called_now(each.definition) for each in whole if counted(each))
    spoken = {target for each in own for target in implied_by(each)}
    used = [each for each in named if each in spoken and each not in own]
    if any(bounded(each, whole) for each in named) or len(named) < 2:
        return tuple(used)
    shared = [each for each in Definition if each in spoken and bounded(each, whole)]
    return tuple(dict.fromkeys((*used, *shared)))


def _lost(entries: Sequence[Spending], adds: Sequence[Spending]) -> tuple[Definition, ...]:
    """Definitions in use under which all releases together would promise nothing, because of this one or to it."""
    after = (*entries, *adds)
    used = dict.fromkeys(each.definition for each in after if holds_something(each.definition))
    own = {each.definition for each in adds}
    return tuple(
        each for each in used if not bounded(each, after) and (each in own or bounded(each, entries))
    )  # fmt: skip


def _lost_words(lost: Sequence[Definition]) -> str:
    if not lost:
        return ""
    named = " or ".join(each.value for each in lost)
    return f" All releases from these data together would then have no bound under {named}."


def _sentence(outlooks: Sequence[_Outlook], *, several: bool) -> str:
    """What each outlook says, under which definition where there is more than one."""
    return " ".join(
        f"Under {each.definition.value}: {each.sentence()}" if several and not each.implied else each.sentence()
        for each in outlooks
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outlook:
    """The totals under one definition with the claim added, against its caps."""

    definition: Definition
    before: Decimal
    epsilon: Decimal
    delta: Decimal
    cap: Decimal | None
    delta_cap: Decimal | None
    left: Decimal | None
    left_delta: Decimal | None
    rule: Rule
    in_sequence: Decimal
    implied: bool
    share: Share | None = None
    programme: Registered | None = None

    @property
    def fits(self) -> bool:
        return self._by_sum or (self.share is not None and self.share.admitted) or self._registered

    @property
    def _registered(self) -> bool:
        """Whether the programme that was registered beforehand, and what came besides, keeps the caps."""
        found = self.programme
        if found is None or self.cap is None:
            return False
        return found.epsilon <= self.cap and (self.delta_cap is None or found.delta <= self.delta_cap)

    @property
    def _by_sum(self) -> bool:
        return not any(left is not None and left < 0 for left in (self.left, self.left_delta))

    def sentence(self) -> str:
        parts = list(self._parts())
        where = f" (what it implies under {self.definition.value})" if self.implied else ""
        measured = "" if self.rule is Rule.SEQUENTIAL else (
            f" Measured by the rule “{self.rule.value}”: ε {exact(self.epsilon)} instead of {exact(self.in_sequence)}."
        )  # fmt: skip
        return " ".join(f"{part[:-1]}{where}." for part in parts) + measured

    def _parts(self) -> Iterator[str]:
        if not self._by_sum and self.share is not None and self.share.admitted:
            yield f"The plain sum would be ε {exact(self.epsilon)}, {self.share.words()} of the budget. " + (
                self.share.promise()
            )
            return
        if not self._by_sum and self._registered and self.programme is not None:
            yield f"The plain sum would be ε {exact(self.epsilon)}. {self.programme.words()}"
            return
        if self.left is None or self.cap is None:
            yield f"ε spent on these data would be {exact(self.epsilon)}; there is no cap."
        elif self.left < 0:
            yield f"ε would exceed the cap of {exact(self.cap)} {_by(self.left)}."
        else:
            yield f"This would leave ε {exact(self.left)} of {exact(self.cap)}."
        if self.left_delta is not None and self.delta_cap is not None:
            if self.left_delta < 0:
                yield f"δ would exceed the cap of {exact(self.delta_cap)} {_by(self.left_delta)}."
            elif self.delta:
                yield f"δ would be {exact(self.delta)} of {exact(self.delta_cap)}."


def _under(
    target: Definition, entries: Sequence[Spending], adds: Sequence[Spending], limits: Limits
) -> _Outlook:  # fmt: skip
    implied = all(target is not each.definition for each in adds)
    whole = (*entries, *adds)
    read, earlier = counted_for(target, whole, limits), counted_for(target, entries, limits)
    before, after = total_under(target, earlier), total_under(target, read)
    limit, programme = limits.of(target), limits.programme(target)
    epsilon, delta = limits.chosen(after.epsilon, after.delta, after.tight)
    return _Outlook(
        definition=target,
        before=limits.chosen(before.epsilon, before.delta, before.tight)[0],
        epsilon=epsilon,
        delta=delta,
        cap=limit.epsilon,
        delta_cap=limit.delta,
        left=remaining(epsilon, limit.epsilon),
        left_delta=remaining(delta, limit.delta),
        rule=after.tight.rule if limits.tightest else Rule.SEQUENTIAL,
        in_sequence=after.epsilon,
        implied=implied,
        share=share_of(read, limit) if limits.filtered else None,
        programme=None if programme is None else registered(programme, read, limit.composing),
    )


def _by(left: Decimal) -> str:
    return "without bound" if left.is_infinite() else f"by {exact(left.copy_negate())}"
