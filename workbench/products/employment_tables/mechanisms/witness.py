"""Which establishments a release can touch at all, where it counts chosen workplaces only: what the ledger divides by.

A workplace attribute is public and has one value for an establishment, which tabulation checks. A release of chosen
values reads no other establishment, so two releases without a common value never meet on one (Haney et al. 2017,
Theorem 7.4).
Chosen *workers* are no witness: one establishment employs both kinds (Theorem 7.5 is false).
"""

from __future__ import annotations

from workbench.accounting.coverage import ESTABLISHMENT
from workbench.core.claims import Coverage
from workbench.products.employment_tables.tabulation.cells import Cells


def witness(prepared: Cells | None) -> Coverage | None:
    """The first workplace attribute of which only some values are counted; None where there is none."""
    chosen = [one for one in prepared.domain.selected if not one.worker] if prepared is not None else []
    if not chosen:
        return None
    return Coverage(attribute=chosen[0].name, values=chosen[0].values, fixed_for=(ESTABLISHMENT,))
