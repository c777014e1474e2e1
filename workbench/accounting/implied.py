"""What a guarantee under one definition promises under another: only where every neighbour of the second is reached.

- Strong: one establishment's workforce E grows to E′ ⊃ E with |E′| ≤ max((1 + α)|E|, |E| + 1). One more worker is such
  a step, and so is every weak step (which bounds the whole workforce too). So strong implies weak at the same α, and
  both imply one job added or removed, at the same ε and δ.
- Node: one establishment with all its workers is there or not. Any other workforce is two such steps (out, then in), so
  node implies strong, weak and one job at twice the ε, and δ(1 + e^ε).
- One job is not yet one worker: where the worker-level entries it is added to speak of workers with up to k jobs
  (their `group_size`), an employer-level claim costs such a worker k steps, one for each job (group privacy).
- Edge implies nothing about employers. Local, central, probabilistic and conditional claims protect units that the
  ledger cannot compare; they imply nothing here.

Source: Haney et al., Definitions 7.1 to 7.3, corrected (the weak step's "1" is φ + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.accounting.composition import group
from workbench.core.claims import Coverage, Definition

if TYPE_CHECKING:
    from workbench.accounting.totals import Spending

# definition → what it implies, and in how many of its own steps
STEPS: dict[Definition, dict[Definition, int]] = {
    Definition.STRONG: {Definition.WEAK: 1, Definition.EDGE: 1},
    Definition.WEAK: {Definition.EDGE: 1},
    Definition.NODE: {Definition.STRONG: 2, Definition.WEAK: 2, Definition.EDGE: 2},
}
IMPLIED = (Definition.EDGE, Definition.WEAK, Definition.STRONG)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpliedEntry:
    """An entry read under a definition that its own implies."""

    definition: Definition
    epsilon: Decimal
    delta: Decimal
    alpha: Decimal | None
    formal: bool
    coverage: Coverage | None = None
    run_id: int | None = None


def implied_by(definition: Definition) -> tuple[Definition, ...]:
    """The weaker definitions a claim says something about, besides its own."""
    return tuple(STEPS.get(definition, {}))


def read_under(target: Definition, entries: Sequence[Spending]) -> tuple[ImpliedEntry, ...]:
    """Every entry that is, or implies, a guarantee under `target`, in its numbers there."""
    size = _group_size(entries) if target is Definition.EDGE else 1
    found = ((entry, _steps(entry.definition, target, size)) for entry in entries)
    return tuple(_read(entry, target, steps) for entry, steps in found if steps)


def _steps(definition: Definition, target: Definition, size: int) -> int:
    return 1 if definition is target else size * STEPS.get(definition, {}).get(target, 0)


def _group_size(entries: Sequence[Spending]) -> int:
    """How many records of one person the worker-level entries cover; one where there are no such entries."""
    return max((getattr(entry, "group_size", 1) for entry in entries if entry.definition is Definition.EDGE), default=1)


def _read(entry: Spending, target: Definition, steps: int) -> ImpliedEntry:
    epsilon, delta = entry.epsilon, entry.delta
    if steps > 1:
        epsilon, delta = group(epsilon=epsilon, delta=delta, size=steps)
    keeps_window = target in (Definition.STRONG, Definition.WEAK)
    return ImpliedEntry(
        definition=target,
        epsilon=epsilon,
        delta=delta,
        alpha=entry.alpha if keeps_window else None,
        formal=entry.formal,
        coverage=getattr(entry, "coverage", None),
        run_id=getattr(entry, "run_id", None),
    )
