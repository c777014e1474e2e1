"""Black box: watch the samplers on neighbouring data and bound ε from below, without trusting any formula.

Neighbours come from the claim's definition. Where the mechanism declares its law, up to six events are fixed
beforehand and the hits of all pairs are added up (`pooled_events`); a twelfth of the draws goes to the mechanism's
neighbours of the table at hand, where cells stand beside each other as no made-up pair has them. For those, and for all
pairs where no law is declared, an event is chosen on half of the draws for each pair and direction; on the other half
ε ≥ ln((p − δ)/q) holds. The confidence is divided among the tests (Bonferroni).
Source: Ding et al. (2018), "Detecting violations of differential privacy"; Clopper and Pearson (1934).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.audit.black_box_findings import Sampler, Verdict, no_neighbours, not_integers, verdict_finding
from workbench.audit.contract import Subject
from workbench.audit.event_search import Draws, largest_loss
from workbench.audit.law_loss import grid_of
from workbench.audit.pooled_events import DIRECTIONS, PAIRS, Hits, WatchedPair, met, watched_pairs
from workbench.audit.pooled_findings import Pooled, pooled_finding
from workbench.audit.visible_breach import possible_tests
from workbench.core.claims import Claim
from workbench.core.errors import Problem
from workbench.core.findings import Finding
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import NeighbourPair

_COPIES = 20_000
_LEAST_DRAWS = 1000
_OWN_DRAWS, _OWN_DOUBT = Fraction(1, 12), Decimal("0.05")  # what the table's own neighbours get beside the claim's grid
Draw = Callable[[object, Context], Draws]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlackBoxParams:
    draws: int = param(
        200_000,
        "Draws of the study sampler",
        "For each neighbour. More draws see smaller breaches.",
        ge=_LEAST_DRAWS,
        le=5_000_000,
    )
    release_draws: int = param(
        20_000,
        "Draws of the release sampler",
        "For each neighbour, from the sampler that publishes; used here only and never kept. 0 leaves it out.",
        ge=0,
        le=1_000_000,
    )
    confidence: Decimal = param(
        Decimal("0.999"), "Confidence", "How sure a reported breach is, over all pairs and events.", ge="0.5", lt=1
    )
    seed: int = param(1, "Seed", "Of the study sampler; recorded, so that the check can be repeated.", ge=0)

    def check(self) -> tuple[Problem, ...]:
        if self.release_draws == 0 or self.release_draws >= _LEAST_DRAWS:
            return ()
        return (
            Problem(
                f"{self.release_draws} draws of the release sampler are too few to see anything",
                "release_draws",
                f"Use at least {_LEAST_DRAWS}, or 0 to leave it out",
            ),
        )


@dataclass(frozen=True, slots=True)
class BlackBoxCheck:
    """Fails when the lower confidence bound on ε exceeds the claim, or when a sampler gives values off the integers."""

    id: str = "black-box"
    version: int = 3
    title: str = "Black-box test of the samplers"
    summary: str = "A Monte-Carlo lower confidence bound on ε from neighbouring data sets."
    params: type[BlackBoxParams] = BlackBoxParams
    of_loss: bool = False  # a bound from below: that nothing was seen says nothing of what few draws cannot show

    def run(self, subject: Subject, params: BlackBoxParams, context: Context) -> tuple[Finding, ...]:
        subjects = (("", subject), *((each.name, one) for each, one in subject.besides()))
        found: list[Finding] = []
        for number, (name, one) in enumerate(subjects):
            part = Part(context, number / len(subjects), (number + 1) / len(subjects))
            found += [_named(finding, name) if name else finding for finding in _both(one, params, part)]
        return tuple(found)


def _both(subject: Subject, params: BlackBoxParams, context: Context) -> tuple[Finding, ...]:
    study, release = _samplers(subject, params)
    if not params.release_draws:
        return (_watch(subject, study, params, context),)
    return (
        _watch(subject, study, params, Part(context, 0.0, 0.5)),
        _watch(subject, release, params, Part(context, 0.5, 1.0)),
    )


def _named(finding: Finding, name: str) -> Finding:
    """The same of what stands beside the published values."""
    return replace(finding, id=f"{finding.id}-beside", title=f"{finding.title}: {name}")


def _samplers(subject: Subject, params: BlackBoxParams) -> tuple[tuple[Sampler, Draw], tuple[Sampler, Draw]]:
    mechanism, rng = subject.mechanism, StudyRandom(params.seed)

    def study(prepared: object, context: Context) -> Draws:
        return mechanism.study(prepared, subject.params, rng, context).reveal().values

    def release(prepared: object, context: Context) -> Draws:
        return mechanism.release(prepared, subject.params, ReleaseRandom(), context).values

    return (Sampler(name="study", draws=params.draws), study), (
        Sampler(name="release", draws=params.release_draws),
        release,
    )


def _watch(subject: Subject, watched: tuple[Sampler, Draw], params: BlackBoxParams, context: Context) -> Finding:
    sampler, draw = watched
    claim = subject.claim
    grid = grid_of(subject.prepared, claim) if subject.prepared.rows else None
    pooled = sampler.draws - int(sampler.draws * _OWN_DRAWS)
    batches = -(-pooled // _COPIES)
    known = () if grid is None else watched_pairs(grid, subject.mechanism, subject.params, claim, -(-pooled // batches))
    own_draws = int(len(known) * sampler.draws * _OWN_DRAWS) if known else sampler.draws
    copies = min(_COPIES, own_draws // PAIRS if known else own_draws)
    own = subject.mechanism.neighbours(subject.prepared, subject.params, max(copies, 1))
    if not (known or own):
        return no_neighbours(sampler)
    turn = 0.0 if not known else 1.0 if not own else float(1 - _OWN_DRAWS)
    doubt = 1 - params.confidence
    own_doubt = doubt if not known else doubt * _OWN_DOUBT if own else Decimal(0)
    try:
        hits = _pooled(known, claim, (batches, draw), Part(context, 0.0, turn)) if known else ()
        each = own_draws // len(own) if known and own else own_draws
        verdicts = _searched(own, claim, (each, draw), float(own_doubt), Part(context, turn, 1.0))
    except _NotIntegers as fault:
        return not_integers(sampler, str(fault))
    if not known:
        return verdict_finding(sampler, claim, verdicts, params.confidence)
    seen = Pooled(hits=hits, pairs=known, verdicts=verdicts, risk=float(doubt - own_doubt))
    return pooled_finding(sampler, claim, seen, params.confidence)


class _NotIntegers(Exception):
    """On which pair of neighbours a sampler gave something else."""


def _searched(
    pairs: tuple[NeighbourPair, ...], claim: Claim, watched: tuple[int, Draw], risk: float, context: Context
) -> tuple[Verdict, ...]:
    """Each pair alone, in both directions, with the best event that half of its draws shows."""
    wanted, draw = watched
    verdicts: list[Verdict] = []
    for number, pair in enumerate(pairs):
        part = Part(context, number / len(pairs), (number + 1) / len(pairs))
        first, second = _both_sides(pair, draw, wanted, part)
        for likely, unlikely, direction in ((first, second, DIRECTIONS[0]), (second, first, DIRECTIONS[1])):
            part.step(1.0, f"searching for telling values: {pair.description}")
            bound = largest_loss(likely, unlikely, delta=float(claim.delta), risk=risk / (2 * len(pairs)))
            verdicts.append(Verdict(pair=pair.description, direction=direction, bound=bound))
    return tuple(verdicts)


def _pooled(
    pairs: tuple[WatchedPair, ...], claim: Claim, watched: tuple[int, Draw], context: Context
) -> tuple[Hits, ...]:
    """Hits of the events that were fixed beforehand, added up over all pairs."""
    batches, draw = watched
    tests = possible_tests(pairs, float(claim.epsilon))
    counts = np.zeros((len(tests), 2), dtype=np.int64)
    for number, pair in enumerate(pairs):
        for batch in range(batches):
            part = Part(context, (number + batch / batches) / len(pairs), (number + (batch + 1) / batches) / len(pairs))
            for side, data in enumerate((pair.first, pair.second)):
                part.step(side / 2, f"watching the sampler: {pair.description}")
                drawn = draw(data.reveal(), Part(part, side / 2, (side + 1) / 2)).ravel()
                if not _whole(drawn):
                    raise _NotIntegers(pair.description)
                for place, test in enumerate(tests):
                    likely = test[0] == DIRECTIONS[0]
                    counts[place, side if likely else 1 - side] += met(pair, drawn, test, float(claim.epsilon))
    draws = len(pairs) * batches * pairs[0].copies
    return tuple(
        Hits(direction=direction, suspected=suspected, likely=int(likely), unlikely=int(unlikely), draws=draws)
        for (direction, suspected), (likely, unlikely) in zip(tests, counts, strict=True)
    )


def _both_sides(pair: NeighbourPair, draw: Draw, draws: int, context: Context) -> tuple[Draws, Draws]:
    sides = (
        _draws(prepared, draw, (draws, pair), Part(context, start, start + 0.5))
        for prepared, start in ((pair.first.reveal(), 0.0), (pair.second.reveal(), 0.5))
    )
    first, second = sides
    return first, second


def _draws(prepared: object, draw: Draw, wanted: tuple[int, NeighbourPair], context: Context) -> Draws:
    """At least the wanted number of draws, one row each, a batch of copies at a time."""
    draws, pair = wanted
    batches = -(-draws // pair.copies)
    parts: list[Draws] = []
    for batch in range(batches):
        context.step(batch / batches, f"watching the sampler: {pair.description}")
        values = draw(prepared, Part(context, batch / batches, (batch + 1) / batches))
        if not _whole(values):
            raise _NotIntegers(pair.description)
        parts.append(values.reshape(pair.copies, pair.outputs))
    return np.concatenate(parts)[:draws]


def _whole(draws: Draws) -> bool:
    return bool(np.issubdtype(draws.dtype, np.integer) or np.all(draws == np.rint(draws)))


SPEC = BlackBoxCheck()
