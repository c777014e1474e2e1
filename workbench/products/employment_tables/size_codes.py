"""Attributes that tell how many workers an establishment has: they may not be dimensions of a table of jobs.

Every claim takes workplace attributes as fixed while an establishment's workforce changes. A size class made from the
workforce is not: one worker more may move a whole establishment to another cell, which no noise of one step covers.

Order establishments by size and count how often the attribute changes from one to the next. A code of n values made
from size changes n − 1 times; one that has nothing to do with size changes N − Σ n²/N times on average, N being the
establishments and n those with each value. No order of the values is needed, and no cut point is guessed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Problem
from workbench.core.progress import Context
from workbench.products.employment_tables.tabulation.engine import JobIndex
from workbench.tabulation.units.arrangement import SizeTable

FEWEST_ESTABLISHMENTS = 25  # among fewer, an innocent attribute is in the order of size too easily
_EXCEPTIONS = 0.02  # of the establishments; each is at most two changes more
_SHARE_OF_CHANCE = 0.25
_FEWER_THAN_CHANCE = 6  # changes; with a few establishments of a rare value chance alone comes below a quarter


def size_code_problems(
    index: JobIndex, *, workplace: tuple[str, ...], worker: tuple[str, ...], context: Context
) -> tuple[Problem, ...]:
    """One for each chosen attribute that follows from the size of the establishment. Names columns, no value."""
    chosen = [("workplace", name) for name in workplace] + [("worker", name) for name in worker]
    found = []
    for number, (where, name) in enumerate(chosen):
        context.step(number / max(len(chosen), 1), f"checking that {name} does not tell employers' sizes")
        table = index.arrangement.sizes_by(name)
        if table is not None and follows_order(_in_order_of_size(table.reveal())):
            found.append(
                Problem(
                    f"“{name}” follows from how many workers an establishment has: a cell would tell the size of each "
                    "employer in it, and one worker more would move a whole workforce to another cell",
                    where,
                    "Leave it out, or use a size that a public register stated for an earlier time",
                )
            )
    return tuple(found)


def follows_order(values: NDArray[np.integer]) -> bool:
    """Whether a row of codes falls into stretches of equal ones, but for a few, and far more so than by chance."""
    rows = len(values)
    if rows < FEWEST_ESTABLISHMENTS:
        return False
    frequency = np.bincount(values)
    different = int(np.count_nonzero(frequency))
    changes = int(np.count_nonzero(values[1:] != values[:-1]))
    by_chance = rows - float(np.sum(frequency.astype(np.float64) ** 2)) / rows
    return (
        different >= 2
        and changes <= different - 1 + 2 * _EXCEPTIONS * rows
        and changes <= _SHARE_OF_CHANCE * by_chance
        and changes <= by_chance - _FEWER_THAN_CHANCE
    )


def _in_order_of_size(table: SizeTable) -> NDArray[np.int32]:
    """The values of establishments from the smallest to the largest, those of one size in no order: any order of
    their values would seem to follow from size. The seed is fixed, so that an answer is always the same."""
    value, size = np.repeat(table.position, table.units), np.repeat(table.size, table.units)
    mixed = np.random.default_rng(1).permutation(len(value))
    ordered: NDArray[np.int32] = value[mixed[np.argsort(size[mixed], kind="stable")]]
    return ordered
