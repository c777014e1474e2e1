"""The checks the program knows: of tables of counts, and of residence flows."""

from __future__ import annotations

from workbench.audit import black_box, exact_loss
from workbench.audit import completeness as integers
from workbench.audit.contract import AnyCheck
from workbench.products.commuting_flows.audit import posterior_ratio
from workbench.products.employment_tables.audit import requirements
from workbench.products.employment_tables.audit.attacks import check as attacks

TABLE_CHECKS: tuple[AnyCheck, ...] = (
    exact_loss.SPEC,
    black_box.SPEC,
    integers.SPEC,
    requirements.SPEC,
    attacks.SPEC,
)
CHECKS: tuple[AnyCheck, ...] = (*TABLE_CHECKS, posterior_ratio.SPEC)
