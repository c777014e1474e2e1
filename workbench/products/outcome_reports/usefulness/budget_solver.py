"""The smallest ε at which so large a share of cells is within a percentage of the truth, from public planning sizes.

Targets: “90% of counts within 10%”, “80% of mean earnings within 5% at 200 people”, “90% of medians within 10%”. The
cells are planned ones: their people, median pay and spread are public guesses of the plan or of the target, or sizes of
the file that the plan names, in each year as the plan's profile has it. Their draws have the same seeds at every ε. The
confidential rows are never looked at.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import cache
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET, Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.words import Words
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed, setting, turned
from workbench.products.outcome_reports.mechanisms.history_histogram import HistoryHistogramParams
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.published_outcomes import NAMES
from workbench.products.outcome_reports.usefulness.percentage_error import WORDS, apd, values_of
from workbench.products.outcome_reports.usefulness.planning_cells import Planned, planning_cells
from workbench.products.solver import Case, Offer

_EXAMPLES = "Write for example “90% of counts within 10%” or “80% of mean earnings within 5% at 200 people”"
_TARGET = re.compile(
    r"^(\d+(?:\.\d+)?)\s*% of (" + "|".join(WORDS.values()) + r") within (\d+(?:\.\d+)?)\s*%(?: at (\d+) people)?$",
    re.IGNORECASE,
)
_MOST_PEOPLE = 100_000
_ROUNDS, _STRIDE = 8, 8.0
_START, _LEAST, _LARGEST = Decimal("4.0"), Decimal("0.05"), Decimal(50)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareTarget:
    """At least this share of cells has a statistic within a share of the truth; `people` of each, 0: as planned."""

    share: float
    statistic: str  # one of NAMES
    within: float
    people: int = 0

    def sentence(self, words: Words) -> str:
        size = f"{show(self.people)} people" if self.people else "the planned size"
        return (
            f"{WORDS[self.statistic]} within {show(100 * self.within)} % in at least {show(100 * self.share)} % of "
            f"{words.row[1]} of {size}"
        )


@dataclass(frozen=True, slots=True)
class ShareSolver:
    """See workbench.products.solver."""

    def target(self, words: str) -> ShareTarget:
        found = _TARGET.match(" ".join(words.split()))
        if found is None:
            raise UserProblem("This target is not understood", "target", _EXAMPLES)
        share, within, people = float(found[1]) / 100, float(found[3]) / 100, int(found[4] or 0)
        if not (0 < share < 1 and 0 < within < 1):
            raise UserProblem("Both percentages must be above 0 and below 100 %", "target", _EXAMPLES)
        if people > _MOST_PEOPLE or found[4] == "0":
            raise UserProblem(f"Cells have 1 to {show(_MOST_PEOPLE)} people here", "target", _EXAMPLES)
        statistic = next(name for name in NAMES if WORDS[name] == found[2].lower())
        return ShareTarget(share=share, statistic=statistic, within=within, people=people)

    def offers(self, target: ShareTarget, case: Case, context: Context) -> tuple[Offer, ...]:
        context.step(0.0, "planning cells")
        real: Outcomes = case.prepared
        cells = planning_cells(real.layout, real.cap, planned_by(case, target))
        found, many = [], len(case.mechanisms)
        for place, (mechanism, params) in enumerate(case.mechanisms):
            part = Part(context, place / many, (place + 1) / many)
            dial = smallest(target, cells, mechanism, params, case.seed, part)
            epsilon = None if dial is None else claimed(mechanism, turned(mechanism, params, dial), real)
            claim = mechanism.claim(real, params)
            why = "" if dial is not None else f"no ε up to {_LARGEST} meets the target in cells of the planned size"
            found.append(
                Offer(
                    mechanism=mechanism,
                    claim=claim,
                    epsilon=epsilon,
                    on_twin=epsilon,
                    why=why,
                    by_draws=True,
                    public=True,
                )
            )
        context.step(1.0, "smallest ε found")
        return tuple(found)


def planned_by(case: Case, target: ShareTarget) -> Planned:
    """What the target says, else the planning values of the plan, else those that a new plan starts from."""
    known = [params for _, params in case.mechanisms if isinstance(params, HistoryHistogramParams)]
    plan = known[0] if known else HistoryHistogramParams()
    real: Outcomes = case.prepared
    people = target.people or plan.planned
    sizes = () if target.people or real.planned is None else tuple(size or people for size in real.planned)
    return Planned(
        people=people,
        median=plan.median,
        spread=float(plan.spread),
        sizes=sizes,
        profile=real.profile,
        alike=target.people > 0,
    )


def smallest(
    target: ShareTarget, cells: Outcomes, mechanism: AnyMechanism, params: Any, seed: int, context: Context
) -> Decimal | None:
    """Where the dial stands: the least value of two digits that meets the target; None where the largest does not.

    Errors are nearly proportional to 1/ε, so that a few steps lead there, and small ε, which are slow, are not tried.
    """
    if setting(mechanism, params) is None:
        return None

    @cache
    def reached(value: Decimal) -> float:
        context.step(min(0.1 * reached.cache_info().currsize, 0.9), f"smallest ε of {mechanism.title}")
        return largest_of_share(target, cells, mechanism, turned(mechanism, params, value), seed)

    value = _START
    for _ in range(_ROUNDS):
        factor = Decimal(min(max(reached(value) / target.within, 1 / _STRIDE), _STRIDE))
        before, value = value, _two_digits(min(max(value * factor, _LEAST), _LARGEST))
        if value == before:
            break
    while reached(value) > target.within:
        if value >= _LARGEST:
            return None
        value = min(value + _last_digit(value), _LARGEST)
    while (lower := _two_digits(value - _last_digit(value) / 2) - _last_digit(value)) >= _LEAST:
        if reached(lower) > target.within:
            break
        value = lower
    return value.normalize()


def _last_digit(value: Decimal) -> Decimal:
    return Decimal(1).scaleb(value.adjusted() - 1)


def _two_digits(value: Decimal) -> Decimal:
    return value.quantize(_last_digit(value), rounding=ROUND_CEILING)


def largest_of_share(target: ShareTarget, cells: Outcomes, mechanism: AnyMechanism, params: Any, seed: int) -> float:
    """The percentage error that the target's share of planned cells keeps in one draw.

    What is not published has no bound, and neither has a setting that the mechanism refuses.
    """
    if mechanism.problems(cells, params):
        return math.inf
    drawn = mechanism.study(cells, params, StudyRandom(seed), QUIET).reveal()
    place = NAMES.index(target.statistic)
    off = apd(values_of(drawn)[:, place], cells.truth.reveal()[:, place].astype(np.float64))
    ordered = np.sort(np.where(np.isnan(off), np.inf, off))
    return float(ordered[math.ceil(target.share * len(ordered)) - 1])


SOLVER = ShareSolver()
