"""One number for a draw of many values: how much more likely they are, together, under the first neighbour.

Where ε is divided among cells each value tells little, and only all of them together tell what is spent. The score
adds up, value by value, the log of the ratio of how often such values were seen under the two neighbours: for
independent values the most powerful statistic there is (Neyman and Pearson 1933), as well as a histogram knows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BINS = 24
_PRIOR = 0.5  # added to every count, so that an unseen value scores finitely


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Score:
    """Per column the edges of its bins and the log ratio in each. The edges follow the true counts: never shown."""

    edges: tuple[NDArray[np.float64], ...]
    log_ratios: tuple[NDArray[np.float64], ...]

    @classmethod
    def learned(cls, likely: NDArray[Any], unlikely: NDArray[Any]) -> Score:
        edges, log_ratios = [], []
        for column in range(likely.shape[1]):
            a, b = (draws[:, column].astype(np.float64) for draws in (likely, unlikely))
            inner = np.unique(np.quantile(np.concatenate([a, b]), np.linspace(0.0, 1.0, _BINS + 1)[1:-1]))
            seen_a, seen_b = (
                np.bincount(np.searchsorted(inner, values), minlength=len(inner) + 1) + _PRIOR for values in (a, b)
            )
            edges.append(inner)
            log_ratios.append(np.log(seen_a / seen_a.sum()) - np.log(seen_b / seen_b.sum()))
        return cls(tuple(edges), tuple(log_ratios))

    def of(self, draws: NDArray[Any]) -> NDArray[np.float64]:
        total = np.zeros(len(draws))
        for column, (edges, log_ratio) in enumerate(zip(self.edges, self.log_ratios, strict=True)):
            total += log_ratio[np.searchsorted(edges, draws[:, column].astype(np.float64))]
        return total
