"""What another way of protecting the same data gives, to be laid beside the release. All of it stays in the house."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.core.findings import Finding
from workbench.core.published import Published
from workbench.core.side_by_side import Side

PUBLISHED = 0  # in a pattern of suppression: this cell is shown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ExpectedError:
    """What a baseline with factors of its own is off by, cell by cell, over all draws of them: mean and deviation.

    `width` neighbouring cells share their factors, so that their errors rise and fall together. Confidential: the means
    follow the true counts.
    """

    mean: Floats
    deviation: Floats
    width: int = 1

    def taken(self, cells: NDArray[np.intp]) -> ExpectedError:
        return ExpectedError(mean=self.mean[cells], deviation=self.deviation[cells])

    def spread(self, kept: NDArray[np.bool_]) -> float:
        """The standard deviation of the sum over the kept cells; cells that share factors count as one."""
        shared = np.where(kept, self.deviation, 0.0).reshape(-1, self.width).sum(axis=1)
        return float(np.sqrt((shared**2).sum()))


class CellValues(Confidential[Floats]):
    """Values of one draw that know what any draw is off by on average: what ratios are taken to."""

    __slots__ = ("_expected", "_work_out")

    def __init__(self, value: Floats, work_out: Callable[[], ExpectedError]) -> None:
        super().__init__(value)
        self._work_out = work_out
        self._expected: ExpectedError | None = None

    @property
    def expected_error(self) -> ExpectedError:
        if self._expected is None:
            self._expected = self._work_out()
        return self._expected

    def taken(self, cells: NDArray[np.intp]) -> CellValues:
        return CellValues(self.reveal()[cells], lambda: self.expected_error.taken(cells))


def error_of(values: Confidential[Floats], true: Floats) -> ExpectedError:
    """The expected error where it is known; else that of the values at hand, which are then the only ones there are."""
    if isinstance(values, CellValues):
        return values.expected_error
    off = np.abs(values.reveal() - true)
    return ExpectedError(mean=off, deviation=np.zeros(len(off)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedValues:
    """A number for every cell of the prepared data (× published column); not-a-number where none is given."""

    values: Confidential[Floats]

    def __post_init__(self) -> None:
        _refuse_unless_numbers(self.values.reveal())


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionPattern:
    """Which cells are published, as they are, and which are not, with why; and what an attacker still finds out.

    `values` are not-a-number in suppressed cells. `reason` is PUBLISHED or the number, from 1, of one of `reasons`: it
    is for reviewers only, as telling primary from complementary suppressions helps an attacker. `low` and `high` bound
    each cell for the attacker that `attacker` names, infinite where nothing bounds it; both are the value itself where
    it is published. `beside` says what a release loses of the same cells.
    """

    values: Confidential[Floats]
    reason: Confidential[NDArray[np.int8]]
    reasons: tuple[str, ...]
    low: Confidential[Floats]
    high: Confidential[Floats]
    attacker: str  # what is known to whoever bounds the cells, after “who knows”
    remarks: tuple[Finding, ...] = field(default=(), repr=False)  # internal: what was lost, whether levels are kept
    beside: Callable[[Published], tuple[Finding, ...]] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        values, low, high = (each.reveal() for each in (self.values, self.low, self.high))
        reason = self.reason.reveal()
        _refuse_unless_numbers(values)
        if not (values.shape == low.shape == high.shape and reason.shape == values.shape[:1]):
            raise Defect("the parts of a suppression pattern do not line up")
        if np.any(~np.isnan(values[reason != PUBLISHED])):
            raise Defect("a suppression pattern shows a cell that it suppresses")
        if np.any(low > high) or reason.min(initial=0) < 0 or reason.max(initial=0) > len(self.reasons):
            raise Defect("a suppression pattern has bounds or reasons that cannot be")

    @property
    def suppressed(self) -> Confidential[NDArray[np.bool_]]:
        return Confidential(self.reason.reveal() != PUBLISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldRows:
    """Of a published table with rows of its own: why rows have no value, and what an attacker still finds out.

    As in a pattern of suppression: for reviewers only; both bounds are the value itself where it is published.
    """

    reason: Confidential[NDArray[np.int8]]
    reasons: tuple[str, ...]
    low: Confidential[Floats]
    high: Confidential[Floats]
    attacker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedFile:
    """Another published value: a file of records, or a table with rows of its own, some of them withheld.

    `beside` says what a release loses of the cells of these tables.
    """

    published: Confidential[Published]
    withheld: WithheldRows | None = None
    remarks: tuple[Finding, ...] = field(default=(), repr=False)  # internal: what was lost
    beside: Callable[[Published], tuple[Finding, ...]] | None = field(default=None, repr=False, compare=False)


Alternative = ProtectedValues | SuppressionPattern | ProtectedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Something this release is compared with: a baseline, or another mechanism drawn for study."""

    id: str
    title: str
    side: Side
    gives: Alternative

    @property
    def heading(self) -> str:
        return "suppressed" if isinstance(self.gives, SuppressionPattern) else self.side.value


def cells_of(given: Alternative) -> Confidential[Floats]:
    """The numbers cell by cell, for measures that compare cells."""
    if isinstance(given, ProtectedFile):
        raise Defect("a protected file has no value for every cell")
    return given.values


def _refuse_unless_numbers(values: Floats) -> None:
    if values.dtype != np.float64 or values.ndim not in (1, 2) or np.any(np.isinf(values)):
        raise Defect("what a baseline gives is not one finite number for every cell and column")
