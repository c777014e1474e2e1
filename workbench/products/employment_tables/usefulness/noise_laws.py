"""Which law of error each mechanism has. One that is missing here is studied by its own draws instead."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.mechanisms.contract import AnyMechanism
from workbench.noise.rounded_error import rounded_laplace
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.mechanisms.block.rounding import mean_rounded
from workbench.products.employment_tables.mechanisms.block.tail import Tail
from workbench.products.employment_tables.mechanisms.cell import log_laplace, smooth_gamma, smooth_laplace
from workbench.products.employment_tables.usefulness.noise import LAPLACE, Driver, Logarithmic, Noise, Scaled
from workbench.products.employment_tables.usefulness.rounded_means import power_mean

_UNTOUCHED = PostProcessing.NONE
_NODES = 2048
_KNOTS = 1000


def noise_of(mechanism: AnyMechanism, params: Any, worker_cells: int) -> Noise | None:
    """The law of the error for feasible params on a table with so many worker cells; None where none is known.

    Values that are post-processed have another law, so they are left to sampling.
    """
    if mechanism.id not in _LAWS or getattr(params, "post_processing", _UNTOUCHED) is not _UNTOUCHED:
        return None
    return _law(mechanism.id, params, worker_cells)


@lru_cache(maxsize=4096)
def _law(mechanism: str, params: Any, worker_cells: int) -> Noise:
    """A calibration depends on settings alone, and studies ask for the same ones again and again."""
    return _LAWS[mechanism](params, worker_cells)


def _log_laplace(params: Any, cells: int) -> Noise:
    spread = log_laplace.spread_of(params, cells)
    return Logarithmic(offset=params.offset, spread=spread, unbiased=params.unbiased)


def _smooth_gamma(params: Any, cells: int) -> Noise:
    law = smooth_gamma.law_of(params)
    return Scaled(
        driver=Driver.LARGEST,
        shape=str(params.window),
        kappa=smooth_gamma.kappa_of(params, cells),
        base=params.window.scale,
        standard=law,
        rounded=lambda scale: power_mean(scale, law),
    )


def _smooth_laplace(params: Any, cells: int) -> Noise:
    return Scaled(
        driver=Driver.LARGEST,
        shape=str(params.window),
        kappa=smooth_laplace.kappa_of(params, cells),
        base=params.window.scale,
        standard=LAPLACE,
        rounded=rounded_laplace,
    )


def _block_gamma(params: Any, cells: int) -> Noise:
    tail = block_gamma.tail_for(params, cells)
    return Scaled(
        driver=Driver.WORKPLACE,
        shape=f"block {params.alpha}",
        kappa=tail.kappa,
        base=_window(params),
        standard=coordinate_law(tail),
        rounded=lambda scale: mean_rounded(scale, tail),
    )


def _block_laplace(params: Any, cells: int) -> Noise:
    return Scaled(
        driver=Driver.WORKPLACE,
        shape=f"block {params.alpha}",
        kappa=block_laplace.kappa_of(params, cells),
        base=_window(params),
        standard=LAPLACE,
        rounded=rounded_laplace,
    )


def _window(params: Any) -> Callable[[Integers | Floats], Floats]:
    share = float(Fraction(params.alpha))
    return lambda sizes: np.maximum(share * sizes, 1.0)


_LAWS: dict[str, Callable[[Any, int], Noise]] = {
    log_laplace.SPEC.id: _log_laplace,
    smooth_gamma.SPEC.id: _smooth_gamma,
    smooth_laplace.SPEC.id: _smooth_laplace,
    block_gamma.SPEC.id: _block_gamma,
    block_laplace.SPEC.id: _block_laplace,
}


class CoordinateLaw:
    """|one coordinate| of block noise: T(y) = E[(1 − y/t)₊^(d−1)], t^m = G_a/G_b the radius.

    The mean over the radius is taken at the midpoints of equal shares of its law, so T is right to about 1e-3; enough
    for shares of cells, and never used for a guarantee. The table is made when it is first asked for.
    """

    def __init__(self, tail: Tail) -> None:
        self._law = tail

    def survival(self, z: Floats) -> Floats:
        log, tail = _coordinate_table(self._law)
        found: Floats = np.interp(np.log(np.maximum(z, 1e-300)), log, tail, left=1.0, right=0.0)
        return found

    def quantile(self, tail: Floats, polish: int = 0) -> Floats:  # noqa: ARG002 - a table has no better guess
        log, known = _coordinate_table(self._law)
        found: Floats = np.exp(np.interp(-tail, -known, log))
        return found


@lru_cache(maxsize=64)
def _coordinate_table(tail: Tail) -> tuple[Floats, Floats]:
    """ln y and T(y)."""
    from scipy.special import betaincinv

    shares = (np.arange(_NODES) + 0.5) / _NODES
    part = betaincinv(float(tail.core), float(tail.far), shares)
    radius: Floats = (part / np.maximum(1.0 - part, 1e-300)) ** (1.0 / tail.sharpness)
    log = np.linspace(-10.0, float(np.log(radius[-1])), _KNOTS)
    inner = np.maximum(1.0 - np.exp(log)[:, None] / radius[None, :], 0.0)
    powered = inner ** (tail.cells - 1) if tail.cells > 1 else (inner > 0.0)
    return log, powered.mean(axis=1)


@lru_cache(maxsize=64)
def coordinate_law(tail: Tail) -> CoordinateLaw:
    """One object per law, so that whoever shares draws by law finds it again."""
    return CoordinateLaw(tail)
