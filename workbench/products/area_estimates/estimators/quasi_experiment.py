"""A single quasi-experiment under observed sensitivity: pretend that the same change came to every other cell.

One cell alone would set its own χ. The remark of Chetty and Friedman (2019) is to compute the same estimate in all
other cells as if the change had happened there too, and to take χ over all of them. The estimate of the one cell is
then published with Laplace noise of scale χ/(εN). It is no more a guarantee than elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.errors import UserProblem
from workbench.products.area_estimates.estimators.contract import Estimator, StudyRows, estimates


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiExperiment:
    """The estimate of one cell with what sets its noise."""

    value: float
    people: int
    own: float  # N·LS of the cell itself
    chi: float
    setting_cell: int
    cells: int  # in which the change could be pretended

    def scale(self, epsilon: float) -> float:
        """Of the Laplace noise."""
        return self.chi / (epsilon * self.people)


def pretended(estimator: Estimator, rows: StudyRows, cell: int) -> QuasiExperiment:
    """χ over all cells in which the estimate exists, for the experiment in one of them."""
    found = estimates(estimator, rows)
    product = rows.sizes * found.sensitivity
    known = np.isfinite(product)
    if not known[cell] or known.sum() < 2:
        raise UserProblem(
            "The quasi-experiment has no estimate, or no other cell in which it can be pretended",
            estimator.title,
            "Use more people, or more cells",
        )
    setting = int(np.nanargmax(np.where(known, product, -np.inf)))
    return QuasiExperiment(
        value=float(found.value[cell]),
        people=int(rows.sizes[cell]),
        own=float(product[cell]),
        chi=float(product[setting]),
        setting_cell=setting,
        cells=int(known.sum()),
    )
