"""The smallest ε that may be set: every mechanism still draws with it, and refuses anything below in one sentence."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.errors import UserProblem
from workbench.core.params import fields_of, parse, problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise.epsilon_bounds import LEAST_EPSILON
from workbench.products.employment_tables.product import SPEC as TABLES

EACH = pytest.mark.parametrize("spec", TABLES.mechanisms, ids=lambda spec: spec.id)


def settings(spec: Any, epsilon: str) -> Any:
    """Everything at its default, and α as narrow as so small an ε needs."""
    params = dataclasses.replace(spec.params(), epsilon=Epsilon(epsilon))
    if any(field.name == "alpha" for field in fields_of(spec.params)):
        return dataclasses.replace(params, alpha=Alpha("0.0000001"))
    return params


@EACH
def test_that_less_than_the_least_is_refused(spec: Any) -> None:
    for raw in ("1e-30", "0", "-1", "0.0000009"):
        with pytest.raises(UserProblem, match=r"at least 0.000001|must be above 0"):
            parse(spec.params, {"epsilon": raw})


@EACH
def test_that_the_least_can_be_drawn_and_studied(spec: Any) -> None:
    data, params = hand_made.cells(worker=False), settings(spec, str(LEAST_EPSILON))
    if problems_of(params):
        pytest.skip("; ".join(problem.sentence() for problem in problems_of(params)))
    with np.errstate(all="raise", under="ignore"):
        drawn = [
            spec.study(data, params, StudyRandom(1), QUIET).reveal().values,
            spec.release(data, params, ReleaseRandom(), QUIET).values,
        ]
    assert all(values.dtype == np.int64 for values in drawn)
    assert spec.claim(data, params).epsilon == LEAST_EPSILON
