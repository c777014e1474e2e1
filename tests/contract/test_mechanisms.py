"""Every registered mechanism keeps the contract, on the data of every product that offers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.contract.mechanism_contract import MechanismContract
from tests.contract.samples import Sample, sample_of
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.registries.mechanisms import MECHANISMS
from workbench.products.registry import PRODUCTS

CASES = [(product, mechanism) for product in PRODUCTS for mechanism in product.mechanisms]


def test_that_every_registered_mechanism_is_offered_by_a_product() -> None:
    assert {mechanism.id for mechanism in MECHANISMS} == {mechanism.id for _, mechanism in CASES}


@pytest.mark.parametrize("case", CASES, ids=[f"{product.id}-{mechanism.id}" for product, mechanism in CASES])
class TestEveryMechanism(MechanismContract):
    @pytest.fixture
    def spec(self, case: Any) -> AnyMechanism:
        mechanism: AnyMechanism = case[1]
        return mechanism

    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return MECHANISMS

    @pytest.fixture
    def sample(self, case: Any) -> Sample:
        return sample_of(case[0])
