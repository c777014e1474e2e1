"""What may be spent: a largest ε and δ per definition, and by which rule the spending is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from workbench.accounting.programme import Programme
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
    """Caps by definition. `tightest` measures releases on units shown apart by the dearest, otherwise in sequence, and
    those of a programme by optimal composition; `filtered` allows what the Rényi filter of the cap admits besides (see
    `share`). `implied` reads every entry under each definition in use, so that a cap is one budget and not one for each
    definition. `needs_bound` refuses a release after which all together would promise nothing under a definition in
    use. `programmes` were registered before the first draw.
    """

    others: Limit = field(default_factory=Limit)
    by_definition: Mapping[Definition, Limit] = field(default_factory=dict)
    tightest: bool = False
    filtered: bool = False
    implied: bool = True
    needs_bound: bool = False
    programmes: tuple[Programme, ...] = ()

    @classmethod
    def from_cap(cls, cap: Decimal | Limits | None) -> Limits:
        """The same cap on ε for every definition, none on δ."""
        return cap if isinstance(cap, Limits) else cls(others=Limit(epsilon=cap))

    def of(self, definition: Definition) -> Limit:
        return self.by_definition.get(definition, self.others)

    def programme(self, definition: Definition) -> Programme | None:
        """The programme that was registered under a definition, where the policy measures by it."""
        found = (each for each in self.programmes if each.definition is definition)
        return next(found, None) if self.tightest else None

    def chosen(self, epsilon: Decimal, delta: Decimal, tight: Cost) -> tuple[Decimal, Decimal]:
        """(ε, δ) as they are compared with the caps."""
        return (tight.epsilon, tight.delta) if self.tightest else (epsilon, delta)
