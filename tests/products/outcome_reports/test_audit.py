"""The attack succeeds where it must, and variants that break a rule of the method are caught."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import WORDS
from tests.products.outcome_reports import hand_made
from tests.products.outcome_reports.test_formulas import clipped_law
from workbench.audit import black_box, exact_loss
from workbench.audit.contract import Subject
from workbench.core.confidential import Confidential
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.mechanisms.contract import ExactLoss, NeighbourPair
from workbench.noise.history_norm import norm
from workbench.products.outcome_reports import clipped_mean
from workbench.products.outcome_reports.audit import last_person
from workbench.products.outcome_reports.audit.last_person import LastPersonParams
from workbench.products.outcome_reports.mechanisms import history, observed_mean
from workbench.products.outcome_reports.mechanisms.history import HistoryParams
from workbench.products.outcome_reports.mechanisms.neighbours import blocks_of, with_rows
from workbench.products.outcome_reports.mechanisms.observed_mean import Sensitivity
from workbench.products.outcome_reports.outcomes import COLUMNS, Outcomes

DATA = hand_made.prepared()
ONE = HistoryParams(epsilon=Epsilon("1.5"))
WATCH = black_box.BlackBoxParams(draws=20_000, release_draws=0, seed=3)


def subject(mechanism: Any, params: Any = ONE, data: Outcomes = DATA) -> Subject:
    return Subject(words=WORDS, prepared=data, mechanism=mechanism, params=params)


def test_that_the_attack_reads_exact_and_suppressed_tables_and_not_this_release() -> None:
    found, source = last_person.SPEC.run(subject(history.SPEC), LastPersonParams(trials=10, threshold=10), QUIET)
    assert found.values["read_exact"] == 1.0
    assert 0.2 < float(str(found.values["read_suppressed"])) <= 1.0
    assert float(str(found.values["read_release"])) < 0.3
    assert abs(float(str(found.values["presence_release"])) - 0.5) < 0.15
    assert source.status is Status.INFO
    assert [table.title[:12] for table in source.tables] == ["Sensitivity ", "χ = cap: wha"]


@pytest.mark.parametrize("epsilon", ["1.5", "6"])
def test_that_the_losses_of_the_source_are_those_at_the_plans_epsilon(epsilon: str) -> None:
    """Two years and two statistics: a mean has a quarter of ε, and the loss of a clipped mean is max(ε, …)."""
    _, source = last_person.SPEC.run(
        subject(history.SPEC, HistoryParams(epsilon=Epsilon(epsilon))), LastPersonParams(trials=2), QUIET
    )
    part, table = float(epsilon) / 4, source.tables[1]
    assert f"ε = {part:g}"[:6] in table.title
    for people, unclipped, clipped in table.rows:
        n = float(str(people))
        assert float(str(clipped)) == pytest.approx(max(part, part * n / (n + 1) + np.log1p(1 / n)))
        by_hand = np.log(n / (n + 1)) + part * (abs(5 * (n + 1) - n / 4 - 1) - abs(5 * n - n / 4))
        assert float(str(unclipped)) == pytest.approx(abs(by_hand))


def test_that_the_attack_sees_a_release_with_hardly_any_noise() -> None:
    loud = HistoryParams(epsilon=Epsilon("50"))
    found, _ = last_person.SPEC.run(subject(history.SPEC, loud), LastPersonParams(trials=5), QUIET)
    assert float(str(found.values["presence_release"])) > 0.95


def test_that_the_attack_sees_the_means_of_the_source_where_the_plan_leaves_values_out_by_their_margin() -> None:
    """Otherwise the source would seem safe because the comparison had no means of it."""
    loud, found = HistoryParams(epsilon=Epsilon("50")), []
    for margin in ("0", "0.5"):
        data = replace(DATA, largest_margin=Decimal(margin))
        finding, _ = last_person.SPEC.run(subject(history.SPEC, loud, data), LastPersonParams(trials=5), QUIET)
        found.append(float(str(finding.values["read_source"])))
    assert found[0] == found[1]
    assert found[0] > 0.0


# Variants that break a rule. Where a law can be written down it is compared exactly; the others are watched by draws.


def test_that_a_mean_that_is_not_clipped_is_caught() -> None:
    loss = clipped_mean.unclipped_log_ratio(
        epsilon=1.0, cap=300_000, count=50, total=50 * 62_000, joiner=300_000, published=5 * 300_000
    )
    assert abs(loss) == pytest.approx(3.98, abs=0.01)
    claim = observed_mean.SPEC.claim(DATA, observed_mean.ObservedMeanParams(sensitivity=Sensitivity.CAP))
    assert not claim.formal
    assert "nobody's presence is protected" in claim.sentence


def test_that_means_by_observed_sensitivity_promise_no_odds() -> None:
    """Two data sets with the same χ and the same N, one person's pay apart, whose means lie two ε apart."""
    cap, half = DATA.cap, DATA.cap // 2
    sides = [with_rows(DATA, 1, [0, -1], [half, half]) for _ in range(2)]
    count = 20 * sides[0].count.reveal()
    first, second = (
        replace(side, count=Confidential(count), pay=Confidential(np.array(sorted([half] * 19 + [own]))))
        for side, own in zip(sides, (0, cap), strict=True)
    )
    chi = [float(observed_mean.observed_chi(side)[0]) for side in (first, second)]
    assert chi[0] == pytest.approx(chi[1], rel=1e-4)
    apart = abs(int(first.total.reveal()[0]) - int(second.total.reveal()[0])) / 20
    assert apart / (chi[0] / 20) > 1.9  # in units of ε: the scale is χ/(εN)
    for sensitivity in (Sensitivity.OBSERVED, Sensitivity.CAP):
        params = observed_mean.ObservedMeanParams(sensitivity=sensitivity)
        for data in (None, DATA):
            claim = observed_mean.SPEC.claim(data, params)
            assert "Not differentially private" in claim.sentence
            assert "the odds" not in claim.sentence
            assert "at least 0.12 and up to" in claim.sentence


def test_that_without_a_floor_an_empty_cell_is_caught() -> None:
    """The scale B/(εN) grows without end as N goes to nothing: one person then changes all."""
    person = clipped_law(30.0, 30.0, 30)
    losses = [
        float(np.abs(np.log(person / clipped_law(15.0, 30.0 / people, 30))).max()) for people in (1e-2, 1e-4, 1e-8)
    ]
    assert losses == sorted(losses)
    assert losses[-1] > 10
    assert clipped_mean.exact_loss(0.1, 5) > 0.1
    refused = observed_mean.ObservedMeanParams(epsilon=Epsilon("0.1"), sensitivity=Sensitivity.CLIPPED, floor=5)
    assert observed_mean.SPEC.problems(DATA, refused)


@dataclass(frozen=True)
class Broken:
    """A history mechanism that does something worse and claims the same."""

    what: str
    original: Any = history.SPEC

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)

    def neighbours(self, prepared: Outcomes, params: Any, copies: int) -> tuple[NeighbourPair, ...]:
        years, cap = prepared.layout.years, prepared.cap
        nobody = with_rows(prepared, copies, [-1] * years, [0] * years)
        person = with_rows(prepared, copies, [year % 2 for year in range(years)], [cap] * years)
        if self.what == "second jobs":  # a person whose second rows were not bounded away
            count = 2 * person.count.reveal()
            person = replace(person, count=Confidential(count), pay=Confidential(np.full(count.sum(), cap)))
        return (
            NeighbourPair(
                description="one person present or absent",
                first=Confidential(person),
                second=Confidential(nobody),
                copies=copies,
                outputs=nobody.layout.places * years * COLUMNS,
            ),
        )

    def study(self, prepared: Outcomes, params: Any, rng: Any, context: Any) -> Any:
        drawn = self.original.study(prepared, params, rng, context).reveal()
        if self.what in ("flags from true counts", "blank where empty"):
            gone = prepared.count.reveal() < 1
            mean = drawn.units("mean_earnings")
            kept = replace(mean, integers=np.where(gone, np.iinfo(np.int64).min, mean.integers))
            columns = tuple(kept if column.name == mean.name else column for column in drawn.columns)
            drawn = replace(drawn, columns=columns)
        return Confidential(drawn)


@pytest.mark.parametrize("what", ["second jobs", "flags from true counts", "blank where empty"])
def test_that_a_broken_variant_is_caught_by_draws(what: str) -> None:
    (finding,) = black_box.SPEC.run(subject(Broken(what)), WATCH, QUIET)
    assert finding.status is Status.FAIL, finding.sentence


def test_that_the_same_neighbours_find_no_breach_in_the_mechanism_itself() -> None:
    (finding,) = black_box.SPEC.run(subject(Broken("nothing")), WATCH, QUIET)
    assert finding.status is Status.PASS, finding.sentence


def test_that_a_mover_pays_twice_in_noise_for_one_cell_and_once_in_a_block() -> None:
    mover = np.array([[1, 0], [0, 1]])  # years × sectors
    assert norm(mover) == 1
    assert norm(mover[:, :1]) + norm(mover[:, 1:]) == 2
    assert norm(2 * mover) == 2

    class OneCellEach(Broken):
        def exact_loss(self, prepared: Any, params: Any, context: Any) -> ExactLoss:
            once = self.original.exact_loss(prepared, params, context)
            return replace(once, epsilon=once.epsilon * sum(norm(mover[:, place : place + 1]) for place in range(2)))

    (finding,) = exact_loss.SPEC.run(subject(OneCellEach("cells")), exact_loss.ExactLossParams(), QUIET)
    assert finding.status is Status.FAIL


def test_that_thirteen_tables_with_one_epsilon_claimed_are_caught() -> None:
    class Thirteen(Broken):
        def exact_loss(self, prepared: Any, params: Any, context: Any) -> ExactLoss:
            once = self.original.exact_loss(prepared, params, context)
            return replace(once, epsilon=13 * once.epsilon)

    (finding,) = exact_loss.SPEC.run(subject(Thirteen("tables")), exact_loss.ExactLossParams(), QUIET)
    assert finding.status is Status.FAIL


@pytest.mark.parametrize("epsilon", ["2", "8"])
def test_that_the_repaired_mean_loses_what_it_claims_and_no_more(epsilon: str) -> None:
    params = observed_mean.ObservedMeanParams(epsilon=Epsilon(epsilon), sensitivity=Sensitivity.CLIPPED)
    claim, loss = observed_mean.SPEC.claim(DATA, params), observed_mean.SPEC.exact_loss(DATA, params, QUIET)
    assert claim.formal
    assert loss.data_free
    assert loss.epsilon == pytest.approx(float(claim.epsilon), rel=1e-9)
    assert loss.epsilon <= float(claim.epsilon) * (1 + 1e-12)
    (finding,) = black_box.SPEC.run(subject(observed_mean.SPEC, params), WATCH, QUIET)
    assert finding.status is Status.PASS, finding.sentence


def test_that_the_sum_over_years_is_the_published_one(golden: Any) -> None:
    from workbench.core.params import Rows
    from workbench.products.outcome_reports.mechanisms.year_budget import YearParts, divided

    for case in golden("umetrics")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        if "eps_total" in expected:
            parts = {
                str(year): YearParts(employment=Decimal(str(a)), earnings=Decimal(str(b)))
                for year, (a, b) in enumerate(zip(inputs["eps_emp"], inputs["eps_earn"], strict=True))
            }
            budget = divided(Decimal(str(expected["eps_total"])), Rows(parts), tuple(parts))
            assert [float(part) for part in budget.employment] == pytest.approx(inputs["eps_emp"])
            assert [float(part) for part in budget.earnings] == pytest.approx(inputs["eps_earn"])
            assert float(budget.total) == pytest.approx(expected["eps_total"], rel=1e-10)
        elif "ybar" in inputs:
            people, total = inputs["N"], inputs["N"] * inputs["ybar"]
            layout = replace(blocks_of(DATA, 1), sectors=(), year=replace(DATA.layout.year, values=("1",)))
            data = replace(
                DATA, layout=layout, cap=inputs["B"], count=Confidential(np.array([people])),
                pay=Confidential(np.full(people, total // people)),
            )  # fmt: skip
            assert observed_mean.observed_chi(data)[0] == pytest.approx(expected["chi_observed"], rel=1e-10)
            assert expected["chi_ub"] == inputs["B"]
