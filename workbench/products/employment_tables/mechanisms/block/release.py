"""Drawing noise for whole workplace cells, and working out what depends on the size of their largest establishment."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.mechanisms.block.exact import Radius
from workbench.products.employment_tables.mechanisms.block.intervals import Words
from workbench.products.employment_tables.mechanisms.block.sampler import Scales, draw
from workbench.products.employment_tables.mechanisms.block.steps import distinct
from workbench.products.employment_tables.tabulation.cells import Cells

CHUNK_VALUES = 8000  # worker cells between two questions whether to go on, a few milliseconds


def published(
    prepared: Cells, *, kappa: float, alpha: Decimal, radius: Radius | None, words: Words, context: Context
) -> NDArray[np.int64]:
    """True counts plus one draw of noise, block by block."""
    cells = prepared.domain.worker_combinations
    largest = prepared.workplace_largest.reveal()
    values = prepared.count.reveal().astype(np.int64)
    rows = max(1, CHUNK_VALUES // cells)
    for start in range(0, len(largest), rows):
        context.step(start / len(largest), f"drawing noise for workplace cell {start + 1:,} of {len(largest):,}")
        part = largest[start : start + rows]
        noise = draw(Scales(kappa=kappa, alpha=alpha, largest=part), cells, radius, words)
        values[start * cells : (start + len(part)) * cells] += noise.ravel()
    context.step(1.0, "noise drawn")
    return values


def study_words(rng: StudyRandom) -> Words:
    """Seeded words for the very sampler that publishes."""

    def words(count: int) -> NDArray[np.uint64]:
        return rng.generator.integers(0, 2**64, size=count, dtype=np.uint64)

    return words


def by_size(prepared: Cells, value: Callable[[Integers], Floats]) -> Floats:
    """A function of the largest establishment's size, worked out once per size, for every worker cell."""
    sizes, where = distinct(prepared.workplace_largest.reveal())
    return np.repeat(value(sizes)[where], prepared.domain.worker_combinations)
