"""What a mechanism hands on: the values to publish, and beside them what was drawn and what readers may be told of it.

Clipped or smoothed cells do not add up to what is right on average, so margins take the values before that. A margin of
error follows from the plan and from published values alone; where the noise follows confidential sizes there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.core.arrays import Integers
from workbench.core.published import Columns, Units
from workbench.mechanisms.contract import Answer

FOLLOWS_SIZES = (
    "There is no margin of error for each row: the noise of a row follows the size of the largest establishment behind "
    "it, which is confidential. A margin would publish that size."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginOfError:
    """What readers may be told of the error of each row, or why they are told nothing.

    `within` gives for published values, each the sum of so many drawn cells, the half-width that keeps 99 of 100.
    """

    note: str
    within: Callable[[Integers, Integers], Integers | None] | None = None


NO_MARGIN = MarginOfError(note=FOLLOWS_SIZES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Beside(Columns):
    """The cells as they were drawn; the number of large establishments, where the plan asks for it."""

    changed: bool = False  # cells are published otherwise than they were drawn
    large: Answer | None = field(default=None, repr=False)
    large_within: int = 0  # the half-width of that number
    margin: MarginOfError = NO_MARGIN


def drawn_values(
    values: Integers,
    noisy: Integers | None = None,
    *,
    margin: MarginOfError = NO_MARGIN,
    large: tuple[Answer, int] | None = None,
) -> Columns:
    """`noisy` are the cells before post-processing, where there was any."""
    raw = values if noisy is None else noisy
    beside = Beside(
        columns=(Units(name="value", integers=raw),),
        changed=noisy is not None and values is not noisy,
        large=None if large is None else large[0],
        large_within=0 if large is None else large[1],
        margin=margin,
    )
    return Columns(columns=(Units(name="value", integers=values),), beside=beside)


def beside_of(drawn: Columns) -> Beside | None:
    return drawn.beside if isinstance(drawn.beside, Beside) else None
