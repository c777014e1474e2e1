"""Coarser levels of a PSEO file, added up from what was drawn: fields of four digits to families and to all, cohorts to
all. Nothing is drawn again, so that they cost no further ε.

Counts are sums of published counts; percentiles follow from sums of noisy bins, as those of the cells do. A column is
added up only where all its listed codes are of one level: otherwise codes would lie in one another. The schema has no
level for all institutions together: the programme as a whole is in a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from workbench.core.published import Published
from workbench.products.outcome_reports.files.added_bins import drawn_bins
from workbench.products.outcome_reports.files.reports import whole
from workbench.products.outcome_reports.outcomes import SHARES
from workbench.products.outcome_reports.published_outcomes import NAMES

ALL = {"cipcode": "00", "grad_cohort": "0000"}
Cells = dict[str, str]


def cip_level(code: str) -> str:
    return "A" if code == ALL["cipcode"] else "2" if len(code) == 2 else "4"


def coarser_cells(table: Published, cells: Sequence[Cells]) -> list[tuple[Cells, dict[str, Cells]]]:
    """The keys of each coarser cell, and by year its texts. `cells` are the keys of the table's cells, in its order."""
    years = table.keys[-1].values
    count = table.units(NAMES[0]).numbers().reshape(len(cells), len(years))
    bins = drawn_bins(table)
    found = []
    for keys, own in _groups(cells):
        counts = whole(count[own].sum(axis=0))
        values = {}
        for at, year in enumerate(years):
            rows = [cell * len(years) + at for cell in own]
            texts = [""] * len(SHARES) if bins is None else whole(bins.percentiles(rows))
            values[year] = dict(zip((NAMES[0], *NAMES[2:]), (counts[at], *texts), strict=True))
        found.append((keys, values))
    return found


def _groups(cells: Sequence[Cells]) -> list[tuple[Cells, list[int]]]:
    """Coarser keys and the places of the cells that they hold, level by level."""
    levels = {name: _levels(name, [each[name] for each in cells]) for name in ALL if name in cells[0]}
    found: list[tuple[Cells, list[int]]] = []
    for digits in list(product(*levels.values()))[1:]:  # the first is that of the cells themselves
        groups: dict[tuple[str, ...], list[int]] = {}
        for place, each in enumerate(cells):
            cut = {name: _cut(name, each[name], kept) for name, kept in zip(levels, digits, strict=True)}
            groups.setdefault(tuple({**each, **cut}.values()), []).append(place)
        found += [(dict(zip(cells[0], key, strict=True)), own) for key, own in groups.items()]
    return found


def _levels(name: str, codes: Sequence[str]) -> tuple[int | None, ...]:
    """How many characters of the codes are kept: all of them, two, none."""
    if name == "grad_cohort":
        return (None,) if ALL[name] in codes else (None, 0)
    known = {cip_level(code) for code in codes}
    return {"4": (None, 2, 0), "2": (None, 0)}.get(known.pop(), (None,)) if len(known) == 1 else (None,)


def _cut(name: str, code: str, kept: int | None) -> str:
    return code if kept is None else code[:kept] or ALL[name]
