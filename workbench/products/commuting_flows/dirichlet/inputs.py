"""What the audits accept. The messages name places, never counts: known rows are confidential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.errors import Problem, UserProblem, raise_if

Ints = NDArray[np.int64]


def together(*checks: Callable[[], Any]) -> list[Any]:
    """What each check returns, or the problems of all of them at once."""
    results: list[Any] = []
    problems: list[Problem] = []
    for check in checks:
        try:
            results.append(check())
        except UserProblem as wrong:
            problems.extend(wrong.problems)
    raise_if(problems)
    return results


def checked_counts(values: Any, where: str) -> Floats:
    """Whole numbers from zero up, at least one of them."""
    counts = _listed(values, where)
    if (place := _first(counts < 0)) is not None:
        raise UserProblem(f"Number {place} is negative", where, "Give the workers of each cell as whole numbers")
    if (place := _first(counts != np.floor(counts))) is not None:
        raise UserProblem(f"Number {place} is a fraction", where, "Give the workers of each cell as whole numbers")
    return counts


def checked_prior(values: Any, where: str) -> Floats:
    """Numbers from zero up; zero is allowed and makes the loss infinite."""
    prior = _listed(values, where)
    if (place := _first(prior < 0)) is not None:
        raise UserProblem(f"Number {place} is negative", where, "A prior is zero or positive in each cell")
    return prior


def same_length(one: Floats, its_name: str, other: Floats, other_name: str) -> None:
    if len(one) != len(other):
        what = f"{its_name} has {len(one)} cells and {other_name} has {len(other)}"
        raise UserProblem(what, do="Give one number for each cell in both")


def checked_draws(draws: Any, where: str = "draws", least: int = 1) -> int:
    """A whole number of at least `least`."""
    if isinstance(draws, bool) or draws != int(draws) or draws < least:
        raise UserProblem(f"It must be a whole number of at least {least}", where)
    return int(draws)


def checked_epsilon(epsilon: float, where: str = "epsilon") -> float:
    if not 0.0 < epsilon <= 700.0:  # beyond, e^ε leaves the doubles
        raise UserProblem("ε must be above 0 and at most 700", where)
    return float(epsilon)


def checked_delta(delta: float, where: str = "delta") -> float:
    if not 0.0 < delta < 1.0:
        raise UserProblem("δ must lie between 0 and 1, both excluded", where, "Set for example 1e-6")
    return float(delta)


def whole_arrays(*values: Any) -> tuple[Ints, ...]:
    """Arrays of whole numbers from zero up, one shape; a bad one is a problem for all."""
    arrays = [np.asarray(value) for value in values]
    for array in arrays:
        if array.size and (not np.all(np.isfinite(array)) or np.any(array != np.floor(array)) or np.any(array < 0)):
            raise UserProblem("Draws, workers and cells must be whole numbers, zero or more", "populations")
    return tuple(array.astype(np.int64) for array in np.broadcast_arrays(*arrays))


def _listed(values: Any, where: str) -> Floats:
    numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if numbers.ndim != 1 or not numbers.size:
        raise UserProblem("There is no cell", where, "Give one number for each cell")
    if (place := _first(~np.isfinite(numbers))) is not None:
        raise UserProblem(f"Number {place} is not a finite number", where)
    return numbers


def _first(wrong: NDArray[np.bool_]) -> int | None:
    """The place of the first wrong one, counted from 1."""
    return int(np.argmax(wrong)) + 1 if wrong.any() else None
