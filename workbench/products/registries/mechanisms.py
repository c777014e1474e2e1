"""The mechanisms the program knows. A new one is a file and a line here; a new meaning is a new version."""

from __future__ import annotations

from workbench.mechanisms.contract import AnyMechanism
from workbench.products.commuting_flows import synthetic_residences
from workbench.products.employment_tables.mechanisms import laplace, node_down_sensitivity, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.cell import log_laplace, smooth_gamma, smooth_laplace

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
