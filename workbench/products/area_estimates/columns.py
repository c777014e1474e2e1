"""Area estimates as they are published: integers of the last decimal, in the outcome's own unit.

For every rank a direct estimate, its margin of error, a model-based estimate and its margin; slope and mean with their
margins; the number of people with its margin; and how the noise of each direct estimate goes together with that of the
count. Margins cover 90 of 100. A method that does not publish a column leaves it empty in every row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import MISSING, Columns, Units
from workbench.products.area_estimates.area_data import EFFECT, AreaData, Bounded
from workbench.products.area_estimates.dollars import DOLLARS, ENDS
from workbench.products.area_estimates.exact import Exact, exact_estimates

DECIMALS = 4
LEVEL = 1.645  # a margin covers 90 of 100
MARGIN = "margin_of_error"
MODEL = "_model"
_TIE = 6  # decimals of a unit within which two numbers are alike
_LARGEST = 10.0**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Of one outcome, between 0 and 1; None where a method publishes nothing. Errors are standard errors."""

    at: Floats
    count: Floats
    error: Floats | None = None
    model: Floats | None = None
    model_error: Floats | None = None
    with_count: Floats | None = None  # covariance of each rank's noise with that of the count
    slope: Floats | None = None
    slope_error: Floats | None = None
    mean: Floats | None = None
    mean_error: Floats | None = None
    count_error: Floats | None = None


def together(parts: Sequence[Estimates], order: Integers) -> Estimates:
    """Estimates of several sets of cells as one, in this order of their rows."""
    joined: dict[str, Any] = {}
    for field in fields(Estimates):
        values = [getattr(part, field.name) for part in parts]
        joined[field.name] = None if any(each is None for each in values) else np.concatenate(values)[order]
    return Estimates(**joined)


def names_of(prepared: AreaData) -> tuple[str, ...]:
    """The published columns of numbers, in their order."""
    ranks = [
        name + end
        for name in prepared.rank_names()
        for end in ("", f"_{MARGIN}", "_model", f"_model_{MARGIN}", "_count_covariance")
    ]
    others = [name + end for name in (*line_names(prepared), "count") for end in ("", f"_{MARGIN}")]
    return (*ranks, *others, *(name for name, _ in _dollar_names(prepared)))


def at_words(name: str, effect: str = "of the effect") -> str:
    """Where an estimate stands, in a sentence: at a rank, or of the effect."""
    return effect if name == EFFECT else f"at {name}"


def line_names(prepared: AreaData) -> tuple[str, ...]:
    """What else a line tells; nothing where an effect is estimated."""
    return ("slope", "mean") if prepared.estimator is None else ()


def _dollar_names(prepared: AreaData) -> list[tuple[str, str]]:
    """Columns in dollars with the estimate they are made from; none without a public table."""
    if prepared.dollars is None or prepared.estimator is not None:
        return []
    estimates = [name + kind for name in prepared.rank_names() for kind in ("", "_model")]
    return [(f"{name}_{DOLLARS}{end}", name) for name in estimates for end in ENDS]


def published(prepared: AreaData, found: tuple[Estimates, ...]) -> Columns:
    """Estimates between 0 and 1 in the outcome's own unit, rounded to the last decimal."""
    made = []
    for outcome, each in zip(prepared.outcomes, found, strict=True):
        numbers = _numbers(prepared, outcome, each)
        made.append({name: units(values, decimals_of(name)) for name, values in numbers.items()})
    return laid(prepared, made)


def laid(prepared: AreaData, made: Sequence[Mapping[str, Integers]]) -> Columns:
    """Integers of the last decimal by column, outcome by outcome, below each other; empty where a column is missing."""
    nothing = np.full(prepared.places.cells, MISSING, np.int64)
    made = [_with_dollars(prepared, each, nothing) for each in made]
    columns = [
        Units(
            name=name,
            integers=np.concatenate([each.get(name, nothing) for each in made]),
            decimals=decimals_of(name),
            unit=_unit(prepared, name),
            title=_title(prepared, name),
            additive=name == "count",
            gaps=name != "count",
        )
        for name in names_of(prepared)
    ]
    return Columns(columns=tuple(columns))


def _with_dollars(prepared: AreaData, made: Mapping[str, Integers], nothing: Integers) -> Mapping[str, Integers]:
    """The same columns and, from them alone, those in dollars."""
    if prepared.dollars is None:
        return made
    whole = dict(made)
    for name in dict.fromkeys(name for _, name in _dollar_names(prepared)):
        estimate, margin = made.get(name, nothing), made.get(f"{name}_{MARGIN}", nothing)
        for end, values in prepared.dollars.converted(estimate, margin, DECIMALS).items():
            whole[f"{name}_{DOLLARS}{end}"] = values
    return whole


def decimals_of(name: str) -> int:
    return 0 if name == "count" or f"_{DOLLARS}" in name else DECIMALS


def truth(prepared: AreaData) -> Columns:
    """The exact estimates in the same columns: for both kinds of estimates the cell's own line."""
    found = []
    for place in range(len(prepared.outcomes)):
        exact: Exact = exact_estimates(prepared, place)
        found.append(
            Estimates(
                at=exact.at, error=exact.error, model=exact.at, model_error=exact.error,
                with_count=np.zeros_like(exact.at), slope=exact.slope, slope_error=exact.slope_error,
                mean=exact.mean, mean_error=exact.mean_error, count=exact.count,
                count_error=np.zeros_like(exact.count),
            )
        )  # fmt: skip
    return published(prepared, tuple(found))


def units(values: Floats, decimals: int) -> Integers:
    """Integers of the last decimal; MISSING where there is no number.

    What lies between two of them is a tie whatever the order of the sums it comes from: engines add in their own.
    """
    finite = np.clip(np.nan_to_num(values, nan=0.0, posinf=_LARGEST, neginf=-_LARGEST), -_LARGEST, _LARGEST)
    near = np.round(finite * 10.0**decimals, _TIE)
    whole: Integers = np.where(np.isnan(values), MISSING, np.rint(near).astype(np.int64))
    return whole


def _numbers(prepared: AreaData, outcome: Bounded, found: Estimates) -> dict[str, Floats]:
    cells = prepared.places.cells
    width, per_x = outcome.width, outcome.width / prepared.predictor.width
    shift = outcome.lower if prepared.estimator is None else 0.0

    def shown(values: Floats | None, scale: float, shift: float = 0.0) -> Floats:
        return np.full(cells, np.nan) if values is None else shift + scale * values

    made: dict[str, Floats] = {}
    for place, name in enumerate(prepared.rank_names()):

        def of(values: Floats | None, place: int = place) -> Floats | None:
            return None if values is None else values[:, place]

        made[name] = shown(of(found.at), width, shift)
        made[f"{name}_{MARGIN}"] = shown(of(found.error), LEVEL * width)
        made[f"{name}_model"] = shown(of(found.model), width, shift)
        made[f"{name}_model_{MARGIN}"] = shown(of(found.model_error), LEVEL * width)
        made[f"{name}_count_covariance"] = shown(of(found.with_count), width)
    made["slope"] = shown(found.slope, per_x)
    made[f"slope_{MARGIN}"] = shown(found.slope_error, LEVEL * per_x)
    made["mean"] = shown(found.mean, width, outcome.lower)
    made[f"mean_{MARGIN}"] = shown(found.mean_error, LEVEL * width)
    made["count"] = found.count
    made[f"count_{MARGIN}"] = shown(found.count_error, LEVEL)
    return made


def _outcome(prepared: AreaData) -> str:
    """What is estimated: rows of several outcomes stand below each other."""
    return prepared.outcomes[0].name if len(prepared.outcomes) == 1 else "outcome"


def _unit(prepared: AreaData, name: str) -> str:
    outcome = _outcome(prepared)
    if f"_{DOLLARS}" in name:
        return "dollars"
    if name.startswith("count"):
        return "people"
    if name.endswith("_count_covariance"):
        return f"{outcome} × people"
    return f"{outcome} per unit of {prepared.predictor.name}" if name.startswith("slope") else outcome


def _title(prepared: AreaData, name: str) -> str:
    """What a column holds, and whether it is a direct or a model-based estimate."""
    for end, words in (
        (f"_{MARGIN}", "Margin of error of {}, 90 of 100"),
        ("_count_covariance", "Covariance of the noise of {} and of count"),
        (f"_{DOLLARS}", "{} in dollars"),
        (f"_{DOLLARS}_low", "Lower end of the 90 % interval of {} in dollars"),
        (f"_{DOLLARS}_high", "Upper end of the 90 % interval of {} in dollars"),
    ):
        if name.endswith(end):
            return words.format(name.removesuffix(end))
    outcome, predictor = _outcome(prepared), prepared.predictor.name
    if name == "count":
        return "Sum of weights" if prepared.weighted else "Number of people"
    if name in line_names(prepared):
        what = f"Slope of {outcome} by {predictor}" if name == "slope" else f"Mean of {outcome}"
        return f"{what}: direct estimate"
    kind = "model-based" if name.endswith(MODEL) else "direct"
    rank = name.removesuffix(MODEL)
    if prepared.estimator is not None:
        return f"{prepared.estimator.title} of {outcome}: {kind} estimate"
    at = prepared.ranks[prepared.rank_names().index(rank)]
    return f"{outcome} at {predictor} {at}: {kind} estimate"


def notes_of(columns: Columns) -> tuple[str, ...]:
    """What a reader of the file must know, by the columns that the method publishes."""
    values = [column for column in columns.columns if isinstance(column, Units)]
    empty = [not column.given().any() for column in values]
    notes = []
    if any(column.name.endswith(MODEL) and not gone for column, gone in zip(values, empty, strict=True)):
        notes.append(
            "Direct estimates use the people of the cell alone. Model-based estimates borrow strength from the other "
            "cells and are not unbiased for a single one."
        )
    if any(empty):
        notes.append("Columns without any value are not published by this method.")
    return tuple(notes)
