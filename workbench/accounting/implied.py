"""What a guarantee under one definition promises under another: only where every neighbour of the second is reached.

One job, or one record, is one row. With x̄ a public and enforced size cap, k the jobs of a worker, d the worker cells, H
the records of a history and N(x) the strong steps from 0 to x:

- Strong: one establishment's workforce E grows to E′ ⊃ E with |E′| ≤ max((1 + α)|E|, |E| + 1). One more worker is such
  a step, and so is every weak step (which bounds the whole workforce too). So strong implies weak at the same α, and
  both imply one job added or removed, at the same ε and δ; node takes N(x̄) steps.
- Weak to strong: one kind of worker at a time, d·N(max(⌊αx̄⌋, 1)) steps.
- Node: one establishment with all its workers is there or not. Any other workforce is two such steps (out, then in).
- Edge to strong and weak: max(⌊αx̄⌋, 1) workers, one at a time; to node x̄.
- One job is not yet one worker: where the worker-level entries it is added to speak of workers with up to k jobs
  (their `group_size`), an employer-level claim costs such a worker k steps, one for each job. Another home is every job
  out and in again: 2k steps, and 2 where the claim is for the whole worker.
- A history out and another in is one record of it out: 2 steps. A record replaced is one out and one in.
- Local: the values of a record, for which every local claim holds as it is; that a record is there is told.
- Residence says nothing about who is there, a conditional claim and one without a definition nothing at all.

Where x̄ or H is needed and none is public, nothing is implied. ε is converted first, and composed afterwards; δ grows by
group privacy, and ρ of a release in zCDP with the square of the steps (Bun and Steinke 2016).
Source: Haney et al. 2017, Definitions 7.1 to 7.3 (the weak step's "1" is φ + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from workbench.accounting.composition import exact_product, group
from workbench.core.claims import Coverage, Definition, ExactTable, answer_of

if TYPE_CHECKING:
    from workbench.accounting.totals import Spending

# definition → what it implies without any public bound, and in how many of its own steps; K marks one for every job
_TWICE_K = {Definition.RESIDENCE: 2, Definition.REPLACED: 2}
STEPS: dict[Definition, dict[Definition, int]] = {
    Definition.EDGE: {Definition.CENTRAL: 1, **_TWICE_K},
    Definition.STRONG: {Definition.WEAK: 1, Definition.EDGE: 1, Definition.CENTRAL: 1, **_TWICE_K},
    Definition.WEAK: {Definition.EDGE: 1, Definition.CENTRAL: 1, **_TWICE_K},
    Definition.NODE: {
        Definition.STRONG: 2, Definition.WEAK: 2, Definition.EDGE: 2, Definition.CENTRAL: 2, **_TWICE_K,
    },
    Definition.CENTRAL: {Definition.REPLACED: 2},
    Definition.HISTORY: {
        Definition.EDGE: 2, Definition.CENTRAL: 2, Definition.RESIDENCE: 2, Definition.REPLACED: 2,
    },
    Definition.LOCAL: {Definition.REPLACED: 1, Definition.RESIDENCE: 1},
    Definition.PROBABILISTIC: {Definition.RESIDENCE: 1},
}  # fmt: skip
_EMPLOYER = frozenset((Definition.STRONG, Definition.WEAK, Definition.NODE))
_OF_A_WORKER = frozenset((Definition.EDGE, Definition.RESIDENCE))


def strong_steps(alpha: Decimal, size: int) -> int:
    """N(x): strong steps x → x + max(⌊αx⌋, 1) from no worker to `size` of them. Exact."""
    share, reached, steps = Fraction(alpha), 0, 0
    while reached < size:
        reached += max(int(share * reached), 1)
        steps += 1
    return steps


def wider_steps(alpha: Decimal, wider: Decimal) -> int:
    """Strong steps at α that reach every strong step at the wider α′: the largest number over all sizes. Exact.

    Searched up to 2/α² workers: beyond, rounding matters less and the number only nears ln(1 + α′)/ln(1 + α).
    """
    narrow, wide = Fraction(alpha), Fraction(wider)
    most = 1
    for size in range(int(2 / narrow**2) + 1):
        target, reached, steps = size + max(int(wide * size), 1), size, 0
        while reached < target:
            reached += max(int(narrow * reached), 1)
            steps += 1
        most = max(most, steps)
    return most


def edge_to_strong(alpha: Decimal, size_cap: int) -> int:
    """How many workers one strong step adds at most."""
    return max(int(Fraction(alpha) * size_cap), 1)


def weak_to_strong(alpha: Decimal, size_cap: int, worker_cells: int) -> int:
    """At most so many weak steps make one strong step: each kind of worker grows by itself."""
    return worker_cells * strong_steps(alpha, edge_to_strong(alpha, size_cap))


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
    rho: Decimal | None = None
    source: Spending | None = None  # the entry as it stands in the ledger


def called_now(definition: Definition) -> Definition:
    """The definition that a claim of an earlier version would be made under now: flows protect a residence."""
    return Definition.RESIDENCE if definition is Definition.PROBABILISTIC else definition


def implied_by(definition: Definition) -> tuple[Definition, ...]:
    """The weaker definitions a claim says something about, besides its own."""
    return tuple(STEPS.get(definition, {}))


def read_under(target: Definition, entries: Sequence[Spending]) -> tuple[ImpliedEntry, ...]:
    """Every entry that is, or implies, a guarantee under `target`, in its numbers there."""
    size = _group_size(entries) if target in _OF_A_WORKER else 1
    found = ((entry, _steps(entry.definition, target, size)) for entry in entries)
    return _one_reading([_read(entry, target, steps) for entry, steps in found if steps])


def _one_reading(entries: Sequence[ImpliedEntry]) -> tuple[ImpliedEntry, ...]:
    """One answer of a draw that is entered under several definitions counts once, as the cheapest reading says."""
    answers: dict[object, list[ImpliedEntry]] = {}
    for place, entry in enumerate(entries):
        answers.setdefault(_answer(entry) or place, []).append(entry)
    return tuple(entry for readings in answers.values() for entry in _cheapest(readings))


def _cheapest(readings: list[ImpliedEntry]) -> list[ImpliedEntry]:
    """Each reading bounds the same answer, so the smallest ε holds where the ε can be compared.

    Two under one definition, or of one name, are two answers of which nobody knows which one the others speak of: all
    count.
    """
    sources = [each.source for each in readings if each.source is not None]
    apart = len({each.definition for each in sources}) == len({_part(each) for each in sources}) == len(readings)
    alike = all(each.formal for each in readings) and len({each.delta for each in readings}) == 1
    return [min(readings, key=lambda each: each.epsilon)] if apart and alike else readings


def _answer(entry: ImpliedEntry) -> tuple[str, tuple[str, int]] | None:
    """Which answer of which draw, or of which claim before its draw, an entry speaks of. None: of all of it."""
    draw = None if entry.source is None else draw_of(entry.source)
    part = "" if entry.source is None else _part(entry.source)
    return None if draw is None or not part else (answer_of(part), draw)


def _part(entry: Spending) -> str:
    part: str = getattr(entry, "part", "")
    return part


def draw_of(entry: Spending) -> tuple[str, int] | None:
    """What is the same for the entries of one release and of no other: its draw, or its claim before the draw."""
    entry = getattr(entry, "source", None) or entry
    for name in ("run_id", "claimed"):
        number = getattr(entry, name, None)
        if number is not None:
            return name, number
    return None


def silent_under(target: Definition, entries: Sequence[Spending]) -> tuple[Spending, ...]:
    """The entries that say nothing under `target`: one of them, and nothing holds there for all together.

    So does one that tells something exactly which neighbours under `target` change.
    """
    return tuple(entry for entry in entries if not _steps(entry.definition, target, 1) or exact_against(target, entry))


def exact_against(target: Definition, entry: Spending) -> tuple[ExactTable, ...]:
    """What an entry tells without noise and what leaves no bound under `target`."""
    told: tuple[ExactTable, ...] = getattr(entry, "exact", ())
    return tuple(each for each in told if each.ends(target))


def _steps(definition: Definition, target: Definition, size: int) -> int:
    if definition is target:
        return 1
    each_job = size if definition in _EMPLOYER else 1
    return each_job * STEPS.get(definition, {}).get(target, 0)


def _group_size(entries: Sequence[Spending]) -> int:
    """How many records of one person the worker-level entries cover; one where there are no such entries."""
    return max((getattr(entry, "group_size", 1) for entry in entries if entry.definition is Definition.EDGE), default=1)


def _read(entry: Spending, target: Definition, steps: int) -> ImpliedEntry:
    epsilon, delta = entry.epsilon, entry.delta
    rho: Decimal | None = getattr(entry, "rho", None)
    if steps > 1:
        epsilon, delta = group(epsilon=epsilon, delta=delta, size=steps)
        rho = None if rho is None else exact_product(rho, Decimal(steps**2))
    keeps_window = target in (Definition.STRONG, Definition.WEAK)
    return ImpliedEntry(
        definition=target,
        epsilon=epsilon,
        delta=delta,
        alpha=entry.alpha if keeps_window else None,
        formal=entry.formal,
        coverage=getattr(entry, "coverage", None),
        run_id=getattr(entry, "run_id", None),
        rho=rho,
        source=entry,
    )
