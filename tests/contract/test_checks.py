"""Every registered check keeps the contract, on every mechanism of every product that runs it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from tests.contract.contexts import CancelAt, Listener
from tests.contract.findings_contract import judge_findings
from tests.contract.samples import WORDS, Sample, sample_of
from tests.contract.specs_contract import SpecContract
from workbench.audit.contract import AnyCheck, Subject
from workbench.core.errors import Cancelled
from workbench.core.findings import Finding, Status
from workbench.core.params import fields_of
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.products.registry import PRODUCTS, offered

CASES = [(p, check, mechanism) for p in PRODUCTS for check in p.checks for mechanism in p.mechanisms]
# smaller numbers for whatever a check draws
FEW = {"draws": 4000, "release_draws": 1000, "source_draws": 100, "law_draws": 0, "turns": 2}


@dataclasses.dataclass(frozen=True)
class Ran:
    """One run of a check on one draw, which several rules look at."""

    findings: tuple[Finding, ...]
    fractions: list[float]


def failures(findings: Sequence[Finding]) -> set[str]:
    return {finding.id for finding in findings if finding.status is Status.FAIL}


class CheckRules:
    """Give the fixtures `spec`, `sample` and `mechanism`, for the class: a check is run once for several rules."""

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls) -> Sample:
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def mechanism(cls) -> Any:
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def quick(cls, spec: Any) -> Any:
        known = {field.name for field in fields_of(spec.params)}
        return dataclasses.replace(spec.params(), **{name: few for name, few in FEW.items() if name in known})

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, sample: Sample, mechanism: Any) -> Subject:
        prepared, params = sample.prepared(), mechanism.params()
        release = mechanism.release(prepared, params, ReleaseRandom(), QUIET)
        return Subject(words=WORDS, prepared=prepared, mechanism=mechanism, params=params, release=release)

    @pytest.fixture(scope="class")
    @classmethod
    def ran(cls, spec: Any, quick: Any, subject: Subject) -> Ran:
        listener = Listener()
        return Ran(findings=spec.run(subject, quick, listener), fractions=listener.fractions)

    def test_that_its_findings_are_complete_and_hold_no_secret(self, spec: Any, ran: Ran, sample: Sample) -> None:
        judge_findings(ran.findings, sample.secrets)
        assert all(finding.id.startswith(spec.id) for finding in ran.findings)

    def test_that_an_honest_mechanism_does_not_fail(self, spec: Any, quick: Any, subject: Subject, ran: Ran) -> None:
        """What fails is looked at again on fresh draws of the operating system: once in a thousand it is chance."""
        failed = failures(ran.findings)
        if failed:
            drawn = subject.mechanism.release(subject.prepared, subject.params, ReleaseRandom(), QUIET)
            failed &= failures(spec.run(dataclasses.replace(subject, release=drawn), quick, QUIET))
        assert not failed

    def test_that_it_runs_before_anything_is_released(
        self, spec: Any, quick: Any, subject: Subject, sample: Sample
    ) -> None:
        judge_findings(spec.run(dataclasses.replace(subject, release=None), quick, QUIET), sample.secrets)

    @pytest.mark.parametrize("step", [1, 2])
    def test_that_cancel_is_obeyed(self, spec: Any, quick: Any, subject: Subject, step: int) -> None:
        with pytest.raises(Cancelled):
            spec.run(subject, quick, CancelAt(step))

    def test_that_progress_only_grows(self, ran: Ran) -> None:
        assert ran.fractions == sorted(ran.fractions)


class CheckContract(SpecContract, CheckRules):
    """All that a check keeps. Give `registry` too."""


def test_that_every_registered_check_is_run_by_a_product() -> None:
    assert {check.id for check in offered("checks")} == {check.id for _, check, _ in CASES}


@pytest.mark.parametrize("spec", offered("checks"), ids=lambda check: check.id)
class TestWhatEveryCheckDeclares(SpecContract):
    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return offered("checks")


@pytest.mark.parametrize("case", CASES, ids=["-".join(spec.id for spec in case) for case in CASES], scope="class")
class TestEveryCheck(CheckRules):
    @pytest.fixture(scope="class")
    @classmethod
    def spec(cls, case: Any) -> AnyCheck:
        check: AnyCheck = case[1]
        return check

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls, case: Any) -> Sample:
        return sample_of(case[0])

    @pytest.fixture(scope="class")
    @classmethod
    def mechanism(cls, case: Any) -> Any:
        return case[2]
