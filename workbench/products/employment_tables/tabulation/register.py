"""Workplace cells that a public file lists: one row for each establishment or cell, with the table's workplace columns.

The list is the file's alone. A cell without jobs stays in, and is published with noise like any other; so the rows of
the table are the same whoever works there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Problem, raise_if
from workbench.microdata.table import MISSING, CodedColumn, Microdata
from workbench.products.employment_tables.tabulation.cells import Attribute


def register_problems(register: Microdata, workplace: tuple[str, ...]) -> tuple[Problem, ...]:
    """Which columns of the table the public file lacks."""
    return tuple(
        Problem(
            f"The register has no column “{name}”",
            register.name,
            f"Give it the workplace columns of the table. Its columns: {', '.join(register.columns)}",
        )
        for name in workplace
        if not isinstance(register.columns.get(name), CodedColumn)
    )


def registered_cells(register: Microdata, workplace: tuple[Attribute, ...]) -> NDArray[np.int32]:
    """The combinations of workplace values that the register lists, each once, the first attribute slowest."""
    raise_if(register_problems(register, tuple(attribute.name for attribute in workplace)))
    placed = [_positions(register, attribute) for attribute in workplace]
    return np.unique(np.stack(placed, axis=1), axis=0) if placed else np.zeros((1, 0), dtype=np.int32)


def _positions(register: Microdata, attribute: Attribute) -> NDArray[np.int32]:
    """For every row of the register, where its code stands among the attribute's values."""
    column = register.coded(attribute.name)
    where = {value: position for position, value in enumerate(attribute.values)}
    of_code = np.array([where.get(str(text), MISSING) for text in column.values] + [MISSING], dtype=np.int32)
    found = of_code[column.codes.reveal()]
    if (found == MISSING).any():
        what = f"The register has a “{attribute.name}” that the data dictionary does not list, or none at all"
        raise_if((Problem(what, register.name, "Complete the data dictionary, or correct the register"),))
    return found
