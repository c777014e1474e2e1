"""Every registered baseline keeps the contract, on the data of every product that compares with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.contract.contexts import CancelAt, Listener
from tests.contract.samples import Sample, sample_of
from tests.contract.specs_contract import SpecContract
from tests.published import same as same_columns
from workbench.baselines.alternatives import PUBLISHED, Alternative, ProtectedFile, SuppressionPattern, cells_of
from workbench.baselines.contract import AnyBaseline
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
    def valid_params(self, spec: Any, sample: Sample) -> Any:
        return sample.rivals(spec)

    @pytest.fixture
    def prepared(self, sample: Sample) -> Any:
        return sample.prepared()

    def test_that_what_it_gives_fits_the_data_and_stays_confidential(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        given = spec.protect(prepared, valid_params, StudyRandom(1), QUIET)
        assert isinstance(given, Alternative)
        if not isinstance(given, ProtectedFile):
            assert given.values.reveal().shape == sample.truth(prepared).shape
        for secret in sample.secrets:
            assert secret not in repr(given)

    def test_that_the_bounds_of_suppressed_cells_hold_the_truth(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        given = spec.protect(prepared, valid_params, StudyRandom(1), QUIET)
        if isinstance(given, SuppressionPattern):
            truth = sample.truth(prepared) / 10.0 ** np.array(sample.decimals)
            assert given.suppressed.reveal().any()
            assert np.all((given.low.reveal() <= truth) & (truth <= given.high.reveal()))
            shown = given.reason.reveal() == PUBLISHED
            assert all(np.array_equal(side.reveal()[shown], truth[shown]) for side in (given.values, given.low))

    def test_that_it_can_be_repeated(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        first, again = (spec.protect(prepared, valid_params, StudyRandom(6), QUIET) for _ in range(2))
        assert same(first, again)

    def test_that_it_protects_something(self, spec: Any, valid_params: Any, prepared: Any, sample: Sample) -> None:
        given = spec.protect(prepared, valid_params, StudyRandom(6), QUIET)
        if not isinstance(given, ProtectedFile):
            assert not np.array_equal(given.values.reveal(), sample.truth(prepared).astype(np.float64))

    @pytest.mark.parametrize("step", [1, 2])
    def test_that_cancel_is_obeyed(self, spec: Any, valid_params: Any, prepared: Any, step: int) -> None:
        with pytest.raises(Cancelled):
            spec.protect(prepared, valid_params, StudyRandom(1), CancelAt(step))

    def test_that_progress_only_grows(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        listener = Listener()
        spec.protect(prepared, valid_params, StudyRandom(1), listener)
        assert listener.fractions == sorted(listener.fractions)


def same(first: Alternative, again: Alternative) -> bool:
    """Whether two results hold the same numbers."""
    if isinstance(first, ProtectedFile) and isinstance(again, ProtectedFile):
        return same_columns(first.published.reveal(), again.published.reveal())
    return bool(np.array_equal(cells_of(first).reveal(), cells_of(again).reveal(), equal_nan=True))


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
