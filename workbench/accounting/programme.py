"""A programme of releases that was registered before the first draw: the one place for optimal composition.

Rule: the multiset of pairs (ε, δ), and with it their number, is fixed beforehand. Then all items together keep the ε of
optimal composition at the δ for composing, whatever order, questions and mechanisms follow from what was published:
one randomised response is drawn for each item beforehand, and the rest is post-processing of them. An item may spend
less than registered, or nothing. Splitting or merging items and adding any is not covered: such releases come on top
and are added (sums hold for every order).
Rounding: as in `optimal`, never below the true ε.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from workbench.accounting.composition import sequential
from workbench.accounting.totals import TRUE_PAIRS, Spending, price
from workbench.core.claims import Definition
from workbench.core.quantities import counted, exact

Pair = tuple[Decimal, Decimal]
E = TypeVar("E", bound=Spending)
MOST_ITEMS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Programme:
    """The pairs (ε, δ) that were registered under one definition."""

    definition: Definition
    items: tuple[Pair, ...]

    def words(self) -> str:
        """“1 × ε 0.05, 80 × ε 0.2”."""
        kinds = dict.fromkeys(self.items)
        return ", ".join(f"{self.items.count(kind)} × {_pair(kind)}" for kind in kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """What holds for a programme and the releases besides it: ε and δ in all, and what is left of the programme."""

    programme: Programme
    epsilon: Decimal
    delta: Decimal
    used: int
    besides: int

    def words(self) -> str:
        own = f"{self.used} of {counted(len(self.programme.items), 'registered release')} used"
        more = f"; {counted(self.besides, 'release')} besides, added in full" if self.besides else ""
        return f"{own}{more}. All of them keep ε {exact(self.epsilon)} at δ {exact(self.delta)}."


def registered(programme: Programme, entries: Sequence[Spending], delta: Decimal | None) -> Registered | None:
    """The whole programme composed at `delta`, and every entry that is none of its items added.

    None where optimal composition does not apply: no δ for composing, or a definition whose pairs do not compose so.
    """
    if not delta or programme.definition not in TRUE_PAIRS or not programme.items:
        return None
    if any(entry.definition is not programme.definition or not entry.formal for entry in entries):
        return None
    composed = price(list(programme.items), delta)
    if composed is None:
        return None
    outside = besides(programme.items, entries)
    return Registered(
        programme=programme,
        epsilon=sequential((composed, *(entry.epsilon for entry in outside))),
        delta=sequential((delta, *(entry.delta for entry in outside))),
        used=len(entries) - len(outside),
        besides=len(outside),
    )


def besides(items: Sequence[Pair], entries: Sequence[E]) -> tuple[E, ...]:
    """The entries that are none of the items: each item covers one entry that spends no more ε and no more δ.

    Found by augmenting paths, the dearest entries first, so that what comes on top is as little as a choice allows.
    """
    holder: dict[int, int] = {}  # item → the entry it covers
    dearest = sorted(range(len(entries)), key=lambda entry: (-entries[entry].epsilon, -entries[entry].delta))
    outside = {entry for entry in dearest if not _placed(entry, items, entries, holder)}
    return tuple(entry for number, entry in enumerate(entries) if number in outside)


def _placed(entry: int, items: Sequence[Pair], entries: Sequence[Spending], holder: dict[int, int]) -> bool:
    """Find the entry an item, moving others to another of theirs where that makes room."""
    waiting, reached = [entry], dict[int, int]()  # item → the entry that asked for it
    covers = {held: item for item, held in holder.items()}
    for asking in waiting:
        for item, (most, failure) in enumerate(items):
            if item in reached or entries[asking].epsilon > most or entries[asking].delta > failure:
                continue
            reached[item] = asking
            if item in holder:
                waiting.append(holder[item])
                continue
            while True:
                asking, before = reached[item], covers.get(reached[item])
                holder[item] = asking
                if before is None:
                    return True
                item = before
    return False


def items_text(items: Iterable[Pair]) -> str:
    """As the project stores them."""
    return json.dumps([[str(epsilon), str(delta)] for epsilon, delta in items])


def items_from(text: str) -> tuple[Pair, ...]:
    """The items that were stored. Raises ValueError or TypeError where they are not."""
    return tuple((Decimal(str(epsilon)), Decimal(str(delta))) for epsilon, delta in json.loads(text))


def _pair(pair: Pair) -> str:
    epsilon, delta = pair
    return f"ε {exact(epsilon)}{f', δ {exact(delta)}' if delta else ''}"
