"""What adds up to what: for each cell and dimension, the cell is the sum of the next finer ones.

Whether the listed parts are all the parts is read off the tables: where parts and whole are all published and do not
agree, something is left out of every sum of that kind, and "everything else" becomes a cell of its own. A combination
of codes that no table lists, while both codes are listed, counts as an empty cell.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from workbench.audit.differencing.cells import Key, Space

Family = tuple[int, str | None, tuple[bool, ...]]  # dimension, parent code, which other dimensions are broken down


@dataclass(frozen=True, slots=True)
class Sum:
    """whole = Σ parts (+ rest, where something is left out)."""

    dimension: int
    whole: int
    parts: tuple[int, ...]
    rest: int | None = None

    def terms(self) -> list[tuple[int, int]]:
        """(cell, coefficient) of the relation whole − Σ parts − rest = 0."""
        rest = [] if self.rest is None else [(self.rest, -1)]
        return [(self.whole, 1), *((part, -1) for part in self.parts), *rest]


@dataclass(slots=True)
class System:
    """Cells with what is known of them, and the sums that tie them together."""

    space: Space
    sums: list[Sum] = field(default_factory=list)
    known: dict[int, int] = field(default_factory=dict)
    rests: dict[int, Sum] = field(default_factory=dict)  # cells that stand for everything a sum leaves out
    contradictions: int = 0
    cells: int = 0

    def new_rest(self) -> int:
        self.cells += 1
        return self.cells - 1


def build(space: Space) -> System:
    """All sums of the space, each with a rest where its kind leaves something out."""
    system = System(space, cells=len(space.keys))
    _take_known(system)
    families: dict[Family, list[Sum]] = defaultdict(list)
    for each in _plain_sums(space):
        families[_family(space, each)].append(each)
    for kind in families.values():
        gaps = [_gap(system, each) for each in kind]
        incomplete = any(gap is not None and abs(gap) > _tolerance(system, each) for gap, each in _pairs(gaps, kind))
        for gap, each in _pairs(gaps, kind):
            _add(system, each, gap, incomplete=incomplete)
    return system


def _pairs(gaps: list[int | None], kind: list[Sum]) -> list[tuple[int | None, Sum]]:
    return list(zip(gaps, kind, strict=True))


def _take_known(system: System) -> None:
    for cell, sources in system.space.sources.items():
        exact = [source.value for source in sources if source.value is not None and source.slack == 0]
        if exact:
            system.known[cell] = exact[0]
            system.contradictions += any(value != exact[0] for value in exact)


def _plain_sums(space: Space) -> list[Sum]:
    parts: dict[tuple[int, Key], list[int]] = defaultdict(list)
    for number, key in enumerate(space.keys):
        for dimension in range(len(space.dimensions)):
            above = space.coarser(key, dimension)
            if above is not None:
                parts[dimension, above].append(number)
    return [
        Sum(dimension, space.numbers[above], tuple(numbers)) for (dimension, above), numbers in parts.items()
    ]  # fmt: skip


def _family(space: Space, each: Sum) -> Family:
    key = space.keys[each.whole]
    others = tuple(code is not None for place, code in enumerate(key) if place != each.dimension)
    return each.dimension, key[each.dimension], others


def _gap(system: System, each: Sum) -> int | None:
    """Whole minus parts where all are published exactly, else None."""
    if each.whole not in system.known or any(part not in system.known for part in each.parts):
        return None
    return system.known[each.whole] - sum(system.known[part] for part in each.parts)


def _tolerance(system: System, each: Sum) -> int:
    """Decimal fractions were cut off somewhere; whole numbers add up exactly."""
    tables = system.space.tables
    used = [source.table for cell in (each.whole, *each.parts) for source in system.space.sources.get(cell, ())]
    coarsest = min((tables[number].decimals for number in used), default=0)
    if coarsest == 0:
        return 0
    unit: int = 10 ** (system.space.decimals - coarsest)
    digits = sum(abs(system.known.get(cell, 0)) for cell in (each.whole, *each.parts)) // 10**12
    return unit * (len(each.parts) + 1) // 2 + digits


def _add(system: System, each: Sum, gap: int | None, *, incomplete: bool) -> None:
    if gap is not None and abs(gap) <= _tolerance(system, each):
        system.sums.append(each)
        return
    if gap is not None and gap < 0:  # parts exceed their whole: revised or different populations
        system.contradictions += 1
        return
    if incomplete:
        each = Sum(each.dimension, each.whole, each.parts, rest=system.new_rest())
        system.rests[each.rest or 0] = each
    system.sums.append(each)
