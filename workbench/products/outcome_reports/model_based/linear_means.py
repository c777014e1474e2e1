"""Means as sums that noise is simply added to, so that their errors are what a linear model takes them to be.

A published mean is a ratio of two noisy sums. In small cells its error is skewed, its margin is told at the noisy
number of people, and it is missing or cut at its bounds just where noise was large. So the model does not look at the
ratio. With m the pooled mean of the cell and year, Σ(y − m)/m = n·δ is a weighted sum of the published noisy sums or
bins, δ being the relative deviation of the cell's mean: noise is added to it, its variance follows from the law alone
and needs no n. Over the expected number of people n̄ of the model of counts it is the deviation that is modelled.

Where nothing is published beside the table, the published mean is put back over its noisy count in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import Published
from workbench.products.outcome_reports.files.added_bins import DrawnBins, drawn_bins
from workbench.products.outcome_reports.mechanisms.means_of_bins import flat_means
from workbench.products.outcome_reports.model_based.earnings import Deviations, Shared, pooled_ratio
from workbench.products.outcome_reports.model_based.expected_people import People
from workbench.products.outcome_reports.model_based.joint_noise import SUMS, published_cap
from workbench.products.outcome_reports.model_based.noise_within_blocks import Correlation
from workbench.products.outcome_reports.model_based.within_bins import worth


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """Published rows: count and mean with their sds; that of a mean of bins is not of noise alone."""

    count: Floats
    count_sd: Floats
    mean: Floats
    mean_sd: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Deviations, the pooled means that they are from, and the sd of what is off in all institutions alike."""

    given: Deviations
    pooled: Floats
    alike: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """Drawn sums of some rows, rows × parts, and what a person in each of them earns."""

    rows: Integers
    drawn: Floats  # in people
    worth: Floats  # rows × parts: what a person of each is taken to earn
    plain: Floats  # parts: what the published mean takes that for
    apart: Floats | None = None  # variance of pay within parts, where people are counted in bins
    alike: Floats | None = None


def deviations(
    table: Published, direct: Direct, people: People, shape: tuple[int, int, int, int], law: Correlation
) -> Means:
    """Deviations of institutions × titles × sectors × years, and what they are from, row by row."""
    parts = _parts(table, direct, shape)
    if not parts:
        pooled = _pooled(direct.mean * direct.count, direct.count, shape)
        found = (direct.mean / pooled - 1.0) * direct.count, (direct.mean_sd * direct.count / pooled) ** 2
        return Means(given=_over(people, found, shape), pooled=pooled, alike=np.zeros(len(pooled)))
    pooled = _reference(parts, direct, shape)
    deviation, variance, load, lasting, alike = (np.zeros(len(pooled)) for _ in range(5))
    for part in parts:
        around = pooled[part.rows]
        weights = part.worth / around[:, None] - 1.0
        each = _variance(part, direct, law)
        deviation[part.rows] = (part.drawn * weights).sum(axis=1)
        variance[part.rows] = each * _spread(weights, law)
        load[part.rows] = np.sqrt(each) * weights.sum(axis=1)
        if part.apart is not None and part.alike is not None:
            lasting[part.rows] = np.sqrt(part.apart / people.number.reshape(-1)[part.rows]) / around
            alike[part.rows] = part.alike
    shared = Shared(load=load, same_year=law.coordinates, between=law.coordinates_between)
    given = replace(_over(people, (deviation, variance), shape, shared), lasting=lasting.reshape(shape))
    return Means(given=given, pooled=pooled, alike=alike)


def _over(
    people: People, found: tuple[Floats, Floats], shape: tuple[int, int, int, int], shared: Shared | None = None
) -> Deviations:
    """Per expected person."""
    number = people.number.reshape(shape)
    deviation, variance = (each.reshape(shape) for each in found)
    return Deviations(
        value=deviation / number,
        noise=variance / number**2,
        each=1.0 / number,
        doubt=np.maximum(people.inverse.reshape(shape) - 1.0 / number, 0.0),
        shared=None if shared is None else Shared(
            load=shared.load.reshape(shape) / number, same_year=shared.same_year, between=shared.between
        ),
    )  # fmt: skip


def _parts(table: Published, direct: Direct, shape: tuple[int, int, int, int]) -> list[_Parts]:
    """Two sums of each cell, or its bins; nothing where neither is published."""
    bins = drawn_bins(table)
    if bins is not None:
        return [_binned(bins, kind, shape) for kind in range(len(bins.edges))]
    cap = published_cap(table, direct.mean)
    if cap is None or table.published_beside is None:
        return []
    drawn = np.stack([table.published_beside.units(name).numbers() for name in SUMS], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        units = _typical(drawn.sum(axis=1) / direct.count, direct.count)
    plain = np.array([cap, 0.0])
    worth_of = np.broadcast_to(plain, drawn.shape)
    return [_Parts(rows=np.arange(len(drawn)), drawn=drawn / units, worth=worth_of, plain=plain)]


def _binned(bins: DrawnBins, kind: int, shape: tuple[int, int, int, int]) -> _Parts:
    rows, edges = np.flatnonzero(bins.kind == kind), bins.edges[kind]
    drawn = np.stack([bins.people[row] for row in rows])
    cell = rows // shape[3] % (shape[1] * shape[2])
    found = worth(edges, drawn, np.unique(cell, return_inverse=True)[1])
    return _Parts(
        rows=rows, drawn=drawn, worth=found.mean, plain=flat_means(edges), apart=found.apart, alike=found.alike
    )


def _reference(parts: list[_Parts], direct: Direct, shape: tuple[int, int, int, int]) -> Floats:
    """Pooled means: of noisy sums where there are any, else of means that follow from projected bins."""
    if len(parts) == 1 and parts[0].apart is None:
        drawn = parts[0].drawn
        return _pooled(drawn @ parts[0].plain, drawn.sum(axis=1), shape)
    return _pooled(direct.mean * direct.count, direct.count, shape)


def _pooled(paid: Floats, people: Floats, shape: tuple[int, int, int, int]) -> Floats:
    known = np.isfinite(paid) & (people > 0.0)
    cube = (shape[0], shape[1] * shape[2], shape[3])
    paid, people = (np.where(known, each, 0.0).reshape(cube) for each in (paid, people))
    return np.broadcast_to(pooled_ratio(paid, people), cube).reshape(-1)


def _variance(part: _Parts, direct: Direct, law: Correlation) -> float:
    """Of one drawn sum, in people: from the published margins.

    Those of means are rounded less than those of counts, but means of bins also hold what bins leave open.
    """
    count, mean, sd = (each[part.rows] for each in (direct.count, direct.mean, direct.mean_sd))
    if part.apart is not None:
        return _typical(direct.count_sd[part.rows] ** 2, count) / float(_spread(np.ones((1, len(part.plain))), law)[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        told = (sd * count / mean) ** 2 / _spread(part.plain / mean[:, None] - 1.0, law)
    return _typical(told, count)


def _spread(weights: Floats, law: Correlation) -> Floats:
    """Var of Σ w·z, z of variance one and all equally correlated."""
    squares = (weights**2).sum(axis=1)
    found: Floats = squares + law.coordinates * (weights.sum(axis=1) ** 2 - squares)
    return np.maximum(found, 1e-9)


def _typical(values: Floats, count: Floats) -> float:
    """The middle one of the better half: of larger cells, whose published values are rounded least."""
    usable = np.isfinite(values) & np.isfinite(count) & (values > 0.0)
    if not usable.any():
        return 1.0
    large = usable & (count >= np.median(count[usable]))
    return float(np.median(values[large]))
