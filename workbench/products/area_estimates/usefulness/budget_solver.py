"""The smallest ε for an accuracy target, found on simulated areas and never on the confidential file.

Targets: “RMSE <= 0.05” of direct estimates at the first rank, “model RMSE <= 0.035”, or “60% of the lowest tenth”.
Direct estimates are judged against the exact ones of the twin, whose sampling error no ε takes away; model-based
estimates and tenths against its truth, which exact estimates miss too. A few seeded draws are judged, the same at every
ε, so that bisection finds the smallest.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET, Context, Part
from workbench.core.quantities import percent, show
from workbench.core.randomness import StudyRandom
from workbench.core.words import Words
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed, setting, turned
from workbench.products.area_estimates.columns import MODEL, truth
from workbench.products.area_estimates.twin.in_memory import TwinCells, twin_cells
from workbench.products.area_estimates.usefulness.tails import right_of
from workbench.products.solver import Case, Offer

_EXAMPLES = "Write for example “RMSE <= 0.05”, “model RMSE <= 0.035” or “60% of the lowest tenth”"
_RMSE = re.compile(r"^(direct|model)?\s*RMSE\s*(?:<=|≤|at most)\s*(\d*\.?\d+)$", re.IGNORECASE)
_TENTH = re.compile(r"^(\d+(?:\.\d+)?)\s*%\s+of\s+the\s+(lowest|highest)\s+tenth$", re.IGNORECASE)
_CELLS, _PEOPLE = 400, 100
_LEAST_PEOPLE = 20
_DRAWS, _ROUNDS = 3, 14
_LOW, _HIGH = 0.05, 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaTarget:
    """At most so large an error of direct or model-based estimates, or at least so large a share of a tenth."""

    limit: float
    model: bool = False
    end: str = ""  # lowest or highest; empty for an error

    def sentence(self, words: Words) -> str:
        if self.end:
            return f"at least {show(100 * self.limit)} % of the {self.end} tenth of the {words.row[1]} truly there"
        kind = "model-based estimates against the truth" if self.model else "direct estimates against exact ones"
        return f"a root mean square error of {kind} of at most {show(self.limit)}, on simulated {words.row[1]}"


@dataclass(frozen=True, slots=True)
class AreaSolver:
    """See workbench.products.solver."""

    def target(self, words: str) -> AreaTarget:
        text = " ".join(words.split())
        if found := _RMSE.match(text):
            limit = float(found[2])
            if limit <= 0:
                raise UserProblem("The error must be above 0", "target", _EXAMPLES)
            return AreaTarget(limit=limit, model=(found[1] or "").lower() == "model")
        if found := _TENTH.match(text):
            share = float(found[1]) / 100
            if not 0 < share < 1:
                raise UserProblem("The share must be above 0 and below 100 %", "target", _EXAMPLES)
            return AreaTarget(limit=share, end=found[2].lower())
        raise UserProblem("This target is not understood", "target", _EXAMPLES)

    def offers(self, target: AreaTarget, case: Case, context: Context) -> tuple[Offer, ...]:
        context.step(0.0, "simulating areas")
        twin = twin_cells(_CELLS, _PEOPLE, seed=1)
        found = []
        many = len(case.mechanisms)
        for place, (mechanism, params) in enumerate(case.mechanisms):
            part = Part(context, place / many, (place + 1) / many)
            epsilon = smallest(target, twin, mechanism, params, case.seed, part)
            claim = mechanism.claim(case.prepared, params)
            why = "" if epsilon is not None else _why_none(target, twin, mechanism, params, case.seed)
            found.append(
                Offer(
                    mechanism=mechanism, claim=claim, epsilon=epsilon, on_twin=epsilon, why=why, by_draws=True,
                    public=True,
                )
            )  # fmt: skip
        context.step(1.0, "smallest ε found")
        return tuple(found)


def smallest(
    target: AreaTarget, twin: TwinCells, mechanism: AnyMechanism, params: Any, seed: int, context: Context
) -> Decimal | None:
    """The ε that the claim then states, the dial to two digits, rounded up; None where the largest does not do."""
    if setting(mechanism, params) is None or mechanism.problems(twin.prepared, params):
        return None

    def met(value: float) -> bool:
        return meets(target, twin, mechanism, turned(mechanism, params, Decimal(f"{value:.6g}")), seed)

    context.step(0.0, "trying the largest ε")
    if not met(_HIGH):
        return None
    low, high = math.log(_LOW), math.log(_HIGH)
    for step in range(_ROUNDS):
        context.step(step / _ROUNDS, f"smallest ε of {mechanism.title}")
        middle = 0.5 * (low + high)
        low, high = (low, middle) if met(math.exp(middle)) else (middle, high)
    value = Decimal(math.exp(high))
    step_size = Decimal(1).scaleb(value.adjusted() - 1)
    dial = value.quantize(step_size, rounding=ROUND_CEILING).normalize()
    return claimed(mechanism, turned(mechanism, params, dial), twin.prepared)


def meets(target: AreaTarget, twin: TwinCells, mechanism: AnyMechanism, params: Any, seed: int) -> bool:
    """Over a few draws from the same seeds."""
    found = _reached(target, twin, mechanism, params, seed)
    if found is None:
        return False
    return found >= target.limit if target.end else found <= target.limit


def _why_none(target: AreaTarget, twin: TwinCells, mechanism: AnyMechanism, params: Any, seed: int) -> str:
    """What the largest ε reaches: sampling error is left at any."""
    said = f"no ε up to {_HIGH:g} for each part meets the target on simulated areas"
    if setting(mechanism, params) is None or mechanism.problems(twin.prepared, params):
        return said
    found = _reached(target, twin, mechanism, turned(mechanism, params, Decimal(str(_HIGH))), seed)
    if found is None:
        return f"{said}: it publishes no model-based estimates"
    return f"{said}; {_HIGH:g} reaches {percent(found) if target.end else show(found, 2)}"


def _reached(target: AreaTarget, twin: TwinCells, mechanism: AnyMechanism, params: Any, seed: int) -> float | None:
    """The root mean square error, or the share of the tenth that is right; None where nothing is there to judge."""
    prepared, name = twin.prepared, twin.prepared.rank_names()[0]
    judged = twin.truth[:, 0] if target.model or target.end else truth(prepared).units(name).numbers()
    size = prepared.lines.reveal()[0].size
    large, rng = size >= _LEAST_PEOPLE, StudyRandom(seed)
    scores = []
    for _ in range(_DRAWS):
        drawn = mechanism.study(prepared, params, rng, QUIET).reveal()
        has_model = bool(np.isfinite(drawn.units(name + MODEL).numbers()).any())
        if target.model and not has_model:
            return None
        end = MODEL if has_model and (target.model or target.end) else ""
        values = drawn.units(name + end).numbers()
        if target.end:
            scores.append(right_of(drawn, name, end, judged, large)[target.end == "highest"])
        else:
            known = large & np.isfinite(values)
            scores.append(float(np.mean((values - judged)[known] ** 2)) if known.any() else np.inf)
    mean = float(np.mean(scores))
    return mean if target.end else math.sqrt(mean)


SOLVER = AreaSolver()
