"""The checks the program knows: of tables of counts, and of residence flows."""

from __future__ import annotations

from workbench.audit import black_box, exact_loss, integers, posterior_ratio, requirements
from workbench.audit.attacks import check as attacks
from workbench.audit.contract import AnyCheck

TABLE_CHECKS: tuple[AnyCheck, ...] = (
    exact_loss.SPEC,
    black_box.SPEC,
    integers.SPEC,
    requirements.SPEC,
    attacks.SPEC,
)
CHECKS: tuple[AnyCheck, ...] = (*TABLE_CHECKS, posterior_ratio.SPEC)
