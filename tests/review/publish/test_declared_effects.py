"""The report names every post-processing and invariant that a setting declares, of every mechanism of every product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import pytest

from workbench.core.findings import Audience
from workbench.core.params import Field, Rows, fields_of, idle, leaves_of, outline_of, param, rows, set_aside, with_path
from workbench.core.specs import find
from workbench.products.commuting_flows.noisy_flows.params import Unit
from workbench.products.registry import PRODUCTS
from workbench.report.model import parameters_of
from workbench.review.plan.plan import Choice, Plan, blank
from workbench.review.publish.declared_effects import invariants, post_processing


def every_field() -> Iterator[tuple[Any, Any, tuple[str, ...], Field]]:
    for product in PRODUCTS:
        for mechanism in product.mechanisms:
            for path, field in leaves_of(mechanism.params):
                yield product, mechanism, path, field


def plan_with(product: Any, mechanism: Any, path: tuple[str, ...], value: Any) -> Plan:
    params = with_path(mechanism.params(), path, value)
    return replace(blank(product), mechanism=Choice.of(mechanism, params))


def values_of(field: Field) -> list[Any]:
    """At least two different values of a setting, whatever its type; every one of a choice."""
    if field.many:
        return [("first",), ("first", "second")]
    if field.type is bool:
        return [False, True]
    if issubclass(field.type, StrEnum):
        return list(field.type)
    return [field.type(3), field.type(4)]


def may_be_off(field: Field) -> bool:
    return field.type is bool or (issubclass(field.type, StrEnum) and "none" in list(field.type))


def other_values(field: Field) -> list[Any]:
    return [value for value in values_of(field) if value not in (False, "none")]


def off_value(field: Field) -> Any:
    return False if field.type is bool else field.type("none")


def test_that_each_post_processing_is_named_once_it_is_on_and_not_before() -> None:
    walked = 0
    for product, mechanism, path, field in every_field():
        if field.effect == "post-processing":
            off = may_be_off(field)
            before = set(post_processing(plan_with(product, mechanism, path, off_value(field)))) if off else set()
            assert not before & {field.label, *field.choice_labels}
            for value in other_values(field):
                (said,) = set(post_processing(plan_with(product, mechanism, path, value))) - before
                assert said in (field.label, *field.choice_labels) or said.startswith(f"{field.label}: ")
                walked += 1
    assert walked >= 5  # of block Gamma, block Laplace, Laplace and log-Laplace at least


def test_that_a_setting_that_speaks_of_post_processing_declares_it() -> None:
    """A field is never guessed from its words; but its words must not say what it does not declare."""
    for _, mechanism, path, field in every_field():
        said = f"{field.label} {field.help}".lower()
        if "post-processing" in said:
            assert field.effect == "post-processing", (mechanism.id, path)


def test_that_a_mechanism_is_governed_by_at_most_one_setting() -> None:
    for product in PRODUCTS:
        for mechanism in product.mechanisms:
            dials = [path for path, field in outline_of(mechanism.params) if field.effect == "dial"]
            assert len(dials) <= 1, mechanism.id


def test_that_dials_are_settings_of_mechanisms_only() -> None:
    for product in PRODUCTS:
        for spec in (product, *product.baselines, *product.checks, *product.measures):
            assert not [path for path, field in outline_of(spec.params) if field.effect == "dial"], spec.id


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.id)
def test_that_every_invariant_of_a_product_is_told_with_its_value(product: Any) -> None:
    unused = idle(product.params()) | set_aside(blank(product).mechanism.params)
    invariant = [field for field in fields_of(product.params) if field.effect == "invariant"]
    declared = [field for field in invariant if field.name not in unused]
    assert len(invariants(blank(product))) == len(declared)
    for field in declared:
        told = {
            invariants(
                replace(blank(product), product=Choice.of(product, with_path(product.params(), (field.name,), v)))
            )
            for v in values_of(field)
        }
        assert len(told) == len(values_of(field))


class Rounding(StrEnum):
    NONE = "none"
    TENS = "tens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    rounding: Rounding = param(
        Rounding.NONE, "Rounding", "After the draw.", labels={"tens": "Rounded to tens"}, effect="post-processing"
    )
    listed: bool = param(True, "Public list", "As it is.", effect="invariant", reported="List of answers public")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    variables: Rows[Variable] = rows(Variable, "Variables", "One line each.", by="column")


def test_that_effects_in_a_table_are_told_by_value_with_the_rows_that_have_it() -> None:
    plain, round_ = Variable(), Variable(rounding=Rounding.TENS)
    params = Variables(variables=Rows({"age": round_, "sex": plain, "pay": round_}))
    plan = replace(blank(PRODUCTS[0]), mechanism=Choice(id="x", version=1, params=params))
    assert post_processing(plan) == ("Rounded to tens (age, pay)",)
    assert invariants(plan)[-1] == "List of answers public: yes (age, sex, pay)"


def test_that_long_tables_of_invariants_are_not_told_value_by_value() -> None:
    params = Variables(variables=Rows({f"q{number}": Variable(listed=bool(number % 2)) for number in range(20)}))
    plan = replace(blank(PRODUCTS[0]), mechanism=Choice(id="x", version=1, params=params))
    assert invariants(plan)[-1] == "List of answers public: as listed under Variables"
    assert post_processing(plan) == ()


def test_that_true_sizes_are_told_as_public_only_where_they_are_published() -> None:
    """The report said so of noisy flows too, which protect the sizes."""
    flows = find(PRODUCTS, "commuting_flows", "product")
    noisy = find(flows.mechanisms, "noisy-flows", "mechanism")
    told = {unit: invariants(plan_with(flows, noisy, ("unit",), unit)) for unit in Unit}
    assert "Published sizes: true sizes (public by assumption)" in told[Unit.HOME]
    assert not any("sizes" in each.lower() for each in told[Unit.JOB])
    table = {each.label: each.value for each in parameters_of(flows.params(), Audience.PUBLIC, unused=("sizes",))}
    assert table["Published sizes"] == "not used by the mechanism"
    assert {each.value for each in parameters_of(noisy.params(), Audience.PUBLIC)} >= {"by ε"}


def test_that_weights_are_no_invariant_where_there_are_none() -> None:
    areas = find(PRODUCTS, "area_estimates", "product")
    weighted = replace(areas.params(), weight="w", most_weight=3)
    told = [invariants(replace(blank(areas), product=Choice.of(areas, each))) for each in (areas.params(), weighted)]
    assert [any(each.startswith("Largest weight") for each in one) for one in told] == [False, True]
