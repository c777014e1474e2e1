"""What two sets of rows have in common and what each has alone, as cells under the primary rules.

Of three tables of one file that overlap without being nested, what the first counts and the second does not is several
parts of the rows: those that the third counts too, and the others. Every part may be safe while their sum is known. The
sum is a cell that no table lists. Only sums that fail a primary rule are added, since the others protect nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.baselines.suppression.contributions import behind, gathered
from workbench.baselines.suppression.joining import Joined
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.rules import Rules, flagged
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.virtual_cells import Found, Sum, grown
from workbench.core.errors import Defect

_ALL = "all rows"


@dataclass(slots=True)
class _Cell:
    """One cell of everything but rows: its parts by the part's bit, and the sets of rows of which tables list it."""

    parts: dict[int, int] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)


def with_overlaps(system: System, joint: Joined, rules: Rules) -> System:
    """The system with one more primary cell for each pair of sets of rows, in common or in one alone."""
    hidden = next((place for place, each in enumerate(joint.table.dimensions) if each.hidden), None)
    if hidden is None:
        return system
    places = [place for place, column in enumerate(joint.columns) if column == joint.columns[hidden]]
    codes = sorted({code for key in system.lattice.keys if (code := key[hidden]) is not None})
    bits = {code: 1 << number for number, code in enumerate(codes)}
    sets = _sets(joint, places, bits)
    known = {frozenset(line.parts) for line in system.lines}
    wanted: dict[frozenset[int], Key] = {}
    for rest, cell in _cells(system, places, hidden, bits, sets).items():
        for mask, words in _sums(cell, sets):
            own = frozenset(at for bit, at in cell.parts.items() if bit & mask)
            if own not in known:
                wanted.setdefault(own, (*rest[:hidden], words, *rest[hidden + 1 :]))
    found = _primary(system, wanted, rules)
    return grown(system, found, kept=rules.kept) if found.sums else system


def _sets(joint: Joined, places: Sequence[int], bits: dict[str, int]) -> dict[str, int]:
    """Each set of rows that a table counts by its name: its parts, as bits."""
    made = {_ALL: sum(bits.values())}
    for place in places:
        for name, extent in joint.table.dimensions[place].extents.items():
            made[name] = sum(bits[code] for code in extent if isinstance(code, str) and code in bits)
    return made


def _cells(
    system: System, places: Sequence[int], hidden: int, bits: dict[str, int], sets: Collection[str]
) -> dict[Key, _Cell]:  # fmt: skip
    """Those of at least three parts: of two, every sum is one of them or both."""
    made: dict[Key, _Cell] = {}
    for number, key in enumerate(system.lattice.keys):
        named = [code for place in places if (code := key[place]) is not None]
        if len(named) > 1:
            continue
        cell = made.setdefault(tuple(None if place in places else code for place, code in enumerate(key)), _Cell())
        part = key[hidden]
        if part is not None:
            cell.parts[bits[part]] = number
        elif (name := named[0] if named else _ALL) in sets:  # not what one set leaves of another
            cell.listed.add(name)
    return {rest: cell for rest, cell in made.items() if len(cell.parts) > 2}


def _sums(cell: _Cell, sets: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Several parts, but not all of them, of a set that lists the cell, each sum once."""
    there = sum(cell.parts)
    seen = {sets[name] & there for name in cell.listed}
    for own in sorted(cell.listed):
        for other, rows in sets.items():
            for mask, joins in ((sets[own] & rows, "and"), (sets[own] & ~rows, "and not")):
                inside = mask & there
                if inside.bit_count() > 1 and inside not in seen:
                    seen.add(inside)
                    yield inside, f"{own} {joins} {other}"


def _primary(system: System, wanted: dict[frozenset[int], Key], rules: Rules) -> Found:
    from scipy.sparse import csr_array

    if system.contributions is None:
        raise Defect("sums of parts need to know who is behind them")
    found = Found({}, [])
    if not wanted:
        return found
    parts = [sorted(own) for own in wanted]
    starts = np.cumsum([0, *(len(own) for own in parts)])
    columns = np.concatenate(parts)
    rows = csr_array((np.ones(len(columns)), columns, starts), shape=(len(parts), system.cells))
    facts = behind(gathered(rows, system.contributions), rows @ system.values, kept=rules.kept)
    primary = flagged(rules, facts, counts=system.counts).primary
    for own, key, judged in zip(parts, wanted.values(), primary.tolist(), strict=True):
        if judged and key not in found.atoms:
            found.atoms[key] = dict.fromkeys(own, 1)
            found.sums.append(Sum(whole=key, parts=tuple(own)))
    return found
