"""Every registered measure keeps the contract, for every mechanism of every product that uses it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.contract.contexts import CancelAt, Listener
from tests.contract.findings_contract import judge_findings
from tests.contract.samples import Sample, compared, sample_of
from tests.contract.specs_contract import SpecContract
from workbench.baselines.alternatives import ProtectedFile, ProtectedValues, cells_of
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled
from workbench.core.findings import Audience
from workbench.core.progress import QUIET
from workbench.products.registry import PRODUCTS, offered
from workbench.utility.contract import AnyMeasure, Comparison

CASES = [(p, measure, mechanism) for p in PRODUCTS for measure in p.measures for mechanism in p.mechanisms]


class MeasureContract(SpecContract):
    """Give the fixtures `spec`, `registry`, `sample` and `comparison`."""

    @pytest.fixture
    def sample(self) -> Sample:
        raise NotImplementedError

    @pytest.fixture
    def comparison(self) -> Comparison:
        raise NotImplementedError

    def test_that_its_findings_are_complete_and_hold_no_secret(
        self, spec: Any, valid_params: Any, comparison: Comparison, sample: Sample
    ) -> None:
        judge_findings(spec.run(comparison, valid_params, QUIET), sample.secrets)

    def test_that_it_stays_inside_the_house(self, spec: Any, valid_params: Any, comparison: Comparison) -> None:
        """It compares with the truth, so it is for internal eyes."""
        assert all(finding.audience is Audience.INTERNAL for finding in spec.run(comparison, valid_params, QUIET))

    def test_that_suppressed_cells_do_not_break_it(
        self, spec: Any, valid_params: Any, comparison: Comparison, sample: Sample
    ) -> None:
        for rival in comparison.rivals:
            if isinstance(rival.gives, ProtectedFile):
                continue  # a file has no cells
            values = cells_of(rival.gives).reveal().copy()
            for share in (3, 1):
                values[::share] = np.nan
                fewer = dataclasses.replace(rival, gives=ProtectedValues(values=Confidential(values.copy())))
                gone = dataclasses.replace(comparison, rivals=(fewer,))
                judge_findings(spec.run(gone, valid_params, QUIET), sample.secrets)

    def test_that_it_can_be_repeated(self, spec: Any, valid_params: Any, comparison: Comparison) -> None:
        first, again = (spec.run(comparison, valid_params, QUIET) for _ in range(2))
        assert repr(first) == repr(again)

    @pytest.mark.parametrize("step", [1, 2])
    def test_that_cancel_is_obeyed(self, spec: Any, valid_params: Any, comparison: Comparison, step: int) -> None:
        with pytest.raises(Cancelled):
            spec.run(comparison, valid_params, CancelAt(step))

    def test_that_progress_only_grows(self, spec: Any, valid_params: Any, comparison: Comparison) -> None:
        listener = Listener()
        spec.run(comparison, valid_params, listener)
        assert listener.fractions == sorted(listener.fractions)


def test_that_every_registered_measure_is_used_by_a_product() -> None:
    assert {measure.id for measure in offered("measures")} == {measure.id for _, measure, _ in CASES}


@pytest.mark.parametrize("case", CASES, ids=["-".join(spec.id for spec in case) for case in CASES])
class TestEveryMeasure(MeasureContract):
    @pytest.fixture
    def spec(self, case: Any) -> AnyMeasure:
        measure: AnyMeasure = case[1]
        return measure

    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return offered("measures")

    @pytest.fixture
    def sample(self, case: Any) -> Sample:
        return sample_of(case[0])

    @pytest.fixture
    def comparison(self, case: Any) -> Comparison:
        return compared(case[0], case[2])
