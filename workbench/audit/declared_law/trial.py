"""Data to try a sampler on, and what a release gave: every answer beside the law that was declared for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.audit.contract import Subject
from workbench.audit.law_loss import grid_of
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import Answer, Release
from workbench.noise.declared.contract import PUBLISHED, Declared, DeclaresLaws, Law

_AT_ONCE = 12_288  # values a call, about: the cells of the grid, repeated
_WITHOUT_GRID = 512


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Trial:
    """Prepared data that show every kind of cell, how often repeated, and which kind and size each draw has."""

    prepared: Confidential[Any]
    copies: int
    kind: Integers  # for each block of `width` values
    size: Integers
    width: int
    on_grid: bool = True


def trial_of(subject: Subject, part: tuple[int, int] = (0, 1)) -> Trial | None:
    """The claim's grid; where there is none, the mechanism's own neighbours; None where the data are empty.

    A `part` is every so-manieth state of the grid, once each, or fewer copies of the neighbours.
    """
    claim = subject.claim
    grid = grid_of(subject.prepared, claim)
    if grid is not None and len(grid):
        states = grid.states()[part[0] :: part[1]]
        copies = max(1, _AT_ONCE // (len(states) * grid.width)) if part[1] == 1 else 1
        kind = np.unique(np.stack([grid.form[states], grid.size[states]]), axis=1, return_inverse=True)[1].ravel()
        return Trial(
            prepared=grid.table(states, copies),
            copies=copies,
            kind=np.tile(kind, copies),
            size=np.tile(grid.size[states], copies),
            width=grid.width,
        )
    pairs = subject.mechanism.neighbours(subject.prepared, subject.params, _WITHOUT_GRID // part[1])
    if not pairs:
        return None
    pair = pairs[-1]  # the one with most people in it
    nothing = np.zeros(pair.copies, dtype=np.int64)
    return Trial(prepared=pair.first, copies=pair.copies, kind=nothing, size=nothing, width=pair.outputs, on_grid=False)


def declared_by(subject: Subject, prepared: Any) -> Mapping[str, Declared] | None:
    mechanism: Any = subject.mechanism
    return mechanism.laws(prepared, subject.params) if isinstance(mechanism, DeclaresLaws) else None


def answers_of(release: Release) -> tuple[Answer, ...]:
    """The transcript; a release without one answers with its published values alone."""
    if release.answers:
        return release.answers
    nothing = Confidential(np.zeros(0, dtype=np.int64))
    return (Answer(name=PUBLISHED, exact=nothing, drawn=release.values.ravel()),)


def law_for(answer: Answer, laws: Mapping[str, Declared], earlier: Mapping[str, Integers]) -> Law | None:
    """The declared law around the exact answer: that of the data where they decide it, else the transcript's.

    `earlier` holds what was drawn before in the same release. None where the law needs what was not drawn.
    """
    declared = laws.get(answer.name)
    if declared is None or (declared.after and declared.after not in earlier):
        return None
    exact = answer.exact.reveal() if declared.exact is None else declared.exact.reveal()
    return declared.law(exact, earlier[declared.after]) if declared.after else declared.law(exact)
