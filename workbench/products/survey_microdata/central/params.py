"""Settings that both central methods share, what they claim, and what they spend by the γ that are used."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

import numpy as np

from workbench.accounting import zcdp
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.quantities import Delta, Epsilon, change, show
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair
from workbench.products.survey_microdata.central.measurement import Measured, planned
from workbench.products.survey_microdata.params import Kind
from workbench.products.survey_microdata.survey_data import SurveyData, Variable, Weighing

MOST_TOTAL_CATEGORIES = 3000  # over all variables: the square of them is held in memory
LARGEST_SPENT = 1.0 - 1e-9
_FEW = 200  # respondents of the pair that is watched: a file of more would take seconds
_MOSTLY = 0.5  # of the tables: more of them with noise above an average cell are refused


class Neighbours(StrEnum):
    """What one respondent may do to the data."""

    ADDED = "added or removed"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsParams:
    epsilon: Epsilon = param(
        Epsilon("4"), "Privacy loss ε", "Of the whole release: every table, mean and record.", gt=0, le=100,
        effect="dial",
    )  # fmt: skip
    delta: Delta = param(
        Delta("0.000001"),
        "Added probability δ",
        "Beyond the factor of ε. Far below one in the number of respondents.",
        gt=0,
        lt=1,
    )
    neighbours: Neighbours = param(
        Neighbours.ADDED,
        "One respondent",
        "Added or removed: the number of respondents is protected too. Replaced: it is public and published.",
        labels={"added or removed": "Added or removed", "replaced": "Replaced by another"},
    )

    @property
    def replaced(self) -> bool:
        return self.neighbours is Neighbours.REPLACED


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsCase:
    variables: int = param(40, "Variables", "How many variables a record has.", ge=2, le=1000)
    answers: int = param(4, "Categories", "How many categories each of them has.", ge=2, le=100)


def measurement(prepared: SurveyData, params: PairsParams) -> Measured:
    """What is measured, and with how much noise: from the plan alone."""
    return _planned(
        prepared.variables, float(params.epsilon), float(params.delta), params.replaced, prepared.weighing,
        prepared.planned,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _planned(
    variables: tuple[Variable, ...], epsilon: float, delta: float, replaced: bool, weighing: Weighing, size: int
) -> Measured:
    rho = zcdp.rho_of(epsilon, delta) * LARGEST_SPENT
    return planned(variables, rho, replaced=replaced, weighing=weighing, planned_size=size)


def rho_spent(measured: Measured, replaced: bool) -> float:
    """From the γ that are used. A total without noise is public, which no claim of presence or weight survives."""
    if measured.total is None and (not replaced or measured.weighing.weighted):
        return float("inf")
    return measured.rho_replaced() if replaced else float(measured.rho_added()) * (1.0 + 1e-15)


def pairs_problems(prepared: SurveyData, params: PairsParams) -> tuple[Problem, ...]:
    found = []
    if len(prepared.variables) < 2:
        found.append(Problem("Tables of pairs need two variables", "variables", "Add a variable, or use krr-laplace"))
    every = int(prepared.categories.sum())
    if every > MOST_TOTAL_CATEGORIES:
        found.append(
            Problem(
                f"The variables have {every:,} categories in all, and pairs take at most {MOST_TOTAL_CATEGORIES:,}",
                "variables",
                "Recode the longest lists to fewer categories",
            )
        )
    return tuple(found) or _too_few(prepared, params)


def _too_few(prepared: SurveyData, params: PairsParams) -> tuple[Problem, ...]:
    """Most two-way cells would be noise: from the public planning size alone, never from the true one."""
    if not prepared.planned:
        return ()
    k = prepared.categories
    pairs = np.triu_indices(len(k), 1)
    plan = measurement(prepared, params).plan()
    noise = np.sqrt(plan.cell_variances(noisy_total=not params.replaced or prepared.weighing.weighted)[pairs])
    respondents = prepared.planned / np.outer(k, k)[pairs]
    if float((noise > respondents).mean()) <= _MOSTLY:
        return ()
    return (
        Problem(
            f"{prepared.planned:,} planned respondents are too few for {len(noise):,} tables: a typical cell holds "
            f"{np.median(respondents):.1f} of them and noise of ±{np.median(noise):.1f}",
            "epsilon",
            "Publish fewer variables or wider classes, or spend a larger ε",
        ),
    )


def pairs_claim(prepared: SurveyData | None, params: PairsParams) -> Claim:
    """(ε, δ) by ρ, of one record added or removed, or replaced."""
    bounded = prepared is not None and prepared.bounded
    epsilon, delta = Decimal(params.epsilon), Decimal(params.delta)
    one_row = (
        "One row of each respondent is used."
        if bounded
        else "No column identifies respondents, so that every respondent has one row is assumed, not enforced."
    )
    if params.replaced:
        unit, said = "one respondent's record, replaced by any other", "Other answers of one respondent change"
        size = "The number of respondents is public and published exactly."
        if prepared is not None and prepared.weighing.weighted:
            size = "The number of respondents is public; the total weight is not, and is published with noise."
    else:
        unit, said = "one respondent's record, added or removed", "One respondent's presence changes"
        size = "The number of respondents is not published; the noisy total stands in its place everywhere."
    weights = (
        (f"Weights are cut off at {show(prepared.weighing.largest)} and rounded to hundredths.",)
        if prepared is not None and prepared.weighing.weighted
        else ()
    )
    return Claim(
        definition=Definition.REPLACED if params.replaced else Definition.CENTRAL,
        unit=unit,
        epsilon=epsilon,
        delta=delta,
        sentence=(
            f"{said} {change('any published table or file', epsilon, delta)}. Tables and records are covered together."
        ),
        provided=() if bounded else ("every respondent has one row",),
        assumptions=(
            one_row,
            size,
            *weights,
            "Variables, categories, class limits and the list of tables are declared in the plan.",
            "Records are made from the noisy tables only; making them spends nothing more.",
        ),
        rho=Decimal(repr(zcdp.rho_of(float(params.epsilon), float(params.delta)))),
    )


def pairs_loss(prepared: SurveyData, params: PairsParams) -> ExactLoss:
    """ρ from the γ that are used, as (ε, δ): an upper bound, the conversion's."""
    spent = rho_spent(measurement(prepared, params), params.replaced)
    way = "replaced by any other" if params.replaced else "added or removed"
    delta = zcdp.delta_of(spent, float(params.epsilon)) if np.isfinite(spent) else 1.0
    return ExactLoss(
        epsilon=float(params.epsilon),
        delta=delta,
        worst_cell=None,
        worst_pair=f"one respondent {way}; ρ = {spent:.5f} by the noise that is used",
        data_free=True,
        bound=True,
    )


def one_more(prepared: SurveyData, params: PairsParams) -> tuple[NeighbourPair, ...]:
    """A few respondents with one more record, or with one record replaced: the noise is the same for any number."""
    if prepared.counts is not None:  # answers stay with their engine: anybody will do
        answers, units = np.zeros((1, len(prepared.variables)), dtype=np.int64), np.ones(1, dtype=np.int64)
    else:
        answers, units = prepared.answers.reveal()[:_FEW], prepared.counts_as.reveal()[:_FEW]
    most = np.array([prepared.weighing.most], dtype=np.int64)
    first = np.array([[variable.lower if variable.number else 0 for variable in prepared.variables]], dtype=np.int64)
    other = np.array([[variable.upper if variable.number else 1 for variable in prepared.variables]], dtype=np.int64)
    kept, own = (answers[1:], units[1:]) if params.replaced else (answers, units)
    with_one = np.concatenate([kept, first]), np.concatenate([own, most])
    sides = (with_one, (np.concatenate([kept, other]), with_one[1]) if params.replaced else (kept, own))
    one, two = (Confidential(prepared.with_people(*side)) for side in sides)
    way = "with other answers" if params.replaced else "present or absent"
    return (NeighbourPair(description=f"one respondent {way}", first=one, second=two, copies=1, outputs=1),)


def pairs_calibration(params: PairsParams, case: PairsCase) -> Calibration:
    """The noise of one cell of a two-way table among so many variables of so many categories."""
    variable = Variable(name="", kind=Kind.CATEGORY, values=tuple(map(str, range(case.answers))))
    variables = tuple(variable for _ in range(case.variables))
    measured = planned(variables, zcdp.rho_of(float(params.epsilon), float(params.delta)), replaced=params.replaced)
    sd = float(np.sqrt(measured.plan().cell_variances(noisy_total=not params.replaced)[0, 1]))
    return Calibration(
        scale=sd,
        expected_absolute_error=sd * float(np.sqrt(2.0 / np.pi)),
        spent_epsilon=float(params.epsilon),
        spent_delta=float(params.delta),
    )
