"""The source's method on the same data at the same ε, drawn for study: what stands beside this release."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import setting, turned
from workbench.products.outcome_reports.mechanisms.observed_mean import SPEC as SOURCE
from workbench.products.outcome_reports.mechanisms.observed_mean import ObservedMeanParams
from workbench.products.outcome_reports.outcomes import Outcomes


def source_params(mechanism: AnyMechanism, params: Any) -> ObservedMeanParams:
    """As the plan has it where the plan draws by the source's method; else its defaults at the plan's ε."""
    if isinstance(params, ObservedMeanParams):
        return params
    start = ObservedMeanParams()
    same: ObservedMeanParams = turned(SOURCE, start, setting(mechanism, params) or start.epsilon)
    return same


def as_the_source(prepared: Outcomes) -> Outcomes:
    """The source publishes no margin of a mean and leaves no value out by it, whatever the plan says of margins."""
    return replace(prepared, largest_margin=Decimal(0))


def source_draw(
    prepared: Outcomes, mechanism: AnyMechanism, params: Any, rng: StudyRandom, context: Context
) -> Columns:  # fmt: skip
    """Confidential: a study draw, with noise that follows χ and N."""
    return SOURCE.study(as_the_source(prepared), source_params(mechanism, params), rng, context).reveal()
