"""The search: every cell that published tables withhold, and what they let a reader derive of it all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from workbench.audit.differencing.algebra import Solved, combination, propagate
from workbench.audit.differencing.bounds import Bounded, bound
from workbench.audit.differencing.cells import Space, span
from workbench.audit.differencing.equations import System, build
from workbench.audit.differencing.tables import Hierarchy, PublishedTable
from workbench.core.progress import Context, Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group of units named by public codes; `other_than` where it is what the codes leave."""

    codes: tuple[tuple[str, str], ...]  # (dimension, code)
    other_than: tuple[str, tuple[str, ...]] | None = None  # (dimension, codes left out)

    def words(self) -> str:
        named = [code for _, code in self.codes]
        if self.other_than is not None:
            dimension, codes = self.other_than
            listed = ", ".join(codes[:4]) + (f" and {len(codes) - 4} more" if len(codes) > 4 else "")
            named.append(f"every {dimension} other than {listed}")
        return " · ".join(named) or "the total"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One published cell of a combination, with its coefficient."""

    factor: Fraction
    table: str
    group: Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A cell that no table gives, with what follows about it. Values are in units of the published value."""

    group: Group
    tables: tuple[str, ...]  # that list it without a value; none for a group that no table lists
    low: float
    high: float
    terms: tuple[Term, ...] = ()  # empty where only the programme, not a combination, gives it

    @property
    def exact(self) -> bool:
        return self.high - self.low < 1e-6 * max(1.0, abs(self.high))

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    withheld: tuple[Derived, ...]  # listed without a value, or rounded: exact or bounded
    unlisted: tuple[Derived, ...]  # groups nobody listed that follow by subtraction
    looked_at: int  # withheld cells in all
    skipped: int
    contradictions: int


NOTHING = Result(withheld=(), unlisted=(), looked_at=0, skipped=0, contradictions=0)


def search(tables: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy], context: Context) -> Result:
    """Everything that follows from the tables that stand in exact relations."""
    used = [table for table in tables if table.algebraic]
    if not used:
        return NOTHING
    space = span(used, hierarchies, Part(context, 0.0, 0.2))
    system = build(space)
    solved = propagate(system, Part(context, 0.2, 0.4))
    targets = _withheld(space)
    bounded = bound(system, solved, targets, Part(context, 0.4, 1.0))
    return Result(
        withheld=tuple(made for cell in targets if (made := _derived(system, solved, bounded, cell)) is not None),
        unlisted=_unlisted(system, solved),
        looked_at=len(targets),
        skipped=bounded.skipped,
        contradictions=system.contradictions + bounded.contradicting,
    )


def _withheld(space: Space) -> list[int]:
    """Cells that some table lists without a value or only rounded."""
    return [
        cell
        for cell, sources in space.sources.items()
        if any(source.value is None for source in sources) or all(source.slack for source in sources)
    ]


def _derived(system: System, solved: Solved, bounded: Bounded, cell: int) -> Derived | None:
    """What is known of a withheld cell; None where that is no more than that it is not negative."""
    unit = 10**system.space.decimals
    listing = tuple(
        dict.fromkeys(system.space.tables[source.table].name for source in system.space.sources[cell]
                      if source.value is None or source.slack)
    )  # fmt: skip
    group = group_of(system, cell)
    if cell in solved.values:
        value = solved.values[cell] / unit
        terms = _terms(system, {other: Fraction(factor) for other, factor in combination(system, solved, cell).items()})
        return Derived(group=group, tables=listing, low=value, high=value, terms=terms)
    interval = bounded.intervals.get(cell)
    if interval is None or interval.high == float("inf"):
        return None
    terms = _terms(system, _published(system, solved, interval.weights)) if interval.weights else ()
    return Derived(group=group, tables=listing, low=interval.low, high=interval.high, terms=terms)


def _published(system: System, solved: Solved, weights: dict[int, Fraction]) -> dict[int, Fraction]:
    """Weights on cells that were themselves derived, taken back to published ones."""
    made: dict[int, Fraction] = {}
    for cell, weight in weights.items():
        for other, factor in combination(system, solved, cell).items():
            made[other] = made.get(other, Fraction(0)) + weight * factor
    return {cell: weight for cell, weight in made.items() if weight}


def _terms(system: System, weights: dict[int, Fraction]) -> tuple[Term, ...]:
    """In words a reader can follow: what is added first, then what is taken away."""
    named = [
        Term(factor=weight, table=_table_giving(system, cell), group=group_of(system, cell))
        for cell, weight in weights.items()
    ]
    return tuple(sorted(named, key=lambda term: term.factor < 0))


def _table_giving(system: System, cell: int) -> str:
    sources = system.space.sources[cell]
    given = next(source for source in sources if source.value is not None and not source.slack)
    return system.space.tables[given.table].name


def _unlisted(system: System, solved: Solved) -> tuple[Derived, ...]:
    """Groups that no table lists and that follow by taking parts from a whole."""
    unit = 10**system.space.decimals
    found = []
    for cell, number in solved.through.items():
        listed = cell in system.space.sources
        if listed or cell == system.sums[number].whole:
            continue
        terms = _terms(system, {other: Fraction(factor) for other, factor in combination(system, solved, cell).items()})
        value = solved.values[cell] / unit
        found.append(Derived(group=group_of(system, cell), tables=(), low=value, high=value, terms=terms))
    return tuple(found)


def group_of(system: System, cell: int) -> Group:
    """The public codes that name a cell."""
    space = system.space
    rest = system.rests.get(cell)
    key = space.keys[rest.whole if rest is not None else cell]
    codes = tuple((space.dimensions[place], code) for place, code in enumerate(key) if code is not None)
    if rest is None:
        return Group(codes=codes)
    parts = tuple(str(space.keys[part][rest.dimension]) for part in rest.parts)
    return Group(codes=codes, other_than=(space.dimensions[rest.dimension], parts))
