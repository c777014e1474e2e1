"""The public list of cells: areas from a public file or the data dictionary, times the declared groups.

Every listed cell is published, empty ones too. A pool is a larger area times the same groups; a cell lies in one pool.
Nothing here depends on a row of the confidential file.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as combinations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Problem, UserProblem
from workbench.core.quantities import counted
from workbench.microdata.inputs import Inputs
from workbench.microdata.table import MISSING, CodedColumn, Microdata, numbers_of
from workbench.products.area_estimates.params import AreaEstimatesParams

AREAS = "areas"
EVERYWHERE = "all areas"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Areas with their larger area and, if known, coordinates; the combinations of groups; what columns are called."""

    area_column: str
    areas: tuple[str, ...]
    larger: tuple[str, ...]  # names of the larger areas
    larger_of: Integers  # for each area
    group_columns: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]  # for each group its value in each of the columns; one empty tuple without any
    latitude: Floats | None = None
    longitude: Floats | None = None
    overlays: tuple[tuple[str, Floats], ...] = ()  # further public numbers of the areas, such as a census count

    @property
    def cells(self) -> int:
        return len(self.areas) * len(self.groups)

    @property
    def pools(self) -> int:
        return len(self.larger) * len(self.groups)

    @property
    def pool(self) -> Integers:
        """The pool of each cell; cells are groups × areas, the group slowest."""
        own: Integers = (np.arange(len(self.groups))[:, None] * len(self.larger) + self.larger_of[None, :]).ravel()
        return own

    @property
    def group(self) -> Integers:
        """The group of each cell, by place."""
        own: Integers = np.repeat(np.arange(len(self.groups)), len(self.areas))
        return own

    @property
    def pool_names(self) -> tuple[str, ...]:
        return tuple(" × ".join((larger, *group)) for group in self.groups for larger in self.larger)

    def keys(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Column by column the texts that name the cells."""
        named = [
            (column, tuple(group[place] for group in self.groups for _ in self.areas))
            for place, column in enumerate(self.group_columns)
        ]
        return (*named, (self.area_column, self.areas * len(self.groups)))

    def cell_names(self) -> tuple[str, ...]:
        return tuple(" × ".join((area, *group)) for group in self.groups for area in self.areas)


def list_problems(inputs: Inputs, params: AreaEstimatesParams) -> tuple[Problem, ...]:
    """Lists that are not declared, and columns that the areas file lacks."""
    found = []
    file = inputs.companions.get(AREAS)
    if file is None:
        if not _declared(inputs, params.cell):
            found.append(
                Problem(
                    f"No public list says which values of “{params.cell}” there are",
                    "cell",
                    "Add an areas file, or a data dictionary that was not taken from the data",
                )
            )
        if params.pool:
            found.append(Problem("There is no areas file to name the pools", "pool", "Add it, or leave the pool empty"))
    else:
        wanted = [params.cell, *filter(None, (params.pool, params.latitude, params.longitude))]
        found += [
            Problem(f"The areas file has no column “{name}”", file.name, f"Its columns: {', '.join(file.columns)}")
            for name in wanted
            if name not in file.columns
        ]
    found += [
        Problem(
            f"No data dictionary declares the values of “{name}”",
            "groups",
            "List them in one that was not taken from the data, or drop the column",
        )
        for name in params.groups
        if not _declared(inputs, name)
    ]
    return tuple(found)


def places_of(inputs: Inputs, params: AreaEstimatesParams) -> Places:
    groups = tuple(combinations(*(_declared(inputs, name) for name in params.groups)))
    file = inputs.companions.get(AREAS)
    if file is None:
        areas = _declared(inputs, params.cell)
        return Places(
            area_column=params.cell, areas=areas, larger=(EVERYWHERE,), larger_of=np.zeros(len(areas), np.int64),
            group_columns=params.groups, groups=groups,
        )  # fmt: skip
    return _from_file(file, params, groups)


def _declared(inputs: Inputs, name: str) -> tuple[str, ...]:
    column = inputs.microdata.columns.get(name)
    return column.declared_values if isinstance(column, CodedColumn) else ()


def _from_file(file: Microdata, params: AreaEstimatesParams, groups: tuple[tuple[str, ...], ...]) -> Places:
    column = file.coded(params.cell)
    codes = column.codes.reveal()
    if (codes == MISSING).any() or len(np.unique(codes)) < len(codes):
        raise UserProblem("An area of the areas file has no name, or has two rows", file.name, "Keep one row per area")
    order = np.argsort(codes)
    larger, larger_of = _larger(file, params.pool, order)
    latitude, longitude = (
        numbers_of(file.columns[name])[order] if name else None for name in (params.latitude, params.longitude)
    )
    return Places(
        area_column=params.cell,
        areas=tuple(str(column.values[code]) for code in codes[order].tolist()),
        larger=larger,
        larger_of=larger_of,
        group_columns=params.groups,
        groups=groups,
        latitude=latitude,
        longitude=longitude,
        overlays=_overlays(file, params, order),
    )


def _overlays(file: Microdata, params: AreaEstimatesParams, order: NDArray[np.intp]) -> tuple[tuple[str, Floats], ...]:
    """Every other column of the areas file that holds numbers throughout."""
    used = {params.cell, params.pool, params.latitude, params.longitude}
    listed = ((name, numbers_of(column)[order]) for name, column in file.columns.items() if name not in used)
    return tuple((name, numbers) for name, numbers in listed if np.isfinite(numbers).all())


def _larger(file: Microdata, name: str, order: NDArray[np.intp]) -> tuple[tuple[str, ...], Integers]:
    if not name:
        return (EVERYWHERE,), np.zeros(len(order), np.int64)
    column = file.coded(name)
    codes = column.codes.reveal()[order].astype(np.int64)
    without = int((codes == MISSING).sum())
    if without:
        raise UserProblem(f"{counted(without, 'area')} of the areas file lie in no “{name}”", file.name, "Complete it")
    return tuple(str(value) for value in column.values), codes
