"""Worker cells estimated from noisy ones by components of variance: what differs between employers, and in what.

Input is what was drawn, public attributes and the metered size of the noise, so this is post-processing.
Model: the shares of a workplace differ from those of its kind, p, with covariance Φ = Σ_A φ_A·B_A + (φ_rest + 1/T)·B:
one component for each worker attribute A and one for the rest. B = diag p − pp′; with q the margin of A under p and M
the shares of the worker cells given each of its values, B_A = M(diag q − qq′)M′. 1/T is plain sampling. The noise of a
block has covariance s²·C, C = c₁I + c₂J, s² as `block_scale_meter` asks for it in classes of about one noisy total T.
Shares: y/T pooled over the others of the kind with weights 1/v, v = c₁s²/T² + .125/T + .002 at first, and after a first
fit c₁s²/T² + tr Φ/d.
Fit: φ_k = c0_k + c1_k·ρ ≥ 0 with ρ the class's mean of (S/max(αT, 1))². For L the sums over the values of each
attribute, and the cells themselves, the class's mean of ‖Lr‖², r = (y − pΣy)/T, is set equal to what components,
sampling and noise give together; non-negative least squares over all classes, each equation by its own spread (the
residuals are capped, because the noise has heavy tails).
Estimate: V = T²Φ + s²C, T̂ = p′V⁻¹y/p′V⁻¹p, T̂p + T²ΦV⁻¹(y − T̂p): the best linear predictor where T has no prior
(Robinson 1991; using it here is ours). Where shares differ a lot Φ is large and little is borrowed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.products.employment_tables.mechanisms.block.scale_meter import ScaleMeter
from workbench.products.employment_tables.mechanisms.block.shrinkage import (
    LEAST_ABOUT,
    TRIMMED,
    Pool,
    of_about_one_total,
)

_MOST_ABOUT = 1000  # workplace cells of about one total; in small tables an eighth of all, so that sizes stay apart
_SAMPLING, _SPREAD = 0.125, 0.002  # of a share before anything is fitted
_NOISE_UNSURE = 0.03  # how far the noise's part of an equation may be off, as a share
_PASSES = 2
_NUMBERS = 1_500_000  # of the matrices held at once
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Covariance:
    """Of the noise of one block per S²: c₁ for each cell, c₂ between any two of them and on top of c₁."""

    own: float
    shared: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Classed:
    """Workplace cells of about one total: their rows, ρ of the class, and s/T of each row, squared."""

    rows: Rows
    square: float
    noise: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """φ of each attribute and of the rest, as c0 + c1·ρ; `groups` say which worker cells have which value."""

    groups: tuple[Floats, ...]  # worker cells × values, 0 or 1
    constant: Floats
    slope: Floats

    def at(self, square: float) -> Floats:
        found: Floats = self.constant + self.slope * square
        return found


def groups_of(sizes: Sequence[int]) -> tuple[Floats, ...]:
    """For each worker attribute which of its values each worker cell has; none where there is one attribute alone."""
    if len(sizes) < 2:
        return ()
    codes = np.unravel_index(np.arange(math.prod(sizes)), sizes)
    return tuple(np.eye(size)[code] for size, code in zip(sizes, codes, strict=True))


def estimated(pool: Pool, sizes: Sequence[int], noise: Covariance, meter: ScaleMeter, context: Context) -> Floats:
    """The estimates, not yet rounded and not yet above zero (workplace cells × worker cells)."""
    context.step(0.0, "asking how large the noise is")
    estimate, groups = pool.noisy.copy(), groups_of(sizes)
    classes = _classes(pool, meter)
    if not classes:
        return estimate
    spread = [noise.own * one.noise + _SAMPLING / pool.total[one.rows] + _SPREAD for one in classes]
    for number in range(_PASSES):
        context.step(0.1 + 0.3 * number, "finding what differs between workplaces")
        shares = _shares(pool, classes, spread)
        fitted = _fitted(pool, classes, shares, groups=groups, noise=noise)
        spread = [
            noise.own * one.noise + _traces(fitted, share, pool.total[one.rows], one.square)
            for one, share in zip(classes, shares, strict=True)
        ]
    shares = _shares(pool, classes, spread)
    for number, (one, share) in enumerate(zip(classes, shares, strict=True)):
        context.step(0.7 + 0.3 * number / len(classes), "comparing workplace cells of about the same size")
        told = share.sum(axis=1) > 0.0
        rows = one.rows[told]
        estimate[rows] = predicted(
            pool.noisy[rows],
            share[told],
            pool.total[rows],
            components=replace(fitted, constant=fitted.at(one.square), slope=np.zeros_like(fitted.slope)),
            noise=noise,
            scale=np.sqrt(one.noise[told]) * pool.total[rows],
        )
    return estimate


def _classes(pool: Pool, meter: ScaleMeter) -> list[Classed]:
    least = min(_MOST_ABOUT, max(LEAST_ABOUT, int(np.count_nonzero(pool.usable())) // 8))
    rows = tuple(of_about_one_total(pool, least))
    made = []
    for some, square in zip(rows, meter.mean_squares(rows, pool.total), strict=True):
        total = pool.total[some]
        size = np.maximum(math.sqrt(square) * meter.most(total), 1.0)  # S is never below 1
        made.append(Classed(rows=some, square=square, noise=(size / total) ** 2))
    return made


def _shares(pool: Pool, classes: Sequence[Classed], spread: Sequence[Floats]) -> list[Floats]:
    """Of each workplace cell: pooled over the others of its kind, the more exactly known counting for more."""
    weight = np.zeros(len(pool.total))
    for one, variance in zip(classes, spread, strict=True):
        weight[one.rows] = 1.0 / (pool.total[one.rows] * variance)
    sums = np.stack(
        [np.bincount(pool.group, weights=weight * column, minlength=len(pool.sums)) for column in pool.noisy.T], axis=1
    )
    found = []
    for one in classes:
        others = np.maximum(sums[pool.group[one.rows]] - weight[one.rows, None] * pool.noisy[one.rows], 0.0)
        whole = others.sum(axis=1, keepdims=True)
        found.append(np.divide(others, whole, out=np.zeros_like(others), where=whole > 0))
    return found


def _fitted(
    pool: Pool, classes: Sequence[Classed], shares: Sequence[Floats], *, groups: tuple[Floats, ...], noise: Covariance
) -> Components:
    """All classes at once; see the module's docstring."""
    from scipy.optimize import nnls

    cells = pool.noisy.shape[1]
    looks = (*groups, np.eye(cells))
    left, right = [], []
    for one, share in zip(classes, shares, strict=True):
        told = share.sum(axis=1) > 0.0
        rows, p, q = one.rows[told], share[told], one.noise[told]
        if not len(rows):
            continue
        total, noisy = pool.total[rows], pool.noisy[rows]
        residual = (noisy - p * noisy.sum(axis=1, keepdims=True)) / total[:, None]
        weight = 1.0 / (q + np.median(q))
        weight /= weight.sum()
        for look in looks:
            seen = ((residual @ look) ** 2).sum(axis=1)
            seen = np.minimum(seen, np.quantile(seen, TRIMMED))
            by_component = np.array([weight @ _trace(group, look, p) for group in looks])
            by_noise = float(weight @ (q * _noise_trace(look, p, noise)))
            beyond = float(weight @ seen) - float(weight @ (_trace(looks[-1], look, p) / total)) - by_noise
            unsure = float((weight**2) @ (seen - weight @ seen) ** 2) + (_NOISE_UNSURE * by_noise) ** 2
            left.append(np.concatenate([by_component, one.square * by_component]) / math.sqrt(max(unsure, 1e-300)))
            right.append(beyond / math.sqrt(max(unsure, 1e-300)))
    parts = len(looks)
    solved = nnls(np.array(left), np.array(right))[0] if left else np.zeros(2 * parts)
    return Components(groups=groups, constant=solved[:parts], slope=solved[parts:])


def _trace(group: Floats, look: Floats, p: Floats) -> Floats:
    """tr(L·B_A·L′) for each row of shares: Σ over values a of Σ_m P(m and a)²/P(a), less ‖Lp‖²."""
    margin = p @ group
    joint = (p[:, :, None] * look).transpose(0, 2, 1) @ group
    inside = np.divide(joint**2, margin[:, None, :], out=np.zeros_like(joint), where=margin[:, None, :] > 0.0)
    found: Floats = inside.sum(axis=(1, 2)) - ((p @ look) ** 2).sum(axis=1)
    return found


def _noise_trace(look: Floats, p: Floats, noise: Covariance) -> Floats:
    """tr(L(I − p1′)C(I − 1p′)L′)."""
    cells, seen, all_of = p.shape[1], p @ look, look.sum(axis=0)
    own = float((look**2).sum()) - 2.0 * seen @ all_of + cells * (seen**2).sum(axis=1)
    shared = ((all_of - cells * seen) ** 2).sum(axis=1)
    found: Floats = noise.own * own + noise.shared * shared
    return found


def _traces(components: Components, p: Floats, total: Floats, square: float) -> Floats:
    """tr Φ/d of each row."""
    cells = p.shape[1]
    whole = np.eye(cells)
    looks = (*components.groups, whole)
    found = sum((phi * _trace(group, whole, p) for phi, group in zip(components.at(square), looks, strict=True)),
                start=_trace(whole, whole, p) / total)  # fmt: skip
    made: Floats = np.asarray(found) / cells
    return made


def predicted(
    noisy: Floats, shares: Floats, total: Floats, *, components: Components, noise: Covariance, scale: Floats
) -> Floats:
    """T̂p + T²ΦV⁻¹(y − T̂p) for each row; φ are the components' constants, `scale` is s."""
    made = np.empty_like(noisy)
    rows = max(1, _NUMBERS // noisy.shape[1] ** 2)
    for start in range(0, len(noisy), rows):
        part = slice(start, start + rows)
        made[part] = _predicted(noisy[part], shares[part], total[part], components, noise, scale[part])
    return made


def _predicted(y: Floats, p: Floats, total: Floats, components: Components, noise: Covariance, scale: Floats) -> Floats:
    cells = y.shape[1]
    outer = p[:, :, None] * p[:, None, :]
    looks = (*components.groups, np.eye(cells))
    between = np.zeros_like(outer)
    for number, (phi, group) in enumerate(zip(components.constant, looks, strict=True)):
        added = np.full(len(y), float(phi)) + (1.0 / total if number == len(looks) - 1 else 0.0)
        between += added[:, None, None] * (_given(group, p, outer) - outer)
    between *= (total**2)[:, None, None]
    spread = between + (scale**2)[:, None, None] * (noise.own * np.eye(cells) + noise.shared)
    solved = np.linalg.solve(spread, np.stack([p, y], axis=2))
    middle = (p * solved[:, :, 1]).sum(axis=1) / np.maximum((p * solved[:, :, 0]).sum(axis=1), 1e-300)
    left = solved[:, :, 1] - middle[:, None] * solved[:, :, 0]
    found: Floats = middle[:, None] * p + (between @ left[:, :, None])[:, :, 0]
    return found


def _given(group: Floats, p: Floats, outer: Floats) -> Floats:
    """M diag(q) M′: p_c·p_c′/q where two worker cells share the value of the attribute, 0 elsewhere."""
    margin = (p @ group) @ group.T  # of each cell's own value
    together = (group @ group.T)[None, :, :]
    found: Floats = np.divide(
        outer * together, margin[:, :, None], out=np.zeros_like(outer), where=margin[:, :, None] > 0.0
    )
    return found
