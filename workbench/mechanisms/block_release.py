"""What the block mechanisms share: drawing noise for whole workplace cells, and the words of their claims."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.block_exact import Radius, Words
from workbench.mechanisms.block_sampler import Scales, draw
from workbench.mechanisms.block_steps import distinct
from workbench.mechanisms.block_tail import Floats
from workbench.tabulation.cells import Cells, Counts

CHUNK_VALUES = 8000  # worker cells between two questions whether to go on, a few milliseconds
UNIT = "one establishment's workforce, sizes within α"


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


def by_size(prepared: Cells, value: Callable[[Counts], Floats]) -> Floats:
    """A function of the largest establishment's size, worked out once per size, for every worker cell."""
    sizes, where = distinct(prepared.workplace_largest.reveal())
    return np.repeat(value(sizes)[where], prepared.domain.worker_combinations)


def sentence(epsilon: Decimal, alpha: Decimal, beyond: str) -> str:
    return (
        "Whatever is published, the odds between two sizes of an establishment that lie within "
        f"{show(100 * alpha)} % of each other (or one worker apart), with any attributes of the workers in between, "
        f"change by a factor of at most e^ε = {show(float(np.exp(float(epsilon))))}{beyond}. The whole table counts "
        "once: it does not cost more for every worker attribute."
    )


def assumptions(prepared: Cells | None) -> tuple[str, ...]:
    fixed = (
        "Which establishments exist, and their workplace attributes, are public.",
        "The list of cells and the values of every attribute are public, not taken from the data.",
        "Each establishment is in one workplace cell of the table.",
        "Neighbouring data sets differ by one establishment's workforce: E within E′, |E′| ≤ max((1 + α)|E|, |E| + 1); "
        "a worker who moves from one establishment to another is two such steps and may change the odds twice as much.",
    )
    if prepared is not None and prepared.domain.from_data:
        return (*fixed, "The values of some attributes were taken from the data, which this claim does not cover.")
    return fixed
