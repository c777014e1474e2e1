"""The mechanisms the program knows. A new one is a file and a line here; a new meaning is a new version."""

from __future__ import annotations

from workbench.mechanisms import block_gamma, laplace
from workbench.mechanisms.contract import AnyMechanism

MECHANISMS: tuple[AnyMechanism, ...] = (laplace.SPEC, block_gamma.SPEC)
