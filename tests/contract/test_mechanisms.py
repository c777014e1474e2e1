"""Every registered mechanism keeps the contract, on the data of every product that offers it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from tests.contract import rules
from tests.contract.mechanism_contract import MechanismContract
from tests.contract.samples import sample_of
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.products.registry import PRODUCTS, offered

CASES = [(product, mechanism) for product in PRODUCTS for mechanism in product.mechanisms]


def test_that_every_registered_mechanism_is_offered_by_a_product() -> None:
    assert {mechanism.id for mechanism in offered("mechanisms")} == {mechanism.id for _, mechanism in CASES}


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{product.id}-{mechanism.id}" for product, mechanism in CASES], scope="class"
)
class TestEveryMechanism(MechanismContract):
    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return offered("mechanisms")


@pytest.mark.parametrize(
    "rules", [rules.WATCHED, rules.TURNED, rules.REACHED, rules.IN_CLOSED_FORM, rules.LAID_ON_THE_TRUTH]
)
def test_that_only_rules_of_the_contract_are_left_out(rules: tuple[str, ...]) -> None:
    assert all(hasattr(MechanismContract, rule) for rule in rules)


def test_that_nobody_is_excused_who_declares_nothing() -> None:
    plain = [
        mechanism for mechanism in offered("mechanisms") if mechanism.traits in (PLAIN, Traits(of_the_source=True))
    ]
    assert len(plain) >= 8
    assert [rules.left_out(mechanism) for mechanism in plain] == [{}] * len(plain)


def test_that_a_trait_declared_without_ground_is_found_out() -> None:
    """Each of the traits that excuse from a rule, put on a mechanism that does not have it."""
    product, laplace = CASES[0]
    sample, contract = sample_of(product), MechanismContract()
    for wrong in (Traits(own_rows=True), Traits(bound=True), Traits(no_closed_form=True)):
        excused = dataclasses.replace(laplace, traits=wrong)  # type: ignore[type-var]
        assert rules.left_out(excused)
        with pytest.raises(AssertionError):
            contract.test_that_what_it_declares_is_so(excused, sample.settings(laplace), sample.prepared())
