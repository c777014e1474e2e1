"""Values side by side: the truth, other ways of protecting it, and this release, for the reviewer's eyes only.

The order is always the same: confidential, current SDL, the source's method, other methods, this release. The rows are
those of the release, or estimates that a product makes from all of them alike (“share of yes by region”).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.core.quantities import percent

_FAR_SHARE = 0.25
_FAR_LEAST = 10.0
_OF_ANOTHER = ("margin_of_error", "covariance")


class Side(Enum):
    """Where a column stands, from left to right, and what it is called."""

    CONFIDENTIAL = "confidential"
    SDL = "current SDL"
    SOURCE = "source's method"
    OTHER = "other method"
    RELEASE = "this release"

    @property
    def place(self) -> int:
        return list(Side).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Why a row has no value, for reviewers only: a code for each row into `words`; 0 where it has one."""

    codes: Confidential[NDArray[np.int8]]
    words: tuple[str, ...]  # of code 1, code 2, …

    def said(self, row: int) -> str:
        code = int(self.codes.reveal()[row])
        return self.words[code - 1] if code else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One column: a number for each row, not-a-number where there is none, and between which bounds it lies.

    The bounds of a suppressed value are what an attacker can work out; those of an estimate are its interval.
    """

    side: Side
    values: Confidential[Floats]
    title: str = ""  # where the side's own words do not do: “suppressed”, or the name of one among several
    about: str = ""  # what it is, in a sentence
    low: Confidential[Floats] | None = None
    high: Confidential[Floats] | None = None
    marks: Marks | None = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise Defect("a column of a comparison has only one of its two bounds")
        shapes = {column.reveal().shape for column in (self.values, self.low, self.high) if column is not None}
        if len(shapes | ({self.marks.codes.reveal().shape} if self.marks is not None else set())) > 1:
            raise Defect("the bounds or marks of a comparison do not line up with its values")

    @property
    def heading(self) -> str:
        return self.title or self.side.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One quantity: the confidential value, then any number of others, then this release.

    Without `relative`, errors are told in its unit: a share of the truth means little for a slope or a rank, which may
    be zero or below.
    """

    name: str
    unit: str
    columns: tuple[Beside, ...]
    decimals: int = 0
    relative: bool = True

    def __post_init__(self) -> None:
        sides = [column.side for column in self.columns]
        if sides.count(Side.CONFIDENTIAL) != 1 or sides.count(Side.RELEASE) != 1:
            raise Defect("a comparison needs the truth once and this release once")
        if [side.place for side in sides] != sorted(side.place for side in sides):
            raise Defect("the columns of a comparison are not in their order")
        if len({column.heading for column in self.columns}) < len(self.columns):
            raise Defect("two columns of a comparison have the same heading")
        if len({column.values.reveal().shape for column in self.columns}) > 1:
            raise Defect("the columns of a comparison do not have the same rows")

    @property
    def tells_of_another(self) -> bool:
        """True for a margin of error or a covariance: it describes another value, and has no error of its own."""
        return self.name.endswith(_OF_ANOTHER)

    @property
    def rows(self) -> int:
        return len(self.columns[0].values.reveal())

    @property
    def true(self) -> Confidential[Floats]:
        return self.columns[0].values

    @property
    def private(self) -> Floats:
        """What this release says; it may be published, so nothing hides it."""
        return self.columns[-1].values.reveal()

    @property
    def others(self) -> tuple[Beside, ...]:
        """Everything but the truth: what can be right or wrong."""
        return self.columns[1:]

    def of_side(self, side: Side) -> tuple[Beside, ...]:
        return tuple(column for column in self.columns if column.side is side)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """Rows with their names, and one or several quantities for each of them."""

    key_titles: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]  # one tuple per key column
    compared: tuple[Compared, ...]
    flagged: Confidential[Bools]
    flag_rule: str
    title: str = ""  # what the rows are, where a product lays several such tables

    def __post_init__(self) -> None:
        rows = {len(column) for column in self.keys} | {each.rows for each in self.compared}
        if len(rows | {len(self.flagged.reveal())}) > 1:
            raise Defect("the rows of a comparison do not line up")
        if not self.compared or len(self.keys) != len(self.key_titles):
            raise Defect("a comparison has nothing to compare, or keys without a title")

    @property
    def quantities(self) -> tuple[Compared, ...]:
        """What is estimated, without the columns that only tell how good an estimate is."""
        return tuple(each for each in self.compared if not each.tells_of_another)

    @property
    def rows(self) -> int:
        return self.compared[0].rows


def far_off(private: Floats, true: Floats) -> Confidential[Bools]:
    """Rows worth a look, by the rule that `far_off_rule` says."""
    distance = np.abs(private - true)
    return Confidential((distance > _FAR_LEAST) & (distance > _FAR_SHARE * true))


def far_off_rule(value: str, unit: str) -> str:
    return (
        f"Flagged: the {value} is off by more than {percent(_FAR_SHARE)} of the true count and by more than "
        f"{_FAR_LEAST:.0f} {unit}."
    )
