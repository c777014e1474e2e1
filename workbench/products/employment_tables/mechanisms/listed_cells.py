"""What a claim must say of the list of cells: noise covers values, never that a row is there at all.

A claim is proved only by the *rule* of the list: every combination of the values that a dictionary of its own declares,
or the list of a public file, whose cells without jobs stay in. The program sees only establishments that have jobs in
the data, so a list that it takes from the jobs loses a cell with its last worker: with and without that worker the
tables have different rows, and no ε holds. That such a list happens to be complete, or that somebody says it is public,
changes nothing; both would be another claim for neighbouring data.
"""

from __future__ import annotations

from workbench.products.employment_tables.tabulation.cells import Cells, Domain, Listing

CONDITION = "the list of cells, taken from these data"
_REMEDY = (
    "Publish all combinations of values, or give the register as a public file that lists the cells, with a data "
    "dictionary of its own for every attribute."
)


def proved(prepared: Cells | None) -> bool:
    """Whether, by rule, the list of cells is the same for all data."""
    return prepared is None or prepared.domain.is_public


def condition(prepared: Cells | None) -> str:
    """What the claim holds fixed although it was taken from the data; nothing where it is proved."""
    return "" if proved(prepared) else CONDITION


def remedy(prepared: Cells | None) -> str:
    """What would make the claim a proved one."""
    return "" if proved(prepared) else _REMEDY


def provided(prepared: Cells | None) -> tuple[str, ...]:
    """What somebody must declare so that the claim holds."""
    if prepared is None or not proved(prepared) or prepared.domain.listing is not Listing.PUBLIC_FILE:
        return ()
    return (f"{prepared.domain.register} is public and was not made from these data",)


def proviso(prepared: Cells | None) -> str:
    """What the claim's sentence adds, where the list is not simply every combination of public values."""
    if prepared is None or prepared.domain.lists_everything:
        return ""
    if prepared.domain.is_public:
        return f" This holds provided that {provided(prepared)[0]}."
    return f" {_uncovered(prepared.domain)}"


def assumption(prepared: Cells | None) -> str:
    """The same among the assumptions, for a claim that covers taking out the last worker of a cell."""
    if proved(prepared):
        return "The list of cells does not depend on the jobs: a cell stays listed when its last worker is taken out."
    return (
        "The list of cells was taken from these data: a cell may disappear with its last worker, which is not covered."
    )


def _uncovered(domain: Domain) -> str:
    if domain.listing is not Listing.JOBS:
        return "The noise does not hide which values occur, because their list comes from the data file."
    declared = " The plan declares the list public, but no public file was read." if domain.declared_public else ""
    return f"The noise does not hide which cells exist, because the list of cells was taken from these data.{declared}"
