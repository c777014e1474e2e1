"""The mechanisms the program knows. A new one is a file and a line here; a new meaning is a new version."""

from __future__ import annotations

from workbench.mechanisms import block_gamma, block_laplace, laplace, node_down_sensitivity, node_truncation
from workbench.mechanisms.contract import AnyMechanism

MECHANISMS: tuple[AnyMechanism, ...] = (
    laplace.SPEC,
    block_gamma.SPEC,
    block_laplace.SPEC,
    node_truncation.SPEC,
    node_down_sensitivity.SPEC,
)
