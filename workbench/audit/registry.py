"""The checks the program knows."""

from __future__ import annotations

from workbench.audit import black_box, exact_loss, integers, requirements
from workbench.audit.attacks import check as attacks
from workbench.audit.contract import AnyCheck

CHECKS: tuple[AnyCheck, ...] = (exact_loss.SPEC, black_box.SPEC, integers.SPEC, requirements.SPEC, attacks.SPEC)
