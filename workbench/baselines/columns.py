"""Rivals as columns of a comparison, where they have a value for each of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.baselines.alternatives import Alternative, ProtectedFile, Rival, SuppressionPattern
from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.side_by_side import Beside, Marks, Side


def columns(true: Floats, rivals: Sequence[Rival], private: Floats, place: int = 0) -> tuple[Beside, ...]:
    """The truth, every rival and this release in their order; `place` is the published column that is compared."""
    beside = [
        bounded(rival.gives, place, side=rival.side, title=heading, about=rival.title)
        for rival, heading in headed(rivals)
    ]
    return (
        Beside(side=Side.CONFIDENTIAL, values=Confidential(true)),
        *beside,
        Beside(side=Side.RELEASE, values=Confidential(private)),
    )


def headed(rivals: Sequence[Rival]) -> list[tuple[Rival, str]]:
    """The rivals from left to right with their headings; where several stand on one side, each has its name."""
    ordered = sorted(rivals, key=lambda rival: rival.side.place)
    times = Counter(rival.heading for rival in ordered)
    return [
        (rival, rival.heading if times[rival.heading] == 1 else f"{rival.heading}: {rival.title}") for rival in ordered
    ]


def bounded(given: Alternative, place: int, *, side: Side, title: str, about: str) -> Beside:
    """One published column of what a rival gives, row by row; a pattern of suppression with its bounds and reasons."""
    if isinstance(given, ProtectedFile):
        published = given.published.reveal()
        numbers = published.units(published.value_columns[place].name).numbers()
        return Beside(side=side, values=Confidential(numbers), title=title, about=about)
    values = _column(given.values, place)
    if not isinstance(given, SuppressionPattern):
        return Beside(side=side, values=values, title=title, about=about)
    return Beside(
        side=side,
        values=values,
        title=title,
        about=f"{about}; bounds for an attacker who knows {given.attacker}",
        low=_column(given.low, place),
        high=_column(given.high, place),
        marks=Marks(codes=given.reason, words=given.reasons),
    )


def _column(values: Confidential[Floats], place: int) -> Confidential[Floats]:
    numbers = values.reveal()
    return values if numbers.ndim == 1 else Confidential(numbers[:, place])
