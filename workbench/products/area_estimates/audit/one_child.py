"""One child's outcome: an attacker knows everybody of a cell but one child, and of that child all but the outcome.

The child's outcome is at its lower or upper bound, by a coin. The attacker works out the exact estimates of the cell
for both, and takes the one nearer to what is published; where nothing is published it is a guess. One draw attacks many
cells at once, each with its own child and coin. The same measure judges exact values, suppression, the source's method
and this release; one half is guessing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.claims import Claim, Definition
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import percent
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import truth
from workbench.products.area_estimates.count_threshold import CountThresholdParams
from workbench.products.area_estimates.mechanisms import mos
from workbench.products.area_estimates.neighbours import with_people
from workbench.products.area_estimates.people import FINE

declare(
    {
        "child_read_release": share_of("Outcomes recovered from this release"),
        "child_read_exact": share_of("Outcomes recovered from exact values"),
        "child_read_suppressed": share_of("Outcomes recovered above the threshold"),
        "child_read_mos": share_of("Outcomes recovered from the source's method"),
        "guesses": ValueName("Attacks"),
    }
)
_NOTICEABLE = 3.0  # standard errors above guessing
_LEAST_PEOPLE = 4
Seen = Callable[[AreaData, Context], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneChildParams:
    releases: int = param(
        20, "Releases", "Drawn for study; each attacks one child in every chosen cell.", ge=1, le=5000
    )
    cells: int = param(200, "Cells", "The most cells that are attacked, the smallest first.", ge=1, le=100_000)
    seed: int = param(1, "Seed", "The attack can be repeated with it.", ge=0)


@dataclass(frozen=True, slots=True)
class OneChild:
    """See the module's docstring."""

    id: str = "one-child"
    version: int = 1
    title: str = "One child's outcome"
    summary: str = "Whether an attacker who knows all children of a cell but one reads off that child's outcome."
    params: type[OneChildParams] = OneChildParams
    of_loss: bool = False

    def run(self, subject: Subject, params: OneChildParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "choosing children to attack")
        prepared: AreaData = subject.prepared
        size = prepared.lines.reveal()[0].size
        chosen = np.flatnonzero(size >= _LEAST_PEOPLE)
        chosen = chosen[np.argsort(size[chosen], kind="stable")][: params.cells]
        if not len(chosen):
            return (_finding(self, {}, 0, None),)
        rng = StudyRandom(params.seed)
        draws = min(params.releases, 10) if subject.mechanism.traits.few_draws else params.releases
        attacked = _Attack(prepared, chosen, rng)

        def released(data: AreaData, within: Context) -> Floats:
            return _first(data, subject.mechanism.study(data, subject.params, rng, within).reveal())

        def source(data: AreaData, within: Context) -> Floats:
            return _first(data, mos.SPEC.study(data, mos.MosParams(), rng, within).reveal())

        shares = {
            "child_read_exact": attacked.share(_exact, 1, Part(context, 0.0, 0.05)),
            "child_read_suppressed": attacked.share(_suppressed, 1, Part(context, 0.05, 0.1)),
            "child_read_release": attacked.share(released, draws, Part(context, 0.1, 0.8)),
        }
        if not mos.SPEC.problems(prepared, mos.MosParams()):
            shares["child_read_mos"] = attacked.share(source, draws, Part(context, 0.8, 1.0))
        context.step(1.0, "attack done")
        claim = subject.mechanism.claim(prepared, subject.params)
        return (_finding(self, shares, draws * len(chosen), most_allowed(claim) if claim.formal else None),)


def most_allowed(claim: Claim) -> float:
    """The largest share of right guesses between two values of one person: e^ε/(1 + e^ε), (1 + δ) of it with a δ.

    Where the claim is for presence, other values are two steps away.
    """
    steps = 1 if claim.definition is Definition.REPLACED else 2
    epsilon, delta = steps * float(claim.epsilon), float(claim.delta)
    failing = delta * (1.0 + math.exp(float(claim.epsilon))) if steps == 2 else delta
    return min(1.0, (1.0 + failing) / (1.0 + math.exp(-epsilon)))


class _Attack:
    """Cells in which one child's outcome is a coin, and what exact estimates either side of it would give."""

    def __init__(self, prepared: AreaData, chosen: Integers, rng: StudyRandom) -> None:
        self.prepared, self.chosen, self.rng = prepared, chosen, rng
        people = prepared.people.reveal()
        order = np.argsort(people.cell, kind="stable")
        starts = np.searchsorted(people.cell[order], chosen)
        self.rows = order[starts]  # the first child of each cell in the order of the file
        self.low, self.high = (self._estimates(np.full(len(chosen), side, np.bool_)) for side in (False, True))

    def data(self, coin: Bools) -> AreaData:
        people = self.prepared.people.reveal()
        first = people.y[0].copy()
        first[self.rows] = np.where(coin, FINE, 0)
        return with_people(self.prepared, replace(people, y=(first, *people.y[1:])))

    def _estimates(self, coin: Bools) -> Floats:
        data = self.data(coin)
        return _first(data, truth(data))[self.chosen]

    def share(self, seen: Seen, draws: int, context: Context) -> float:
        right = 0.0
        gap = np.maximum(np.abs(self.high - self.low), 1e-9)
        for draw in range(draws):
            coin = self.rng.generator.random(len(self.chosen)) < 0.5
            published = seen(self.data(coin), Part(context, draw / draws, (draw + 1) / draws))[self.chosen]
            known = np.isfinite(published).all(axis=1)
            with np.errstate(invalid="ignore"):
                nearer = (np.abs(published - self.high) / gap).sum(axis=1) < (np.abs(published - self.low) / gap).sum(
                    axis=1
                )
            right += float(np.where(known, nearer == coin, 0.5).sum())
        return right / (draws * len(self.chosen))


def _first(data: AreaData, columns: Columns) -> Floats:
    """Direct estimates of the first outcome at every rank, cells × ranks."""
    cells = data.places.cells
    return np.stack([columns.units(name).numbers()[:cells] for name in data.rank_names()], axis=1)


def _exact(data: AreaData, context: Context) -> Floats:
    context.step(1.0, "exact estimates attacked")
    return _first(data, truth(data))


def _suppressed(data: AreaData, context: Context) -> Floats:
    context.step(1.0, "suppressed estimates attacked")
    small = data.lines.reveal()[0].size < CountThresholdParams().threshold
    return np.where(small[:, None], np.nan, _first(data, truth(data)))


def _finding(check: OneChild, shares: dict[str, float], guesses: int, allowed: float | None) -> Finding:
    if not shares:
        return Finding(
            id=check.id, title=check.title, status=Status.INFO, sentence="No cell has enough people to be attacked."
        )
    ours = shares["child_read_release"]
    slack = _NOTICEABLE * 0.5 / np.sqrt(max(guesses, 1))
    promise = "" if allowed is None else f" The claim allows up to {percent(allowed)}."
    words = {
        "child_read_exact": "confidential: exact values",
        "child_read_suppressed": "suppressed: exact values above the threshold",
        "child_read_mos": "source's method: maximum observed sensitivity, ε = 8 each",
        "child_read_release": "this release",
    }
    table = Table(
        title="Share of outcomes recovered",
        columns=("published", "share of right guesses"),
        rows=tuple((words[key], shares[key]) for key in words if key in shares),
        note="One half is guessing.",
    )
    return Finding(
        id=check.id,
        title=check.title,
        status=_status(ours, float(slack), allowed),
        sentence=(
            f"The attacker reads {percent(ours)} of the outcomes off this release, "
            f"{percent(shares['child_read_exact'])} off "
            f"exact values and {percent(shares['child_read_suppressed'])} off values above the threshold. "
            f"Guessing gives 50 %.{promise}"
        ),
        values={**shares, "guesses": guesses},
        tables=(table,),
        does_not_prove="That other attacks fail. The guarantee rests on the claim, not on this attack.",
    )


def _status(ours: float, slack: float, allowed: float | None) -> Status:
    """More than a formal claim allows is a breach; without such a claim anything beyond guessing is to be weighed."""
    if allowed is not None:
        return Status.FAIL if ours > allowed + slack else Status.PASS
    return Status.WARN if ours >= 0.5 + slack else Status.PASS


SPEC = OneChild()
