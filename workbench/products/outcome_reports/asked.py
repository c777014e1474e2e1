"""Pay by cell as far as an engine tells it without single rows: sums, percentiles and histograms, asked at the door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET, Context
from workbench.tabulation.aggregates import Aggregate, Count, Ranked, Sum
from workbench.tabulation.contract import Rows
from workbench.tabulation.keys import Bins, Key, Scale

QUARTERS = (1, 2, 3)  # of four: the shares whose percentiles are published


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PayElsewhere:
    """Of every listed cell Σ pay and three percentiles; and who answers for a histogram with public edges."""

    total: Integers
    percentiles: Integers
    rows: Rows
    keys: Sequence[Key]
    pay: Scale

    def histogram(self, edges: Floats) -> Integers:
        """Cells × bins. An edge between two whole dollars is the next one: pay is whole."""
        sizes = tuple(key.size for key in self.keys)
        inner = np.ceil(edges[1:-1]).astype(np.int64)
        different = np.unique(inner)
        bins = Bins(of=self.pay, edges=tuple(different.tolist()))
        found = self.rows.grouped([*self.keys, bins], {"n": Count()}, QUIET).over((*sizes, bins.size), "n")
        made = np.zeros((int(np.prod(sizes, dtype=np.int64)), len(edges) - 1), dtype=np.int64)
        place = np.concatenate([[0], np.searchsorted(inner, different, side="right")])
        made[:, place] = found.reshape(len(made), bins.size)
        return made


def pay_elsewhere(rows: Rows, keys: Sequence[Key], pay: Scale, context: Context) -> tuple[Integers, PayElsewhere]:
    """How many people every listed cell has, and their pay."""
    sizes = tuple(key.size for key in keys)
    asked: dict[str, Aggregate] = {"n": Count(), "total": Sum(pay)}
    asked |= {f"q{each}": Ranked(pay, each, 4) for each in QUARTERS}
    found = rows.grouped(keys, asked, context)
    columns = {name: found.over(sizes, name).ravel() for name in asked}
    quartiles = np.stack([columns[f"q{each}"] for each in QUARTERS], axis=1)
    held = PayElsewhere(total=columns["total"], percentiles=quartiles, rows=rows, keys=keys, pay=pay)
    return columns["n"], held
