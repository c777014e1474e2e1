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
from workbench.core.params import Rows, param, parse, rows
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.words import Words
from workbench.mechanisms.dial import claimed, dial_of, moved_by, setting, turned
from workbench.products.contract import ExampleCell
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma
from workbench.products.employment_tables.product import SPEC as EMPLOYMENT
from workbench.products.registry import PRODUCTS
from workbench.review.budget.accuracy_target import answer
from workbench.review.budget.epsilon_curve import curve_of
from workbench.review.budget.what_if import smallest_setting


@dataclass(frozen=True, slots=True, kw_only=True)
class EachParams:
    each: Decimal = param(Decimal("0.5"), "ε for each statistic", "There are two of them.", gt=0, effect="dial")


class Each(Twin):
    """Laplace whose ε is set for each of two statistics, so that the release claims twice what is set."""

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

    def error_is_public(self, params: EachParams) -> bool:
        return False

    def calibrate(self, params: EachParams, case: Any) -> Any:
        return laplace.SPEC.calibrate(_one(params), case)


def _one(params: EachParams) -> laplace.LaplaceParams:
    return laplace.LaplaceParams(epsilon=Epsilon(params.each))


EACH: Any = Each()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    share: Decimal = param(Decimal("0.5"), "ε of the statistic", "Added up.", gt=0, effect="dial")
    name: str = param("", "Name", "No matter.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowParams:
    statistics: Rows[Statistic] = rows(Statistic, "Statistics", "One line each.", by="statistic")


class Tabled(Each):
    """Laplace whose ε is the sum of a table of settings."""

    params = RowParams  # type: ignore[assignment]

    def claim(self, prepared: Any, params: Any) -> Claim:
        one = laplace.SPEC.claim(prepared, laplace.LaplaceParams())
        return dataclasses.replace(one, epsilon=_total(params))

    def expected_error(self, prepared: Any, params: Any) -> Any:
        return laplace.SPEC.expected_error(prepared, laplace.LaplaceParams(epsilon=Epsilon(_total(params))))


def _total(params: RowParams) -> Decimal:
    return sum((row.share for row in params.statistics.values()), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDialParams:
    theta: int = param(3, "θ", "Governs nothing.", ge=1)


class NoDial(Each):
    params = NoDialParams  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, kw_only=True)
class LowParams:
    each: Decimal = param(Decimal("0.5"), "ε", "Bounded.", gt=0, le=3, effect="dial")


class Low(Each):
    params = LowParams  # type: ignore[assignment]


class Speaking:
    """As much of a product as a curve needs."""

    words = Words(record=("person", "people"), row=("tract", "tracts"), unit="ranks")

    def example_cell(self) -> ExampleCell | None:
        return ExampleCell(words="a tract of 100 people", case={"count": 100})


class Silent(Speaking):
    def example_cell(self) -> None:
        return None


TABLED: Any = Tabled()
NO_DIAL: Any = NoDial()
LOW: Any = Low()
PRODUCT: Any = Speaking()
TABLE = RowParams(statistics=Rows({"a": Statistic(share=Decimal("0.2")), "b": Statistic(share=Decimal("0.6"))}))


def test_that_the_dial_is_the_field_that_declares_it() -> None:
    for mechanism, name in ((laplace.SPEC, "epsilon"), (EACH, "each"), (TABLED, "statistics.share")):
        dial = dial_of(mechanism)
        assert dial is not None
        assert dial.name == name
    assert dial_of(NO_DIAL) is None
    assert setting(NO_DIAL, NoDialParams()) is None
    assert turned(EACH, EachParams(), Decimal(3)) == EachParams(each=Decimal(3))
    moved = turned(laplace.SPEC, laplace.LaplaceParams(), Decimal(3))
    assert type(moved.epsilon) is Epsilon
    assert setting(EACH, EachParams()) == Decimal("0.5")
    assert claimed(EACH, EachParams()) == 1


def test_that_a_table_is_turned_in_proportion_and_stands_where_its_largest_row_stands() -> None:
    assert setting(TABLED, TABLE) == Decimal("0.6")
    twice = turned(TABLED, TABLE, Decimal("1.2"))
    assert [row.share for row in twice.statistics.values()] == [Decimal("0.4"), Decimal("1.2")]
    assert turned(TABLED, twice, Decimal("0.6")) == TABLE
    assert turned(TABLED, TABLE, Decimal("0.6")) is TABLE
    assert setting(TABLED, RowParams()) is None


@pytest.mark.parametrize("mechanism", [laplace.SPEC, smooth_gamma.SPEC, node_truncation.SPEC], ids=lambda m: m.id)
def test_that_a_line_at_the_claimed_epsilon_is_dragged_only_where_that_is_the_setting(mechanism: Any) -> None:
    assert moved_by(mechanism, mechanism.params()) == "epsilon"
    assert moved_by(EACH, EachParams()) == ""
    assert moved_by(TABLED, TABLE) == ""


@pytest.mark.parametrize("prepared", [None, hand_made.cells()], ids=["an example", "the table"])
def test_that_the_curve_stands_over_the_claimed_epsilon_and_finds_the_setting_again(prepared: Any) -> None:
    curve = curve_of(EACH, EachParams(), prepared, QUIET, product=PRODUCT)
    plain = curve_of(laplace.SPEC, laplace.LaplaceParams(), prepared, QUIET, product=PRODUCT)
    assert curve.figure is not None
    assert plain.figure is not None
    assert curve.figure.series[0].x == pytest.approx([2 * x for x in plain.figure.series[0].x])
    assert curve.figure.series[0].y == plain.figure.series[0].y
    for epsilon in (0.01, 2.0, 40.0):  # within the curve and beyond both its ends
        assert curve.dial_at(epsilon) == pytest.approx(epsilon / 2)
        assert curve.epsilon_at(epsilon / 2) == pytest.approx(epsilon)
        assert plain.dial_at(epsilon) == epsilon


def test_that_the_curve_of_a_table_of_settings_stands_over_their_sum() -> None:
    curve = curve_of(TABLED, TABLE, hand_made.cells(), QUIET, product=PRODUCT)
    assert curve.epsilon_at(0.6) == pytest.approx(0.8, rel=1e-3)


def test_that_a_dial_that_ends_early_has_a_curve_up_to_its_end() -> None:
    curve = curve_of(LOW, LowParams(), hand_made.cells(), QUIET, product=PRODUCT)
    assert curve.dial[-1][1] == pytest.approx(3.0)


def test_that_the_curve_speaks_the_products_words_and_is_silent_where_it_has_no_example() -> None:
    params, cells = laplace.LaplaceParams(), hand_made.cells()
    for product, prepared, subtitle in (
        (EMPLOYMENT, None, "expected error of a cell of 100 jobs, all of one establishment"),
        (PRODUCT, None, "expected error of a tract of 100 people"),
        (PRODUCT, cells, "mean expected error over the tracts of this table"),
        (Silent(), cells, "mean expected error over the tracts of this table"),
    ):
        figure = curve_of(laplace.SPEC, params, prepared, QUIET, product=product).figure  # type: ignore[arg-type]
        assert figure is not None
        assert (figure.subtitle, figure.y.unit) == (subtitle, product.words.unit)
    silent: Any = Silent()
    told = curve_of(laplace.SPEC, params, None, QUIET, product=silent)
    assert (told.figure, told.words) == (None, "Load the data to see the error for each ε.")


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.id)
def test_that_every_mechanism_can_be_asked_about_its_products_example(product: Any) -> None:
    example = product.example_cell()
    for mechanism in product.mechanisms:
        case = parse(mechanism.case, example.case)
        assert mechanism.calibrate(mechanism.params(), case).expected_absolute_error > 0


def test_that_a_target_is_met_by_turning_the_dial() -> None:
    cells = hand_made.cells()
    wanted = smallest_setting(laplace.SPEC, laplace.LaplaceParams(), cells, target=2.0)
    assert smallest_setting(EACH, EachParams(), cells, target=2.0) == wanted


def test_that_the_answer_to_a_target_is_told_in_claimed_epsilon_and_sets_the_dial() -> None:
    cells = hand_made.cells()
    found = answer(EACH, EachParams(), cells, "2", QUIET)
    assert not isinstance(found, str)
    assert claimed(EACH, found.params, cells) == found.offered
    assert found.used == 1
    assert found.offered >= found.smallest == 2 * smallest_setting(EACH, EachParams(), cells, target=2.0)
    assert answer(NO_DIAL, NoDialParams(), cells, "2", QUIET) == f"{NO_DIAL.title} has no setting for ε."
    assert answer(EACH, EachParams(), cells, "x", QUIET) == "Enter a number above 0."


def test_that_a_target_out_of_reach_names_the_largest_claimed_epsilon() -> None:
    said = answer(LOW, LowParams(), hand_made.cells(), "0.000001", QUIET)
    assert isinstance(said, str)
    assert "No ε up to 6 brings" in said
