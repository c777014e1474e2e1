"""What may be spent: a largest ε and δ per definition, and by which rule the spending is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from workbench.accounting.totals import Cost
from workbench.core.claims import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The caps of one definition; None where there is none.

    `composing` is the δ at which losses may be composed tighter than their sum. It is said on its own and never taken
    from the cap: at a careless cap of 1 everything would cost nothing.
    """

    epsilon: Decimal | None = None
    delta: Decimal | None = None
    composing: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Caps by definition. `tightest` measures releases on units shown apart by the dearest, otherwise in sequence;
    `filtered` allows what the Rényi filter of the cap admits besides (see `share`);
    `implied` holds what a claim implies under weaker definitions against their caps too. `needs_bound` refuses a
    release after which all together would promise nothing under a definition in use.
    """

    others: Limit = field(default_factory=Limit)
    by_definition: Mapping[Definition, Limit] = field(default_factory=dict)
    tightest: bool = False
    filtered: bool = False
    implied: bool = False
    needs_bound: bool = False

    @classmethod
    def from_cap(cls, cap: Decimal | Limits | None) -> Limits:
        """The same cap on ε for every definition, none on δ."""
        return cap if isinstance(cap, Limits) else cls(others=Limit(epsilon=cap))

    def of(self, definition: Definition) -> Limit:
        return self.by_definition.get(definition, self.others)

    def chosen(self, epsilon: Decimal, delta: Decimal, tight: Cost) -> tuple[Decimal, Decimal]:
        """(ε, δ) as they are held against the caps."""
        return (tight.epsilon, tight.delta) if self.tightest else (epsilon, delta)
