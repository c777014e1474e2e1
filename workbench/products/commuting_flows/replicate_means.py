"""Means over replicates by work tract and home tract, with margins of error: the table beside several replicates.

Formula: q̄ = Σ q_l/M, b = Σ (q_l − q̄)²/(M − 1), variance of the mean T = ū + b/M. Jobs are counted, not sampled, so the
variance within a replicate ū is zero, T = b/M with M − 1 degrees of freedom, and the margin is t_{.95, M−1}·√T: it
covers 90 of 100. Counts are whole, so replicates often agree although their mean is not the count they agree on: then
the margin is 1 − .1^(1/M). Had one job more or less a larger chance than that, M replicates would agree with a chance
below .1. The margin is about what differs between replicates, rounding or drawing, and about nothing else: privacy
noise, and what the prior adds, are the same in all of them.
Rounding: means and margins to two decimals, margins upwards. Only what is published goes in.
Source: Reiter (2003), "Inference for partially synthetic, public use microdata sets".
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import Coded, Columns, Published, Units
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.flows.structures import (
    BLOCK,
    POPULATION,
    Indices,
    Level,
    workers_by_replicate,
)
from workbench.products.commuting_flows.job_counts import CLASSES, counts_of

MEAN, MARGIN = "mean", "margin_of_error"
WORK_TRACT, HOME = "work_tract", {Level.TRACT: "home_tract", Level.PUMA: "home_puma"}
_COVERED = 0.95  # of each side, so that a margin covers 90 of 100
_UNSEEN = 0.1
_DECIMALS = 2
_MOST_ROWS = 200_000  # beyond that, homes are PUMAs


def means_of(prepared: PreparedFlows, drawn: Columns) -> Published:
    """One row for each work tract, characteristic and home tract that a replicate has a job in."""
    facts, workers = prepared.facts, workers_by_replicate(drawn)
    for level in (Level.TRACT, Level.PUMA):
        rows, place = np.unique(_keys(prepared, drawn, level), return_inverse=True)
        if len(rows) <= _MOST_ROWS:
            break
    classes = len(CLASSES) if facts.job_counts else 1
    counted = np.zeros((len(rows), classes, workers.shape[1]), dtype=np.int64)
    held = prepared.characteristic_of[drawn.coded(POPULATION).codes] % classes
    np.add.at(counted, (place, held), workers)
    rest, home = np.divmod(rows, len(prepared.geography.areas[level]))
    tract, kind = np.divmod(rest, len(prepared.characteristic) // classes)
    texts = tuple(dict.fromkeys(each[:-1] for each in facts.keys)) if facts.job_counts else facts.keys
    divided = zip(facts.columns[1:-1], zip(*texts, strict=True), strict=False)
    return Published(
        columns=(
            _named(WORK_TRACT, prepared.supports.work_tract[tract], prepared.geography.areas[Level.TRACT]),
            *(_column(name, kind, values) for name, values in divided),
            _named(HOME[level], home, prepared.geography.areas[level]),
            *_values(facts.value_name, facts.job_counts, counted),
        )
    )


def combined(counts: Integers) -> tuple[Floats, Floats]:
    """Mean and margin of error of each row of counts, a column for each replicate."""
    from scipy.special import stdtrit

    several = counts.shape[1]
    between = counts.var(axis=1, ddof=1)
    margin = float(stdtrit(several - 1, _COVERED)) * np.sqrt(between / several)
    return counts.mean(axis=1), np.where(between > 0.0, margin, margin_of_agreement(several))


def margin_of_agreement(replicates: int) -> float:
    """Of a count that is the same in all of them: a larger chance of one job more or less would seldom hide."""
    return float(1.0 - _UNSEEN ** (1.0 / replicates))


def _keys(prepared: PreparedFlows, drawn: Columns, level: Level) -> Integers:
    population, block = drawn.coded(POPULATION).codes, drawn.coded(BLOCK).codes
    classes = len(CLASSES) if prepared.facts.job_counts else 1
    kinds, areas = len(prepared.characteristic) // classes, len(prepared.geography.areas[level])
    kind = prepared.characteristic_of[population].astype(np.int64) // classes
    row: Integers = prepared.support_of[population] * kinds + kind
    return row * areas + prepared.geography.area_of[level][block]


def _values(name: str, job_counts: tuple[str, ...], counted: Integers) -> tuple[Units, ...]:
    """Mean and margin; of each of four counts where there are four."""
    if not job_counts:
        return _mean_and_margin(MEAN, MARGIN, name, counted[:, 0])
    four = np.stack([counts_of(counted[:, :, each]) for each in range(counted.shape[2])], axis=2)
    return tuple(
        column
        for number, each in enumerate(job_counts)
        for column in _mean_and_margin(f"{MEAN}_{each}", f"{MARGIN}_{each}", each, four[:, number])
    )


def _mean_and_margin(mean_name: str, margin_name: str, unit: str, counts: Integers) -> tuple[Units, Units]:
    mean, margin = (np.round(each * 10.0**_DECIMALS, 6) for each in combined(counts))
    return (
        Units(name=mean_name, integers=np.rint(mean).astype(np.int64), decimals=_DECIMALS, unit=unit, additive=False,
              title="Mean over replicates"),
        Units(name=margin_name, integers=np.ceil(margin).astype(np.int64), decimals=_DECIMALS, unit=unit,
              additive=False, title="Margin of error of the mean, 90 %: differences between replicates only"),
    )  # fmt: skip


def _named(name: str, codes: Integers | Indices, values: tuple[str, ...]) -> Coded:
    return Coded(name=name, codes=codes.astype(np.int32), values=values).used()


def _column(name: str, kind: Integers, texts: tuple[str, ...]) -> Coded:
    values = tuple(dict.fromkeys(texts))
    codes = np.array([values.index(text) for text in texts], dtype=np.int32)
    return Coded(name=name, codes=codes[kind], values=values).used()
