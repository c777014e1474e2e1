"""All two-way tables of prepared answers: counts of respondents, or exact sums of their weights."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.tabulation.pairs import counted_pairs
from workbench.tabulation.sums import sums


def pair_tables(prepared: SurveyData, columns: Sequence[NDArray[np.integer]], context: Context) -> list[Integers]:
    """The table of every pair of these columns of categories, in the integers that respondents count as."""
    sizes = prepared.categories.tolist()
    if prepared.weights is None:
        return counted_pairs(columns, sizes, context)
    units, tables = prepared.weights.reveal(), []
    which = list(combinations(range(len(sizes)), 2))
    for done, (i, j) in enumerate(which):
        context.step(done / len(which), "adding up weights in two-way tables")
        both = columns[i].astype(np.int32) * sizes[j] + columns[j]
        added = sums(both, units, sizes[i] * sizes[j], most=prepared.weighing.most)
        tables.append(added.reshape(sizes[i], sizes[j]))
    context.step(1.0, "weights added up")
    return tables
