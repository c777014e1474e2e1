"""Every registered baseline keeps the contract, on the data of every product that compares with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.contract.contexts import CancelAt, Listener
from tests.contract.samples import Sample, sample_of
from tests.contract.specs_contract import SpecContract
from workbench.baselines.contract import AnyBaseline
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.registry import PRODUCTS, offered

CASES = [(product, baseline) for product in PRODUCTS for baseline in product.baselines]


class BaselineContract(SpecContract):
    """Give the fixtures `spec`, `registry` and `sample`."""

    @pytest.fixture
    def sample(self) -> Sample:
        raise NotImplementedError

    @pytest.fixture
    def prepared(self, sample: Sample) -> Any:
        return sample.prepared()

    def test_that_it_gives_a_confidential_number_for_every_cell(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        values = spec.protect(prepared, valid_params, StudyRandom(1), QUIET)
        assert isinstance(values, Confidential)
        assert values.reveal().dtype == np.float64
        assert values.reveal().shape == sample.truth(prepared).shape
        assert not np.any(np.isinf(values.reveal()))
        for secret in sample.secrets:
            assert secret not in repr(values)

    def test_that_it_can_be_repeated(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        first, again = (spec.protect(prepared, valid_params, StudyRandom(6), QUIET).reveal() for _ in range(2))
        assert np.array_equal(first, again, equal_nan=True)

    def test_that_it_protects_something(self, spec: Any, valid_params: Any, prepared: Any, sample: Sample) -> None:
        values = spec.protect(prepared, valid_params, StudyRandom(6), QUIET).reveal()
        assert not np.array_equal(values, sample.truth(prepared).astype(np.float64))

    @pytest.mark.parametrize("step", [1, 2])
    def test_that_cancel_is_obeyed(self, spec: Any, valid_params: Any, prepared: Any, step: int) -> None:
        with pytest.raises(Cancelled):
            spec.protect(prepared, valid_params, StudyRandom(1), CancelAt(step))

    def test_that_progress_only_grows(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        listener = Listener()
        spec.protect(prepared, valid_params, StudyRandom(1), listener)
        assert listener.fractions == sorted(listener.fractions)


def test_that_every_registered_baseline_is_compared_with_by_a_product() -> None:
    assert {baseline.id for baseline in offered("baselines")} == {baseline.id for _, baseline in CASES}


@pytest.mark.parametrize("case", CASES, ids=[f"{product.id}-{baseline.id}" for product, baseline in CASES])
class TestEveryBaseline(BaselineContract):
    @pytest.fixture
    def spec(self, case: Any) -> AnyBaseline:
        baseline: AnyBaseline = case[1]
        return baseline

    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return offered("baselines")

    @pytest.fixture
    def sample(self, case: Any) -> Sample:
        return sample_of(case[0])
