"""The mechanisms the program knows. A new one is a file and a line here; a new meaning is a new version."""

from __future__ import annotations

from workbench.mechanisms import (
    block_gamma,
    block_laplace,
    laplace,
    log_laplace,
    node_down_sensitivity,
    node_truncation,
    smooth_gamma,
    smooth_laplace,
    synthetic_residences,
)
from workbench.mechanisms.contract import AnyMechanism

MECHANISMS: tuple[AnyMechanism, ...] = (
    laplace.SPEC,
    log_laplace.SPEC,
    smooth_gamma.SPEC,
    smooth_laplace.SPEC,
    block_gamma.SPEC,
    block_laplace.SPEC,
    node_truncation.SPEC,
    node_down_sensitivity.SPEC,
    synthetic_residences.SPEC,
)
