"""Public planning sizes: how many people a cell of each institution and title usually has in a year.

The file has a column `people` and columns of the plan's institution and titles, some or all of them. A row stands for
every cell with its codes. Cells of codes that no row has are planned as the method's own setting says. The sizes set
the number of bins and nothing else; they come from a public file such as IPEDS, never from the confidential rows.
"""

from __future__ import annotations

import numpy as np

from workbench.core.errors import Problem
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.table import Microdata, NumericColumn, numbers_of
from workbench.products.outcome_reports.layout import Layout, Listed

PLANNING = "planning"
PEOPLE = "people"
COMPANION = Companion(
    name=PLANNING,
    title="Planning sizes",
    help="Usual people in a cell and year, by institution and title: a column “people” beside their codes; public.",
    required=False,
)


def planning_problems(inputs: Inputs, names: tuple[str, ...]) -> tuple[Problem, ...]:
    """`names` are the columns of institution and titles. The file is public: every row of it may stop a plan."""
    file = inputs.companions.get(PLANNING)
    if file is None:
        return ()
    if PEOPLE not in file.columns:
        columns = ", ".join(file.columns)
        return (Problem(f"The planning sizes have no column “{PEOPLE}”", file.name, f"Its columns: {columns}"),)
    used = [name for name in names if name in file.columns]
    if not used:
        do = f"Add at least one of: {', '.join(names)}"
        return (Problem("The planning sizes do not say which cells they are for", file.name, do),)
    found = [
        Problem(f"“{name}” holds numbers in the planning sizes", file.name, "Write its codes as text, zeros included")
        for name in used
        if isinstance(file.columns[name], NumericColumn)
    ]
    people = numbers_of(file.columns[PEOPLE])
    if not (np.isfinite(people).all() and (people >= 1).all()):
        found.append(Problem("A planning size is missing or below 1", file.name, "Give every row a number of people"))
    if not found and len(set(_keys(file, used))) < file.rows:
        found.append(Problem("A cell has two planning sizes", file.name, "List each combination once"))
    return tuple(found)


def planned_sizes(inputs: Inputs, layout: Layout) -> tuple[int | None, ...] | None:
    """Of a cell of each block; None in it where the file does not say."""
    file = inputs.companions.get(PLANNING)
    if file is None:
        return None
    fixed: tuple[Listed, ...] = layout.keys[: len(layout.keys) - len(layout.sectors) - 1]
    used = [(place, key.name) for place, key in enumerate(fixed) if key.name in file.columns]
    people = np.rint(numbers_of(file.columns[PEOPLE])).astype(int).tolist()
    known = dict(zip(_keys(file, [name for _, name in used]), people, strict=True))
    shape = tuple(len(key.values) for key in fixed)
    return tuple(known.get(tuple(fixed[place].values[at[place]] for place, _ in used)) for at in np.ndindex(*shape))


def _keys(file: Microdata, names: list[str]) -> list[tuple[str, ...]]:
    columns = []
    for name in names:
        column = file.coded(name)
        columns.append([str(column.values[code]) if code >= 0 else "" for code in column.codes.reveal().tolist()])
    return list(zip(*columns, strict=True))
