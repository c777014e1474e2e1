"""Exact loss and whole numbers: what passes, what fails, and who may read it."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.twins import Floating, Forgetful, Twin
from tests.products.employment_tables import hand_made
from tests.products.employment_tables.test_selection import params, prepared
from tests.published import with_values
from workbench.audit import completeness as integers
from workbench.audit import exact_loss
from workbench.audit.contract import Subject
from workbench.core.claims import Claim
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import QUIET, Context
from workbench.core.published import MISSING, Coded, Published, Units
from workbench.core.randomness import ReleaseRandom
from workbench.mechanisms.contract import ExactLoss, Release
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.product import SPEC
from workbench.products.employment_tables.words import JOBS


class Spends(Twin):
    """Says that it spends what the test wants."""

    def __init__(
        self, epsilon: float, delta: float = 0.0, *, claimed_delta: str = "0", data_free: bool = False
    ) -> None:
        super().__init__(laplace.SPEC)
        self.spent = ExactLoss(
            epsilon=epsilon, delta=delta, worst_cell=None, worst_pair="two of a kind", data_free=data_free
        )
        self.claimed_delta = Decimal(claimed_delta)
        self.formal = True

    def exact_loss(self, prepared: object, params: object, context: Context) -> ExactLoss:
        return self.spent

    def claim(self, prepared: object, params: laplace.LaplaceParams) -> Claim:
        return dataclasses.replace(laplace.SPEC.claim(None, params), delta=self.claimed_delta, formal=self.formal)


def judged(mechanism: Twin) -> Finding:
    subject = Subject(words=JOBS, prepared=hand_made.cells(), mechanism=mechanism, params=laplace.LaplaceParams())  # type: ignore[arg-type]
    (finding,) = exact_loss.SPEC.run(subject, exact_loss.ExactLossParams(), QUIET)
    return finding


def test_that_the_sentence_says_what_is_claimed_and_what_is_spent() -> None:
    finding = judged(Twin(laplace.SPEC))
    assert finding.status is Status.PASS
    assert finding.sentence.startswith("Claimed ε = 1; exact worst case 1.000")
    assert finding.figures


@pytest.mark.parametrize(
    ("epsilon", "status"),
    [(1.0, Status.PASS), (1 + 5e-10, Status.PASS), (1 + 5e-9, Status.FAIL), (float("inf"), Status.FAIL),
     (float("nan"), Status.FAIL)],
)  # fmt: skip
def test_that_anything_beyond_rounding_fails(epsilon: float, status: Status) -> None:
    assert judged(Spends(epsilon)).status is status


def test_that_delta_is_judged_too() -> None:
    assert judged(Spends(0.5, 1e-6)).status is Status.FAIL
    assert judged(Spends(0.5, 1e-6, claimed_delta="0.000001")).status is Status.PASS
    assert judged(Spends(0.5, 2e-6, claimed_delta="0.000001")).status is Status.FAIL
    assert "Claimed δ = 10⁻⁶; exact worst case 2 × 10⁻⁶" in judged(Spends(0.5, 2e-6, claimed_delta="0.000001")).sentence


def test_that_the_cell_that_spends_most_is_named_in_the_words_of_the_table() -> None:
    places = Coded(name="place", codes=np.array([0, 1, 1], np.int32), values=("01", "02"), labels=("Alder", "Birch"))
    sex = Coded(name="sex", codes=np.array([0, 0, 1], np.int32), values=("F", "M"))
    jobs = Units(name="jobs", integers=np.array([5, 7, 9]), unit="jobs")
    mechanism = Spends(0.5)
    mechanism.spent = dataclasses.replace(mechanism.spent, worst_cell=2)
    subject = Subject(
        words=JOBS, prepared=hand_made.cells(), mechanism=mechanism, params=laplace.LaplaceParams(),  # type: ignore[arg-type]
        table=Published(columns=(places, sex, jobs)),
    )  # fmt: skip
    (finding,) = exact_loss.SPEC.run(subject, exact_loss.ExactLossParams(), QUIET)
    assert finding.values["worst_cell"] == "Birch, M"
    assert "worst_cell" not in judged(Spends(0.5)).values  # every cell alike: no line that says "not known"


def spending(*, formal: bool, condition: str = "", bound: bool = False, epsilon: float = 0.5) -> Finding:
    mechanism = Spends(epsilon)
    mechanism.formal = formal
    mechanism.spent = dataclasses.replace(mechanism.spent, condition=condition, bound=bound)
    return judged(mechanism)


def test_that_a_loss_that_holds_data_fixed_is_no_plain_pass_for_an_informal_claim() -> None:
    found = spending(formal=False, condition="the observed sensitivity χ")
    assert found.status is Status.WARN
    assert "This holds the observed sensitivity χ fixed, which was computed from the data." in found.sentence
    assert found.values["condition"] == "the observed sensitivity χ"
    assert "told apart at will" in found.does_not_prove
    assert spending(formal=True, condition="the observed sensitivity χ").status is Status.PASS
    assert spending(formal=False, condition="the observed sensitivity χ", epsilon=2.0).status is Status.FAIL
    assert spending(formal=False).status is Status.WARN
    assert "the claim is not formal" in spending(formal=False).sentence


def test_that_a_bound_is_not_called_exact() -> None:
    found = spending(formal=True, bound=True)
    assert found.status is Status.PASS
    assert "; at most 0.5000, by accounting" in found.sentence
    assert "exact" not in found.sentence
    assert found.title == "Privacy loss by accounting"


def test_that_a_tiny_epsilon_is_shown_with_its_digits() -> None:
    assert "exact worst case 0.0005000" in judged(Spends(0.0005)).sentence


def test_that_only_what_follows_from_the_params_alone_is_public() -> None:
    assert judged(Twin(laplace.SPEC)).audience is Audience.PUBLIC
    assert judged(Spends(0.5)).audience is Audience.INTERNAL


def whole(mechanism: Twin) -> Finding:
    prepared, params = hand_made.cells(), laplace.LaplaceParams()
    subject = Subject(
        words=JOBS,
        prepared=prepared,
        mechanism=mechanism,  # type: ignore[arg-type]
        params=params,
        release=mechanism.release(prepared, params, ReleaseRandom(), QUIET),
    )
    (finding,) = integers.SPEC.run(subject, integers.IntegersParams(), QUIET)
    return finding


@pytest.mark.parametrize("mechanism", SPEC.mechanisms, ids=lambda each: each.id)
def test_that_no_public_finding_follows_the_sizes_of_establishments(mechanism: Any) -> None:
    """Sizes of the table were among the made-up neighbours, and the public report said over how many pairs."""
    small = [("A", 0, 0, (3, 17)), ("B", 1, 0, (0, 30)), ("C", 2, 1, (5, 5))]
    public = []
    for rows in (small, [*small, ("D", 2, 2, (4_000, 321))], [*small[:2], ("C", 2, 1, (700, 777))]):
        cells = prepared(rows, params({}, worker=("sex",) if mechanism.id.startswith("block") else ()))
        settings = mechanism.params()
        assert not mechanism.problems(cells, settings)
        found = exact_loss.SPEC.run(
            Subject(prepared=cells, mechanism=mechanism, params=settings, words=JOBS),
            exact_loss.ExactLossParams(),
            QUIET,
        )
        public.append([each for each in found if each.audience is Audience.PUBLIC])
    assert public[0] == public[1] == public[2]


def test_that_floats_and_missing_cells_are_caught() -> None:
    assert whole(Twin(laplace.SPEC)).status is Status.PASS
    assert whole(Floating(laplace.SPEC)).values["not_integers"] == 24
    assert whole(Floating(laplace.SPEC)).status is Status.FAIL
    assert whole(Forgetful(laplace.SPEC)).values["complete"] is False
    assert whole(Forgetful(laplace.SPEC)).status is Status.FAIL


def test_that_floats_that_happen_to_be_whole_are_not_taken_for_integers() -> None:
    release = laplace.SPEC.release(hand_made.cells(), laplace.LaplaceParams(), ReleaseRandom(), QUIET)
    as_floats = with_values(release, release.values.astype(np.float64))
    subject = Subject(
        words=JOBS,
        prepared=hand_made.cells(),
        mechanism=laplace.SPEC,
        params=laplace.LaplaceParams(),
        release=as_floats,
    )
    assert integers.SPEC.run(subject, integers.IntegersParams(), QUIET)[0].status is Status.FAIL


def laid_out(values: list[list[int]], rows: int = 24) -> Finding:
    """The check on a table with a count and a mean of two decimals, one row for each of the 24 cells."""
    jobs, pay = np.array(values * rows, dtype=np.int64).T
    columns = (
        Units(name="jobs", integers=jobs, gaps=True),
        Units(name="mean pay", integers=pay, decimals=2, additive=False, gaps=True),
    )
    table, release = Published(columns=columns), Release(columns=columns, mechanism="laplace", version=1)
    subject = Subject(
        words=JOBS,
        prepared=hand_made.cells(),
        mechanism=laplace.SPEC,
        params=laplace.LaplaceParams(),
        release=release,
        table=table,
    )
    (finding,) = integers.SPEC.run(subject, integers.IntegersParams(), QUIET)
    return finding


def test_that_a_column_that_holds_no_counts_need_only_be_on_its_grid() -> None:
    found = laid_out([[3, 1205]])
    assert found.status is Status.PASS
    assert found.sentence == (
        "All 24 rows are there. jobs: whole numbers. mean pay (2 decimals): on their declared grid."
    )
    assert laid_out([[3, MISSING]]).status is Status.PASS
    assert laid_out([[3, MISSING]]).values["without_value"] == 24
    assert laid_out([[MISSING, 3]]).status is Status.FAIL
    assert laid_out([[3, 1205]], rows=23).status is Status.FAIL


def test_that_nothing_released_is_no_pass() -> None:
    subject = Subject(words=JOBS, prepared=hand_made.cells(), mechanism=laplace.SPEC, params=laplace.LaplaceParams())
    assert integers.SPEC.run(subject, integers.IntegersParams(), QUIET)[0].status is Status.WARN
