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
from workbench.core.findings import Audience, Finding
from workbench.core.progress import QUIET
from workbench.products.registry import PRODUCTS, offered
from workbench.utility.contract import AnyMeasure, Comparison

CASES = [(p, measure, mechanism) for p in PRODUCTS for measure in p.measures for mechanism in p.mechanisms]


@dataclasses.dataclass(frozen=True)
class Ran:
    """One run of a measure on one comparison, which several rules look at."""

    findings: tuple[Finding, ...]
    fractions: list[float]


class MeasureRules:
    """Give the fixtures `spec`, `sample` and `comparison`, for the class: a measure is run once for several rules."""

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls) -> Sample:
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def comparison(cls) -> Comparison:
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def ran(cls, spec: Any, comparison: Comparison) -> Ran:
        listener = Listener()
        return Ran(findings=spec.run(comparison, spec.params(), listener), fractions=listener.fractions)

    def test_that_its_findings_are_complete_and_hold_no_secret(self, ran: Ran, sample: Sample) -> None:
        judge_findings(ran.findings, sample.secrets)

    def test_that_it_stays_inside_the_house(self, ran: Ran) -> None:
        """It compares with the truth, so it is for internal eyes."""
        assert all(finding.audience is Audience.INTERNAL for finding in ran.findings)

    def test_that_suppressed_cells_do_not_break_it(self, spec: Any, comparison: Comparison, sample: Sample) -> None:
        for rival in comparison.rivals:
            if isinstance(rival.gives, ProtectedFile):
                continue  # a file has no cells
            values = cells_of(rival.gives).reveal().copy()
            for share in (3, 1):
                values[::share] = np.nan
                fewer = dataclasses.replace(rival, gives=ProtectedValues(values=Confidential(values.copy())))
                gone = dataclasses.replace(comparison, rivals=(fewer,))
                judge_findings(spec.run(gone, spec.params(), QUIET), sample.secrets)

    def test_that_it_can_be_repeated(self, spec: Any, comparison: Comparison, ran: Ran) -> None:
        assert repr(ran.findings) == repr(spec.run(comparison, spec.params(), QUIET))

    @pytest.mark.parametrize("step", [1, 2])
    def test_that_cancel_is_obeyed(self, spec: Any, comparison: Comparison, step: int) -> None:
        with pytest.raises(Cancelled):
            spec.run(comparison, spec.params(), CancelAt(step))

    def test_that_progress_only_grows(self, ran: Ran) -> None:
        assert ran.fractions == sorted(ran.fractions)


class MeasureContract(SpecContract, MeasureRules):
    """All that a measure keeps. Give `registry` too."""


def test_that_every_registered_measure_is_used_by_a_product() -> None:
    assert {measure.id for measure in offered("measures")} == {measure.id for _, measure, _ in CASES}


@pytest.mark.parametrize("spec", offered("measures"), ids=lambda measure: measure.id)
class TestWhatEveryMeasureDeclares(SpecContract):
    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return offered("measures")


@pytest.mark.parametrize("case", CASES, ids=["-".join(spec.id for spec in case) for case in CASES], scope="class")
class TestEveryMeasure(MeasureRules):
    @pytest.fixture(scope="class")
    @classmethod
    def spec(cls, case: Any) -> AnyMeasure:
        measure: AnyMeasure = case[1]
        return measure

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls, case: Any) -> Sample:
        return sample_of(case[0])

    @pytest.fixture(scope="class")
    @classmethod
    def comparison(cls, case: Any) -> Comparison:
        return compared(case[0], case[2])
