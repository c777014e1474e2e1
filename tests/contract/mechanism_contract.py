"""What every mechanism must keep. Inherit it with the fixtures below; the registry's mechanisms all do."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.contract.contexts import CancelAt, Listener
from tests.contract.findings_contract import judge_figure, tells
from tests.contract.samples import WORDS, Sample, by_column, sample_of
from tests.contract.specs_contract import SpecContract
from tests.contract.twins import Floating, UnderNoised
from tests.published import same
from workbench.audit import black_box, exact_loss
from workbench.audit.contract import Subject
from workbench.core.claims import Definition
from workbench.core.errors import Cancelled
from workbench.core.findings import Finding, Status
from workbench.core.plain import canonical
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Release
from workbench.mechanisms.dial import claimed, setting, turned

QUICK = black_box.BlackBoxParams(draws=40_000, release_draws=20_000, seed=17)


class MechanismContract(SpecContract):
    """Parametrise `case`, a product and one of its mechanisms, and give the fixture `registry`.

    Which rules apply follows from what the mechanism declares (`rules.py`); nothing is skipped in here.
    """

    @pytest.fixture
    def spec(self, case: Any) -> Any:
        return case[1]

    @pytest.fixture
    def sample(self, case: Any) -> Sample:
        return sample_of(case[0])

    @pytest.fixture
    def prepared(self, sample: Sample) -> Any:
        return sample.prepared()

    @pytest.fixture
    def valid_params(self, spec: Any, sample: Sample) -> Any:
        """The settings it is judged with on these data: its defaults, unless so large an ε cannot be seen by draws."""
        return sample.settings(spec)

    def test_that_its_claim_can_be_read_and_added_up(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        for data in (None, prepared):
            claim = spec.claim(data, valid_params)
            assert claim.sentence.strip().endswith(".")
            assert claim.unit.strip()
            assert claim.epsilon > 0
            assert 0 <= claim.delta < 1
            assert claim.assumptions
            assert not claim.formal or claim.definition is not Definition.NONE
            assert not claim.formal or not claim.condition
            if claim.parts:
                assert claim.epsilon <= sum(part.epsilon for part in claim.parts)
                assert claim.delta <= sum(part.delta for part in claim.parts)

    def test_that_turning_its_dial_up_claims_more(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        now = setting(spec, valid_params)
        assert now is not None
        more = turned(spec, valid_params, now * Decimal("1.25"))
        assert claimed(spec, more, prepared) > claimed(spec, valid_params, prepared)

    def test_that_it_has_no_problem_with_the_sample(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        assert spec.problems(prepared, valid_params) == ()

    def test_that_it_releases_integers_under_its_own_name(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        release = spec.release(prepared, valid_params, ReleaseRandom(), QUIET)
        assert isinstance(release, Release)
        assert release.values.dtype.kind == "i"
        assert release.rows > 0
        assert prepared.rows in (None, release.rows)
        assert (release.mechanism, release.version) == (spec.id, spec.version)

    def test_that_it_releases_a_number_for_every_true_one(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        release = spec.release(prepared, valid_params, ReleaseRandom(), QUIET)
        assert release.values.shape == sample.truth(prepared).shape

    def test_that_what_it_declares_is_so(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        """A trait excuses from rules, so that a false one would be a way around them."""
        traits = spec.traits
        release = spec.release(prepared, valid_params, ReleaseRandom(), QUIET)
        assert prepared.rows is None or not traits.own_rows
        assert bool(release.keys) == (traits.own_rows and not traits.records), "drawn rows of a table have names"
        assert release.records == traits.records
        if traits.whole:
            assert all(pair.copies == 1 for pair in spec.neighbours(prepared, valid_params, 50))
        if release.keys and not release.records:
            assert len(np.unique(np.stack([key.codes for key in release.keys], axis=1), axis=0)) == release.rows
        assert spec.exact_loss(prepared, valid_params, QUIET).bound == traits.bound
        assert (spec.expected_error(prepared, valid_params) is None) == traits.no_closed_form

    def test_that_two_releases_differ(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        first, second = (spec.release(prepared, valid_params, ReleaseRandom(), QUIET).values for _ in range(2))
        assert not np.array_equal(first, second)

    def test_that_study_and_release_have_the_same_distribution(
        self, spec: Any, valid_params: Any, prepared: Any
    ) -> None:
        pair = spec.neighbours(prepared, valid_params, 15_000)[0]
        data = pair.first.reveal()
        release = spec.release(data, valid_params, ReleaseRandom(), QUIET).values
        study = spec.study(data, valid_params, StudyRandom(23), QUIET).reveal().values
        assert study.shape == release.shape
        for column in range(pair.outputs):
            drawn, published = (values.ravel()[column :: pair.outputs] for values in (study, release))
            assert same_distribution(drawn, published) > 1e-6

    def test_that_a_study_can_be_repeated(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        first, again = (spec.study(prepared, valid_params, StudyRandom(5), QUIET).reveal() for _ in range(2))
        assert same(first, again)

    def test_that_it_spends_no_more_than_it_claims(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        claim = spec.claim(prepared, valid_params)
        exact = spec.exact_loss(prepared, valid_params, QUIET)
        assert 0 < exact.epsilon <= float(claim.epsilon) * (1 + 1e-9)
        assert 0 <= exact.delta <= float(claim.delta) * (1 + 1e-9)
        assert exact.worst_pair.strip()
        if exact.curve is not None:
            judge_figure(exact.curve)

    def test_that_its_claim_does_not_look_at_confidential_values(
        self, spec: Any, valid_params: Any, prepared: Any
    ) -> None:
        for pair in spec.neighbours(prepared, valid_params, 2):
            first, second = (spec.claim(side.reveal(), valid_params) for side in (pair.first, pair.second))
            assert first == second

    def test_that_what_it_calls_free_of_data_is_the_same_on_other_data(
        self, spec: Any, valid_params: Any, prepared: Any
    ) -> None:
        here = spec.exact_loss(prepared, valid_params, QUIET)
        for pair in spec.neighbours(prepared, valid_params, 2):
            there = spec.exact_loss(pair.first.reveal(), valid_params, QUIET)
            assert here.data_free == there.data_free
            assert not here.data_free or there == here

    def test_that_the_black_box_finds_no_breach(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        doubted = accused(watched(spec, valid_params, prepared), lambda: watch(spec, valid_params, prepared))
        assert not doubted, doubted[0].sentence

    def test_that_the_black_box_sees_most_of_the_claimed_loss(
        self, spec: Any, valid_params: Any, prepared: Any
    ) -> None:
        """A check that sees nothing would pass anything: on some pair it must come near what is spent."""
        spent = spec.exact_loss(prepared, valid_params, QUIET).epsilon
        study = watched(spec, valid_params, prepared)[0]
        assert float(str(study.values["lower_bound"])) > 0.7 * spent

    def test_that_the_black_box_catches_half_the_noise(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        for finding in watched(UnderNoised(spec), valid_params, prepared):
            assert finding.status is Status.FAIL, finding.sentence

    def test_that_the_exact_loss_catches_half_the_noise(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        subject = Subject(words=WORDS, prepared=prepared, mechanism=UnderNoised(spec), params=valid_params)  # type: ignore[arg-type]
        (finding,) = exact_loss.SPEC.run(subject, exact_loss.ExactLossParams(), QUIET)
        assert finding.status is Status.FAIL

    def test_that_the_black_box_catches_floating_point_output(
        self, spec: Any, valid_params: Any, prepared: Any
    ) -> None:
        for finding in watched(Floating(spec), valid_params, prepared):
            assert finding.status is Status.FAIL
            assert "not integers" in finding.sentence

    def test_that_its_expected_error_is_the_error_of_its_draws(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        for pair in spec.neighbours(prepared, valid_params, 50_000):
            data = pair.first.reveal()
            expected = spec.expected_error(data, valid_params)
            error = np.abs(spec.study(data, valid_params, StudyRandom(9), QUIET).reveal().values - sample.truth(data))
            assert expected.reveal().shape == error.shape
            assert not np.isnan(expected.reveal()).all(), "who knows no error at all declares it"
            for place, decimals in enumerate(sample.decimals):
                seen, told = (by_column(values, place) for values in (error / 10.0**decimals, expected.reveal()))
                if np.isnan(told).all():  # a column whose error is known by drawing only
                    continue
                assert abs(seen.mean() - told.mean()) < 5 * seen.std(ddof=1) / np.sqrt(len(seen))

    def test_that_calibration_agrees_with_error_and_loss(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        data = spec.neighbours(prepared, valid_params, 3)[0].first.reveal()
        params, case = sample.first_case(data, valid_params)
        calibration = spec.calibrate(params, spec.case(**case))
        expected = spec.expected_error(data, valid_params)
        assert calibration.scale > 0
        assert calibration.spent_epsilon <= float(spec.claim(None, valid_params).epsilon) * (1 + 1e-9)
        assert calibration.spent_epsilon >= spec.exact_loss(data, valid_params, QUIET).epsilon * (1 - 1e-9)
        if expected is not None:
            shown = calibration.rounded_absolute_error or calibration.expected_absolute_error
            assert shown == pytest.approx(float(by_column(expected.reveal(), 0)[0]), rel=1e-9)

    def test_that_calibration_needs_no_cell(self, spec: Any, valid_params: Any) -> None:
        assert spec.calibrate(valid_params, spec.case()).scale > 0

    @pytest.mark.parametrize("step", [1, 2])
    def test_that_cancel_is_obeyed_at_the_step_it_comes(
        self, spec: Any, valid_params: Any, prepared: Any, step: int
    ) -> None:
        with pytest.raises(Cancelled):
            spec.release(prepared, valid_params, ReleaseRandom(), CancelAt(step))
        with pytest.raises(Cancelled):
            spec.study(prepared, valid_params, StudyRandom(1), CancelAt(step))

    def test_that_long_releases_ask_leave_often(self, spec: Any, valid_params: Any, prepared: Any) -> None:
        """An exact sampler takes about ten microseconds a value: every 10,000 values somebody must be able to stop."""
        listener = Listener()
        many = spec.neighbours(prepared, valid_params, 50_000)[0].first.reveal()
        spec.release(prepared if spec.traits.few_draws else many, valid_params, ReleaseRandom(), listener)
        assert len(listener.sentences) >= 5
        assert all(0 <= fraction <= 1 for fraction in listener.fractions)
        assert listener.fractions == sorted(listener.fractions)

    def test_that_nothing_confidential_can_be_printed(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        exact = spec.exact_loss(prepared, valid_params, QUIET)
        shown = [
            repr(prepared),
            repr(spec.study(prepared, valid_params, StudyRandom(1), QUIET)),
            repr(spec.expected_error(prepared, valid_params)),
            repr(spec.neighbours(prepared, valid_params, 2)),
            repr(exact),
            repr(spec.claim(prepared, valid_params)),
            canonical(spec.claim(prepared, valid_params)).decode("utf-8"),
        ]
        for secret in sample.secrets:
            assert not any(tells(text, secret) for text in shown)

    def test_that_no_black_box_finding_can_be_read_back(
        self, spec: Any, valid_params: Any, prepared: Any, sample: Sample
    ) -> None:
        for finding in watched(spec, valid_params, prepared):
            shown = finding.sentence + repr(finding)
            assert not any(tells(shown, secret) for secret in sample.secrets)


_WATCHED: dict[tuple[Any, ...], tuple[Finding, ...]] = {}  # several rules ask the same of the same sampler


def watched(mechanism: Any, params: Any, prepared: Any) -> tuple[Finding, ...]:
    """The black box on a mechanism or its twin, with few enough draws for a test; drawn once for all rules."""
    key = (type(mechanism), mechanism.id, repr(params), id(prepared))
    if key not in _WATCHED:
        _WATCHED[key] = watch(mechanism, params, prepared)
    return _WATCHED[key]


def watch(mechanism: Any, params: Any, prepared: Any) -> tuple[Finding, ...]:
    subject = Subject(words=WORDS, prepared=prepared, mechanism=mechanism, params=params)
    return black_box.SPEC.run(subject, QUICK, QUIET)


def accused(first: tuple[Finding, ...], again: Callable[[], tuple[Finding, ...]]) -> list[Finding]:
    """What does not pass, neither on these draws nor on fresh ones.

    Of draws with the operating system's randomness one accusation in a thousand may be chance, two of the same only one
    in a million; who is guilty is accused again.
    """
    doubted = [finding for finding in first if finding.status is not Status.PASS]
    if doubted:
        fresh = {finding.id: finding.status for finding in again()}
        doubted = [finding for finding in doubted if fresh[finding.id] is not Status.PASS]
    return doubted


def same_distribution(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """The p-value of a chi-squared test that two samples have one law; neighbouring values pooled to 20 or more."""
    from scipy.stats import chi2_contingency

    edges = np.unique(np.quantile(np.concatenate([first, second]), np.linspace(0, 1, 40), method="nearest"))
    bins = np.concatenate([[-np.inf], edges + 0.5, [np.inf]])
    table = np.array([np.histogram(sample, bins=bins)[0] for sample in (first, second)])
    kept = table[:, table.sum(axis=0) >= 20]
    return float(chi2_contingency(kept).pvalue)
