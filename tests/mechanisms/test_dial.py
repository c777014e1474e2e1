"""A mechanism may be governed by another field than ε: whatever is drawn over ε stands at the ε of its claim."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from tests.contract.twins import Twin
from tests.products.employment_tables import hand_made
from workbench.core.claims import Claim
from workbench.core.params import param
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.mechanisms.dial import claimed, dial_of, moved_by, setting, turned
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma
from workbench.review.budget.epsilon_curve import curve_of
from workbench.review.budget.what_if import has_epsilon, smallest_epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class EachParams:
    each: Decimal = param(Decimal("0.5"), "ε for each statistic", "There are two of them.", gt=0)


class Each(Twin):
    """Laplace whose ε is set for each of two statistics, so that the release claims twice what is set."""

    dial = "each"
    params = EachParams

    def __init__(self) -> None:
        super().__init__(laplace.SPEC)

    def problems(self, prepared: Any, params: EachParams) -> tuple[()]:
        return ()

    def claim(self, prepared: Any, params: EachParams) -> Claim:
        one = laplace.SPEC.claim(prepared, _one(params))
        return dataclasses.replace(one, epsilon=2 * params.each)

    def expected_error(self, prepared: Any, params: EachParams) -> Any:
        return laplace.SPEC.expected_error(prepared, _one(params))

    def calibrate(self, params: EachParams, count: float | None, largest: float | None) -> Any:
        return laplace.SPEC.calibrate(_one(params), count, largest)


def _one(params: EachParams) -> laplace.LaplaceParams:
    return laplace.LaplaceParams(epsilon=Epsilon(params.each))


EACH: Any = Each()


def test_that_epsilon_is_the_dial_unless_the_mechanism_names_another() -> None:
    assert dial_of(laplace.SPEC) == "epsilon"
    assert dial_of(EACH) == "each"
    assert (has_epsilon(laplace.SPEC), has_epsilon(EACH)) == (True, False)
    assert turned(EACH, EachParams(), Decimal(3)) == EachParams(each=Decimal(3))
    moved = turned(laplace.SPEC, laplace.LaplaceParams(), Decimal(3))
    assert type(moved.epsilon) is Epsilon
    assert setting(EACH, EachParams()) == Decimal("0.5")
    assert claimed(EACH, EachParams()) == 1


@pytest.mark.parametrize("mechanism", [laplace.SPEC, smooth_gamma.SPEC, node_truncation.SPEC], ids=lambda m: m.id)
def test_that_a_line_at_the_claimed_epsilon_is_dragged_only_where_that_is_the_setting(mechanism: Any) -> None:
    assert moved_by(mechanism, mechanism.params()) == "epsilon"
    assert moved_by(EACH, EachParams()) == ""


@pytest.mark.parametrize("prepared", [None, hand_made.cells()], ids=["an example", "the table"])
def test_that_the_curve_stands_over_the_claimed_epsilon_and_finds_the_setting_again(prepared: Any) -> None:
    curve = curve_of(EACH, EachParams(), prepared, QUIET)
    plain = curve_of(laplace.SPEC, laplace.LaplaceParams(), prepared, QUIET)
    assert curve.figure is not None
    assert plain.figure is not None
    assert curve.figure.series[0].x == pytest.approx([2 * x for x in plain.figure.series[0].x])
    assert curve.figure.series[0].y == plain.figure.series[0].y
    assert curve.dial_at(2.0) == pytest.approx(1.0)
    assert plain.dial_at(1.7) == pytest.approx(1.7)


def test_that_a_target_is_met_by_turning_the_dial() -> None:
    cells = hand_made.cells()
    wanted = smallest_epsilon(laplace.SPEC, laplace.LaplaceParams(), cells, target=2.0)
    assert smallest_epsilon(EACH, EachParams(), cells, target=2.0) == wanted
