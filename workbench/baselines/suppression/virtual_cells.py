"""Common atoms of groupings of one column, as cells under the primary rules.

Ages 0–17 in one grouping and under 16 in another leave 16–17, which no table lists. Such a cell is never printed, so it
is withheld from the start, and its equations tie it to the cells that give it away.

Stretches of numbers are edges between their ends. Whatever sums and differences can tell lies between two ends that
edges connect, so that the atoms are the stretches between neighbouring ends of a connected part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from workbench.baselines.suppression.code_ranges import in_words
from workbench.baselines.suppression.contributions import Contributions, behind, summed
from workbench.baselines.suppression.groupings import EVERYTHING, extents_of
from workbench.baselines.suppression.hierarchy import Extent, Range
from workbench.baselines.suppression.joining import Held, Joined, difference, held_by
from workbench.baselines.suppression.lattice import Key, Lattice, Line
from workbench.baselines.suppression.system import System, signed
from workbench.core.arrays import Floats
from workbench.core.errors import Defect

Signs = dict[int, int]  # cells that are added and taken away
_SAME = 1e-9
_TOTAL = -1  # stands in the place of a grouping for the cell that has a code of none


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A whole and its parts: cells, and what is left, which is a cell of its own with a name."""

    whole: int | Key
    parts: tuple[int | Key, ...]


@dataclass(slots=True)
class Found:
    """New cells by their keys, as sums and differences of listed ones, and the sums that tie them."""

    atoms: dict[Key, Signs]
    sums: list[Sum]


@dataclass(frozen=True, slots=True)
class _Name:
    """How atoms are named: their stretch in words at one place, beside the codes of everything else."""

    rest: Key
    place: int
    column: str

    def of(self, stretch: Range) -> Key:
        low, high = stretch
        whole = all(end == round(end) for end in stretch if abs(end) != np.inf)
        words = in_words((low, high - 1)) if whole else f"{self.column} {low:g} to below {high:g}"
        return (*self.rest[: self.place], words, *self.rest[self.place + 1 :])


def with_differences(system: System, joint: Joined, *, kept: int) -> System:
    """The system with one more cell for each atom that no table lists, and all sums over atoms."""
    found = Found({}, [])
    for column in dict.fromkeys(joint.columns):
        places = [place for place, each in enumerate(joint.columns) if each == column]
        if len(places) > 1:
            _meet(system, joint, places, found)
    return grown(system, found, kept=kept) if found.sums else system


def _meet(system: System, joint: Joined, places: Sequence[int], found: Found) -> None:
    """The atoms of all groupings of one column, for each code of everything else."""
    keys, dimensions = system.lattice.keys, system.lattice.dimensions
    codes = [{code for key in keys if (code := key[place]) is not None} for place in places]
    extents = dict(
        zip(
            places,
            extents_of([(dimensions[place], own) for place, own in zip(places, codes, strict=True)]),
            strict=True,
        )
    )
    alike: dict[Key, list[int]] = {}
    for cell, key in enumerate(keys):
        if sum(key[place] is not None for place in places) <= 1:
            rest = tuple(None if place in places else code for place, code in enumerate(key))
            alike.setdefault(rest, []).append(cell)
    in_sets = any(isinstance(extent, frozenset) for own in extents.values() for extent in own.values())
    hidden = [place for place in places if dimensions[place].hidden]
    everything = frozenset(code for place in hidden for code in extents[place])
    for rest, cells in alike.items():
        known: dict[int, list[tuple[Extent, int]]] = {place: [] for place in places}
        total: int | None = None
        for cell in cells:
            place = next((place for place in places if keys[cell][place] is not None), None)
            code = keys[cell][place] if place is not None else None
            if place is None or code is None:
                total = cell
            elif code in extents[place]:
                known[place].append((extents[place][code], cell))
        if total is not None and everything:  # of all rows
            known[_TOTAL] = [(everything, total)]
        if sum(bool(own) for own in known.values()) < 2:
            continue
        if in_sets:
            _of_sets(system, known, found, hidden=hidden)
        else:
            stretches = [each for own in known.values() for each in own]
            name = _Name(rest, places[0], joint.columns[places[0]])
            _of_stretches(system.values, stretches, total, name, found)


def _of_sets(
    system: System, known: Mapping[int, Sequence[tuple[Extent, int]]], found: Found, *, hidden: Sequence[int]
) -> None:
    """Cells that hold codes of another grouping, and what those leave of them. Hidden codes are there if not empty."""
    values, keys = system.values, system.lattice.keys
    for one, wholes in known.items():
        for other, parts in known.items():
            for extent, whole in wholes if one != other and one not in hidden else ():
                inside = [(part, cell) for part, cell in parts if _within(part, extent)]
                covered = [code for part, _ in inside for code in part]
                if not inside or len(set(covered)) < len(covered):
                    continue
                cells = [cell for _, cell in inside]
                left = float(values[whole] - values[cells].sum())
                if left < -_near(values[whole]):
                    continue  # tables that leave out different people
                if left <= _near(values[whole]) and (other in hidden or len(set(covered)) == len(extent)):
                    found.sums.append(Sum(whole=whole, parts=tuple(cells)))
                    continue
                if other in hidden:
                    raise Defect("the hidden parts of a cell do not add up to it")
                left_out = _made_of(extent, covered, [pair for place in hidden for pair in known[place]])
                if len(left_out) == 1:
                    found.sums.append(Sum(whole=whole, parts=(*cells, *left_out)))
                    continue
                place = one if one != _TOTAL else other
                of = keys[whole][place] or "all"
                taken = ", ".join(str(keys[cell][other]) for cell in cells)
                key = (*keys[whole][:place], f"{of} without {taken}", *keys[whole][place + 1 :])
                found.atoms[key] = {whole: 1, **dict.fromkeys(cells, -1)}
                found.sums.append(Sum(whole=whole, parts=(*cells, key)))
                if left_out:
                    found.sums.append(Sum(whole=key, parts=left_out))


def _made_of(whole: Extent, covered: Sequence[object], hidden: Sequence[tuple[Extent, int]]) -> tuple[int, ...]:
    """The hidden cells that are part of the whole and not covered yet."""
    return tuple(cell for part, cell in hidden if _within(part, whole) and not set(part) & set(covered))


def _within(part: Extent, whole: Extent) -> bool:
    return isinstance(part, frozenset) and isinstance(whole, frozenset) and part <= whole


def _of_stretches(
    values: Floats, known: Sequence[tuple[Extent, int]], total: int | None, name: _Name, found: Found
) -> None:
    """The stretches between neighbouring ends that listed stretches connect."""
    edges = [(extent, cell) for extent, cell in known if not isinstance(extent, frozenset)]
    reach = _connected([extent for extent, _ in edges])
    if total is not None and not _joins(reach, EVERYTHING):
        edges.append((EVERYTHING, total))
        reach = _connected([extent for extent, _ in edges])
    for ends in reach:
        own = [(extent, cell) for extent, cell in edges if extent[0] in ends]
        away = _away(ends[0], own)
        listed: dict[Range, int] = {}
        for extent, cell in own:
            listed.setdefault(extent, cell)
        atoms: dict[Range, int | Key] = {}
        signs: dict[Range, Signs] = {}
        for stretch in pairwise(ends):
            if stretch in listed:
                atoms[stretch] = listed[stretch]
                signs[stretch] = {listed[stretch]: 1}
            else:
                signs[stretch] = _less(away[stretch[1]], away[stretch[0]])
                atoms[stretch] = name.of(stretch)
        worth = {stretch: _worth(values, each) for stretch, each in signs.items()}
        if min(worth.values()) < -_near(float(values[[cell for _, cell in own]].max())):
            continue  # tables that leave out different people
        for extent, cell in own:
            inside = [stretch for stretch in atoms if extent[0] <= stretch[0] and stretch[1] <= extent[1]]
            if [atoms[stretch] for stretch in inside] == [cell]:
                continue
            if abs(sum(worth[stretch] for stretch in inside) - values[cell]) > _near(values[cell]):
                continue
            found.sums.append(Sum(whole=cell, parts=tuple(atoms[stretch] for stretch in inside)))
            found.atoms |= {key: signs[stretch] for stretch in inside if isinstance(key := atoms[stretch], tuple)}


def _joins(reach: Sequence[Sequence[float]], stretch: Range) -> bool:
    return any(stretch[0] in ends and stretch[1] in ends for ends in reach)


def _connected(stretches: Sequence[Range]) -> list[list[float]]:
    """The ends of stretches, in order, by the parts that hang together."""
    parts: list[set[float]] = []
    for stretch in stretches:
        touched = [part for part in parts if part & set(stretch)]
        parts = [part for part in parts if part not in touched] + [set(stretch).union(*touched)]
    return [sorted(part) for part in parts]


def _away(start: float, edges: Sequence[tuple[Range, int]]) -> dict[float, Signs]:
    """What lies between the start and each end: cells added and taken away, the fewest."""
    found: dict[float, Signs] = {start: {}}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for (low, high), cell in edges:
            for one, other, sign in ((low, high, 1), (high, low, -1)):
                if one == here and other not in found:
                    found[other] = _less(found[here], {cell: -sign})
                    waiting.append(other)
    return found


def _less(one: Signs, other: Signs) -> Signs:
    both = {cell: one.get(cell, 0) - other.get(cell, 0) for cell in (*one, *other)}
    return {cell: sign for cell, sign in both.items() if sign}


def _worth(values: Floats, signs: Signs) -> float:
    return float(sum(sign * values[cell] for cell, sign in signs.items()))


def _near(value: float) -> float:
    return _SAME * max(1.0, abs(value))


def grown(system: System, found: Found, *, kept: int) -> System:
    """The system with the new cells and the sums that tie them."""
    given = system.contributions
    if given is None:
        raise Defect("atoms of groupings need to know who is behind them")
    lattice = replace(system.lattice, keys=[*system.lattice.keys], numbers={**system.lattice.numbers})
    values = system.values.tolist()
    cells, holders, amounts = [given.cell], [given.holder], [given.amount]
    number: dict[Key, int] = {}
    for key, signs in found.atoms.items():
        worth = max(0.0, _worth(system.values, signs))
        own = _held(given, signs, worth)
        number[key] = _fresh(lattice, key)
        values.append(worth)
        cells.append(np.full(len(own), number[key]))
        holders.append(np.array(list(own), dtype=np.int64))
        amounts.append(np.array(list(own.values())))
    lines = [*system.lines, *_lines(found.sums, number, {(line.whole, frozenset(line.parts)) for line in system.lines})]
    many, amount = len(values), np.array(values)
    contributions = summed(np.concatenate(cells), np.concatenate(holders), np.concatenate(amounts), cells=many)
    matrix = signed(lines, many)
    return replace(
        system,
        lattice=lattice,
        lines=tuple(lines),
        matrix=matrix,
        by_cell=matrix.tocsc(),
        values=amount,
        behind=behind(contributions, amount, kept=kept),
        contributions=contributions,
        unlisted=system.unlisted + len(number),
    )


def _fresh(lattice: Lattice, key: Key) -> int:
    """A number for a name that no cell has."""
    while key in lattice.numbers:
        key = tuple(None if code is None else f"{code} " for code in key)
    return lattice.number(key)


def _lines(sums: Sequence[Sum], number: Mapping[Key, int], known: set[tuple[int, frozenset[int]]]) -> Iterator[Line]:
    """Each once; that two cells are equal is one line, whichever is the whole."""
    for each in sums:
        whole, *parts = (number[cell] if isinstance(cell, tuple) else cell for cell in (each.whole, *each.parts))
        name = (whole, frozenset(parts))
        if name not in known:
            known.add(name)
            if len(parts) == 1:
                known.add((parts[0], frozenset({whole})))
            yield Line(0, whole, tuple(parts))


def _held(given: Contributions, signs: Signs, worth: float) -> Held:
    """Who is behind a sum of cells less others."""
    added: Held = {}
    taken: Held = {}
    for cell, sign in signs.items():
        side = added if sign > 0 else taken
        for holder, amount in held_by(given, cell).items():
            side[holder] = side.get(holder, 0.0) + abs(sign) * amount
    return difference(added, taken, worth) if worth > _SAME else {}
