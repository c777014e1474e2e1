"""What a mechanism may tell beyond its contract: how far apart two given states of one workplace cell are.

A mechanism that implements `loss_between` gets its requirement matrix evaluated (audit/requirements). One that does not
is still a whole mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkplaceState:
    """One workplace cell as mechanisms see it: for each worker cell the jobs and the largest single contribution.

    `largest_total` is the total size of the largest establishment of the workplace cell. Without worker attributes
    there is one worker cell. The numbers are made up by whoever asks, never taken from data. `establishments` are those
    the state was made from, for noise that depends on more than the largest of them.
    """

    counts: tuple[int, ...]
    largest: tuple[int, ...]
    largest_total: int
    establishments: tuple[tuple[int, ...], ...]

    def without_last(self, hidden: int) -> WorkplaceState:
        """The same where the last kinds of workers are in no cell; they still count in whole sizes."""
        if not hidden:
            return self
        return WorkplaceState(
            counts=self.counts[:-hidden],
            largest=self.largest[:-hidden],
            largest_total=self.largest_total,
            establishments=tuple(one[:-hidden] for one in self.establishments),
        )


def state_of(establishments: Sequence[Sequence[int]]) -> WorkplaceState:
    """The state of a workplace cell that holds these establishments, each given by its jobs per worker cell."""
    columns = tuple(zip(*establishments, strict=True))
    return WorkplaceState(
        counts=tuple(sum(column) for column in columns),
        largest=tuple(max(column) for column in columns),
        largest_total=max(sum(establishment) for establishment in establishments),
        establishments=tuple(tuple(establishment) for establishment in establishments),
    )


@runtime_checkable
class KnowsPairLoss(Protocol):
    """An optional capability of a mechanism."""

    def loss_between(self, params: Any, before: WorkplaceState, after: WorkplaceState) -> float:
        """The largest |log ratio| over all published values of the workplace cell, the larger of both directions.

        All its worker cells count together: independent noise adds their losses up. For an (ε, δ) mechanism it is the
        smallest ε at which the pair is within the claimed δ. Infinite where the states can be told apart for certain.
        """


@runtime_checkable
class HasTurningSizes(Protocol):
    """An optional capability: sizes of an establishment at which this mechanism begins to treat it differently."""

    def turning_sizes(self, params: Any) -> tuple[int, ...]:
        """In jobs; follows from the params alone. Whoever looks for the largest loss tries these sizes too."""


def added_up(loss: Callable[[int, int, int, int], float], before: WorkplaceState, after: WorkplaceState) -> float:
    """For noise that is independent from cell to cell: Σ loss(count, largest, count after, largest after)."""
    cells = zip(before.counts, before.largest, after.counts, after.largest, strict=True)
    return sum((loss(*cell) for cell in cells), start=0.0)
