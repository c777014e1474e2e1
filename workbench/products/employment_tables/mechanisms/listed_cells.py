"""What a claim must say of the list of cells: noise covers values, never that a row is there at all.

A list of the workplace cells that hold an establishment is public by assumption (Haney et al.: which establishments
exist is no secret). But the program sees only establishments that have jobs in the data, so a cell that it lists itself
disappears with its last worker. Such a claim is proved only where a person declares that the list is public anyway.
"""

from __future__ import annotations

from workbench.products.employment_tables.tabulation.cells import Cells


def proved(prepared: Cells | None) -> bool:
    """Whether the list of cells is no part of what is kept secret."""
    return prepared is None or prepared.domain.is_public


def proviso(prepared: Cells | None) -> str:
    """What the claim's sentence adds, where the list is not simply every combination of public values."""
    if prepared is None or prepared.domain.lists_everything:
        return ""
    if prepared.domain.is_public:
        return " This holds provided that the list of cells is public, as the plan declares."
    return " That a cell is listed at all is not covered: the list was taken from these data."


def assumption(prepared: Cells | None) -> str:
    """The same among the assumptions, for a claim that covers taking out the last worker of a cell."""
    if proved(prepared):
        return "The list of cells does not depend on the jobs: a cell stays listed when its last worker is taken out."
    return (
        "The list of cells was taken from these data: a cell may disappear with its last worker, which is not covered."
    )
