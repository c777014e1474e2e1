"""All two-way tables of prepared answers: counts of respondents, or exact sums of their weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.tabulation.pairs import counted_pairs, weighted_pairs


def pair_tables(prepared: SurveyData, columns: Sequence[NDArray[np.integer]], context: Context) -> list[Integers]:
    """The table of every pair of these columns of categories, in the integers that respondents count as."""
    sizes = prepared.categories.tolist()
    if prepared.weights is None:
        return counted_pairs(columns, sizes, context)
    return weighted_pairs(columns, sizes, prepared.weights.reveal(), prepared.weighing.most, context)
