"""Coarser levels of a PSEO file, added up from what was drawn: fields of four digits to families and to all, cohorts to
all. Nothing is drawn again, so that they cost no further ε.

Counts are sums of published counts; percentiles follow from sums of noisy bins, as those of the cells do. A column is
added up only where all its listed codes are of one level: otherwise codes would lie in one another. The schema has no
level for all institutions together: the programme as a whole is in a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import Published
from workbench.products.outcome_reports.files.reports import whole
from workbench.products.outcome_reports.outcomes import SHARES
from workbench.products.outcome_reports.percentiles import interpolated, onto_simplex
from workbench.products.outcome_reports.published_outcomes import NAMES

ALL = {"cipcode": "00", "grad_cohort": "0000"}
Cells = dict[str, str]


def cip_level(code: str) -> str:
    return "A" if code == ALL["cipcode"] else "2" if len(code) == 2 else "4"


def coarser_cells(table: Published, cells: Sequence[Cells]) -> list[tuple[Cells, dict[str, Cells]]]:
    """The keys of each coarser cell, and by year its texts. `cells` are the keys of the table's cells, in its order."""
    years = table.keys[-1].values
    count = table.units(NAMES[0]).numbers().reshape(len(cells), len(years))
    bins = _bins(table, len(cells), len(years))
    found = []
    for keys, own in _groups(cells):
        counts = whole(count[own].sum(axis=0))
        texts = [[""] * len(years)] * len(SHARES) if bins is None else _percentiles(bins[0], bins[1][own].sum(axis=0))
        values = {
            year: dict(zip((NAMES[0], *NAMES[2:]), (counts[at], *(column[at] for column in texts)), strict=True))
            for at, year in enumerate(years)
        }
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


def _bins(table: Published, cells: int, years: int) -> tuple[Floats, Integers] | None:
    """Edges and noisy people, cells × years × bins; None where none were drawn or cells have edges of their own."""
    beside = table.published_beside
    if beside is None or "noisy_people" not in beside.names or beside.rows % (cells * years):
        return None
    shape = (cells, years, beside.rows // (cells * years))
    low, high = (beside.units(name).integers.reshape(shape) for name in ("earnings_from", "earnings_to"))
    if (low != low[0, 0]).any() or (high != high[0, 0]).any():
        return None
    edges: Floats = np.append(low[0, 0], high[0, 0, -1]).astype(np.float64)
    return edges, beside.units("noisy_people").integers.reshape(shape)


def _percentiles(edges: Floats, people: Integers) -> list[list[str]]:
    """By share, year by year; empty where the noisy people are not positive."""
    found = interpolated(edges, onto_simplex(people.astype(np.float64)), SHARES)
    return [whole(found[:, place]) for place in range(len(SHARES))]
