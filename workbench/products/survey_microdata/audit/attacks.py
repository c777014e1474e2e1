"""The attacks: linkage by likelihood, membership by the nearest record, and an unknown answer read from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import Context
from workbench.products.survey_microdata.audit.records_seen import Seen

_BATCH = 50


def scores(seen: Seen, known: Floats, variables: Integers) -> NDArray[np.float32]:
    """Targets × records: the log likelihood of each record, up to a constant, by these variables."""
    total = np.zeros((len(known), len(seen.records)), dtype=np.float32)
    for place in variables.tolist():
        column, own = seen.records[:, place].astype(np.float32), known[:, place].astype(np.float32)
        if seen.match[place]:
            total += np.float32(seen.match[place]) * (own[:, None] == column[None, :])
        else:
            total -= np.float32(seen.slope[place]) * np.abs(own[:, None] - column[None, :])
    return total


def linked(seen: Seen, targets: Integers, variables: Integers, context: Context) -> float:
    """The share of targets whose own record is the most likely one; a tie among m records counts 1/m."""
    right = 0.0
    for start in range(0, len(targets), _BATCH):
        context.step(start / len(targets), f"linking records: {seen.title}")
        some = targets[start : start + _BATCH]
        likely = scores(seen, seen.known[some], variables)
        best = likely.max(axis=1)
        own = likely[np.arange(len(some)), some]
        ties = (likely >= best[:, None]).sum(axis=1)
        right += float(((own >= best) / ties).sum())
    return right / max(len(targets), 1)


def nearest(seen: Seen, known: Floats, variables: Integers, context: Context) -> tuple[Floats, Integers]:
    """For every person the score of the most likely record, and which it is."""
    best, where = np.empty(len(known)), np.empty(len(known), dtype=np.int64)
    for start in range(0, len(known), _BATCH):
        context.step(start / len(known), f"looking for the nearest record: {seen.title}")
        likely = scores(seen, known[start : start + _BATCH], variables)
        where[start : start + _BATCH] = likely.argmax(axis=1)
        best[start : start + _BATCH] = likely.max(axis=1)
    return best, where


def area_under_curve(members: Floats, outsiders: Floats) -> float:
    """The chance that a member has the higher score than an outsider: .5 is guessing."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([members, outsiders]))
    count = len(members)
    return float((ranks[:count].sum() - count * (count + 1) / 2.0) / (count * len(outsiders)))


def read_right(seen: Seen, known: Floats, unknown: int, context: Context) -> Bools:
    """Whether the unknown answer, read from the record that all other answers point to, is the person's own."""
    others = np.delete(np.arange(known.shape[1]), unknown)
    _, where = nearest(seen, known, others, context)
    right: Bools = seen.records[where, unknown] == known[:, unknown]
    return right
