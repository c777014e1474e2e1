"""HiGHS as suppression uses it: silent, on one thread, so that the same table gives the same pattern."""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from workbench.core.arrays import Floats

_BY_COLUMN, _MINIMISE = 1, 1


def quiet_solver() -> highspy.Highs:
    make: Any = highspy.Highs
    solver: highspy.Highs = make()
    for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 1)):
        solver.setOptionValue(option, value)
    return solver


def load(solver: highspy.Highs, matrix: Any, *, costs: Floats, low: Floats, high: Floats, whole: bool = False) -> None:
    """A programme: least cost with matrix · x = 0 and x between its bounds. The matrix is sparse, by columns."""
    rows, columns = matrix.shape
    solver.passModel(
        columns,
        rows,
        matrix.nnz,
        _BY_COLUMN,
        _MINIMISE,
        0.0,
        costs.astype(np.float64),
        low.astype(np.float64),
        high.astype(np.float64),
        np.zeros(rows),
        np.zeros(rows),
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
        np.full(columns, int(whole), dtype=np.int32),
    )


def ask_whole(solver: highspy.Highs, columns: int, *, whole: bool) -> None:
    """Whether all columns must be whole numbers."""
    kinds = np.full(columns, int(whole), dtype=np.uint8)
    solver.changeColsIntegrality(columns, np.arange(columns, dtype=np.int32), kinds)
