"""How large a derived group really is: jobs and establishments, from the confidential cells of the release at hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.audit.differencing.cells import dimension_of
from workbench.audit.differencing.group_sizes import Contributors
from workbench.audit.differencing.search import Group
from workbench.audit.differencing.tables import Hierarchy
from workbench.core.confidential import Confidential
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells


def establishments_in(cells: Cells, hierarchies: Sequence[Hierarchy] = ()) -> Contributors:
    """A function from a group to its number of establishments; None where the cells do not tell such groups apart."""
    attributes = (*cells.domain.workplace, *cells.domain.worker)
    named = {dimension_of(attribute.name, hierarchies): place for place, attribute in enumerate(attributes)}
    codes = cells.domain.codes(np.arange(cells.domain.cells, dtype=np.int64))

    def count(group: Group) -> Confidential[int] | None:
        wanted = np.ones(len(codes), dtype=bool)
        asked: list[tuple[str, tuple[str, ...], bool]] = [(dimension, (code,), True) for dimension, code in group.codes]
        if group.other_than is not None:
            asked.append((*group.other_than, False))
        for dimension, chosen, inside in asked:
            if dimension not in named or cells.contributions is None:
                return None
            place = named[dimension]
            matching = _matching(attributes[place], chosen, dimension, hierarchies)
            wanted &= matching[codes[:, place]] == inside
        return _present(cells, wanted)

    return count


def _matching(
    attribute: Attribute, chosen: Sequence[str], dimension: str, hierarchies: Sequence[Hierarchy]
) -> NDArray[np.bool_]:  # fmt: skip
    """Which values of the attribute are one of the chosen codes or lie below one."""
    found = next((each for each in hierarchies if dimension_of(each.dimension, hierarchies) == dimension), None)
    parents = found.parents if found is not None else {}
    matches = []
    for value in attribute.values:
        above, seen = value, {value}
        while above not in chosen and above in parents and parents[above] not in seen:
            above = parents[above]
            seen.add(above)
        matches.append(above in chosen)
    return np.array(matches, dtype=bool)


def _present(cells: Cells, wanted: NDArray[np.bool_]) -> Confidential[int] | None:
    if cells.contributions is None:
        return None
    entries = cells.contributions.reveal()
    return Confidential(len(np.unique(entries.establishment[wanted[entries.cell]])))
