"""What the codes of a suppressed table stand for: which column they group and what of it each of them covers.

Recodings of the plan say so: classes of a number, beginnings of codes, parents of the data dictionary. Of two columns
of places, or of attributes whose codes begin with the other's, the finer one is part of the coarser one where the rows
say that it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from workbench.baselines.suppression.hierarchy import Dimension, Extent
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.microdata.dictionary import read_csv
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import Recoding
from workbench.microdata.shaping.recoding import class_codes
from workbench.microdata.table import CodedColumn, Microdata
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData
from workbench.review.run.paths import resolved

_NESTED = (Role.GEOGRAPHY, Role.WORKPLACE)


def grouped(table: Tabulated, plan: Plan, loaded: LoadedData, *, base: Path) -> Tabulated:
    """The table with what its codes stand for."""
    made = (_named(dimension, plan) for dimension in table.dimensions)
    return replace(table, dimensions=tuple(_grouped(dimension, plan, loaded, base) for dimension in made))


def _named(dimension: Dimension, plan: Plan) -> Dimension:
    """Where the product groups a column by a name of its own, that name says how the column was recoded."""
    if not dimension.column:
        return dimension
    how = told_apart(dimension.name, plan.data.shaping.recode.get(dimension.column), {dimension.name: None})
    return replace(dimension, name=how)


def _grouped(dimension: Dimension, plan: Plan, loaded: LoadedData, base: Path) -> Dimension:
    name, microdata = dimension.of, loaded.microdata
    recoding = plan.data.shaping.recode.get(name)
    if recoding is None:
        finer = _finer(name, plan, microdata)
        return dimension if not finer else replace(dimension, column=finer, extents=_pairs(microdata, name, finer))
    if recoding.edges:
        return replace(dimension, column=recoding.of, extents=_classes(recoding))
    if recoding.keyed:
        return dimension
    finest = _finer(recoding.of, plan, microdata) or recoding.of
    if known := _pairs(microdata, name, finest):
        return replace(dimension, column=finest, extents=known)
    if recoding.prefix:
        return replace(dimension, column=recoding.of, prefix=recoding.prefix)
    return replace(dimension, column=recoding.of, extents=_parents(recoding, plan, base))


def _classes(recoding: Recoding) -> dict[str, Extent]:
    ends = pairwise([-math.inf, *(float(edge) for edge in recoding.edges), math.inf])
    return dict(zip(class_codes(recoding), ends, strict=True))


def _parents(recoding: Recoding, plan: Plan, base: Path) -> dict[str, Extent]:
    if not plan.data.dictionary:
        return {}
    above: dict[str, set[str]] = {}
    for code, parent in read_csv(resolved(base, plan.data.dictionary)).of(recoding.of).parents.items():
        above.setdefault(parent, set()).add(code)
    return {parent: frozenset(codes) for parent, codes in above.items()}


def _finer(name: str, plan: Plan, microdata: Microdata) -> str:
    """The finest column whose every code is part of one code of this column; none where there is none."""
    roles = plan.data.roles
    own = microdata.columns.get(name)
    if microdata.elsewhere is not None or roles.get(name) not in _NESTED or not isinstance(own, CodedColumn):
        return ""
    found = [
        (-len(other.values), other.name)
        for other in microdata.columns.values()
        if isinstance(other, CodedColumn)
        and roles.get(other.name) in _NESTED
        and other.name not in plan.data.shaping.recode
        and len(other.values) > len(own.values)
        and _part_of(other, own, places=roles[name] == roles[other.name] == Role.GEOGRAPHY)
    ]
    return min(found)[1] if found else ""


def _part_of(finer: CodedColumn, coarser: CodedColumn, *, places: bool) -> bool:
    pairs = _met(finer, coarser)
    if len({one for one, _ in pairs}) < len(pairs):
        return False
    return places or all(one.startswith(other) for one, other in pairs)


def _met(one: CodedColumn, other: CodedColumn) -> Sequence[tuple[str, str]]:
    """The pairs of codes that rows have."""
    first, second = one.codes.reveal().astype(np.int64), other.codes.reveal().astype(np.int64)
    known = (first >= 0) & (second >= 0)
    pairs = np.unique(first[known] * max(len(other.values), 1) + second[known])
    at, of = np.divmod(pairs, max(len(other.values), 1))
    return [(one.values[a], other.values[b]) for a, b in zip(at.tolist(), of.tolist(), strict=True)]


def _pairs(microdata: Microdata, name: str, finer: str) -> Mapping[str, Extent]:
    """What each code covers, by the rows; nothing where a column is not at hand or its codes are not parts."""
    own, other = microdata.columns.get(name), microdata.columns.get(finer)
    if not isinstance(own, CodedColumn) or not isinstance(other, CodedColumn) or microdata.elsewhere is not None:
        return {}
    pairs = _met(other, own)
    if len({one for one, _ in pairs}) < len(pairs):
        return {}
    covers: dict[str, set[str]] = {}
    for code, above in pairs:
        covers.setdefault(above, set()).add(code)
    return {above: frozenset(codes) for above, codes in covers.items()}


def told_apart(name: str, recoding: Recoding | None, known: dict[str, Recoding | None]) -> str:
    """The name of a column beside others: another recoding of the same name has its own. `known` is added to."""
    if known.setdefault(name, recoding) == recoding:
        return name
    if recoding is None:
        return f"{name}, not recoded"
    how = ", ".join(recoding.edges) or (f"first {recoding.prefix}" if recoding.prefix else recoding.of)
    return f"{name}: {how}"
