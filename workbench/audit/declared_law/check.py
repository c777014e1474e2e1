"""The noise against the law that was declared for it: chosen words, then draws, for every answer that was metered.

Source: own derivation; scale and place by Fisher's scores, randomised probability transform (Rosenblatt 1952).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.audit.contract import Subject
from workbench.audit.declared_law import findings
from workbench.audit.declared_law.draws import Watched, watch
from workbench.audit.declared_law.judgement import Judgement, judged
from workbench.audit.declared_law.trial import declared_by, trial_of
from workbench.audit.declared_law.words import TURNS, Rehearsed, rehearsed
from workbench.core.findings import Finding
from workbench.core.params import param
from workbench.core.progress import Context, Part

_PARTS = 6  # of the grid, one a turn
_LEAST_ROWS = 16  # of a table: with fewer, requests for single words cannot be told from requests for further bits
_SLOW_CALLS = 12  # of release, where everything is worked out together in one
_SLOW_ROWS = 2000  # rows in all, so that small tables are drawn more often
_ENOUGH = 20_000  # values foreseen where all are alike: places, as turns do, go through every depth and side
_AT_MOST = 12_000  # values of the table itself; the grid shows every kind of cell


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredLawParams:
    law_draws: int = param(
        600_000,
        "Draws of the release sampler",
        "Values drawn from the sampler that publishes; used here only and never kept. 0 leaves the test by draws out.",
        ge=0,
        le=20_000_000,
    )
    turns: int = param(
        TURNS,
        "Turns with chosen words",
        "How often the sampler is given chosen random words; 24 show every depth of the tail on both sides.",
        ge=1,
        le=1000,
    )
    seed: int = param(1, "Seed", "Of the numbers that break the ties of integers; recorded.", ge=0, advanced=True)


@dataclass(frozen=True, slots=True)
class DeclaredLawCheck:
    """Fails when one value differs from what its law foresees, a test by draws fails twice, or an answer has no law.

    A test that fails is repeated on draws of its own. A fault fails again. Honest noise has to fail now and then, but
    twice only with the square of the level.
    """

    id: str = "declared-law"
    version: int = 2
    title: str = "Noise against its declared law"
    summary: str = "Chosen random words and many draws, against the law that the mechanism declares for every answer."
    params: type[DeclaredLawParams] = DeclaredLawParams
    of_loss: bool = False  # that the noise is the declared one says nothing of what that noise loses

    def run(self, subject: Subject, params: DeclaredLawParams, context: Context) -> tuple[Finding, ...]:
        besides = subject.besides()
        found = list(self._of(subject, params, Part(context, 0.0, 1.0 / (1 + len(besides)))))
        for number, (each, one) in enumerate(besides, start=1):
            part = Part(context, number / (1 + len(besides)), (number + 1) / (1 + len(besides)))
            found += [
                replace(finding, id=f"{finding.id}-beside", title=f"{finding.title}: {each.name}")
                for finding in self._of(one, params, part)
            ]
        return tuple(found)

    def _of(self, subject: Subject, params: DeclaredLawParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "reading the declared laws")
        if declared_by(subject, subject.prepared) is None:
            context.step(1.0, "no law is declared")
            return (findings.no_law(),)
        trial = trial_of(subject)
        if trial is None:
            return (findings.no_cells(),)
        found = _by_words(subject, params, Part(context, 0.0, 0.4))
        by_words = findings.by_words(found)
        if not params.law_draws:
            context.step(1.0, "Comparing the noise with its law")
            return (by_words,)
        most = max(_SLOW_CALLS, _SLOW_ROWS // (subject.prepared.rows or _SLOW_ROWS)) if _slow(subject) else None

        def drawn(seed: int, within: Context) -> tuple[Watched, dict[str, Judgement]]:
            watched = watch(subject, trial, draws=params.law_draws, seed=seed, context=within, most_calls=most)
            seen = {name: pool for name, pool in watched.pools.items() if pool.evidence}
            return watched, {name: judged(pool, trial, watched.calls, len(seen)) for name, pool in seen.items()}

        watched, judgements = drawn(params.seed, Part(context, 0.4, 0.7))
        if any(judgement.failed for judgement in judgements.values()):
            watched, again = drawn(params.seed + 1, Part(context, 0.7, 0.95))
            judgements = {name: judgement.confirming(judgements.get(name)) for name, judgement in again.items()}
        context.step(1.0, "Comparing the noise with its law")
        return by_words, findings.by_draws(watched, judgements)


def _slow(subject: Subject) -> bool:
    return subject.mechanism.traits.few_draws


def _by_words(subject: Subject, params: DeclaredLawParams, context: Context) -> Rehearsed:
    """A part of the grid in each turn, every cell of it several times in all; the table as often as its size allows."""
    parts = [trial_of(subject, part=(number, _PARTS)) for number in range(min(_PARTS, params.turns))]
    rows, found, on_grid = subject.prepared.rows, Rehearsed(), parts[0] is not None and parts[0].on_grid
    turns = min(params.turns, _SLOW_CALLS) if _slow(subject) else params.turns
    for turn in range(turns):
        context.step(turn / turns, "rehearsing the sampler with chosen words")
        grid = parts[turn % _PARTS]
        if grid is not None:
            found += rehearsed(subject, grid.prepared.reveal(), turn)
        if rows is not None and rows >= _LEAST_ROWS and (turn + 1) * rows <= _AT_MOST:
            found += rehearsed(subject, subject.prepared, turn)
        if found.foreseen >= _ENOUGH and not on_grid:
            break
    return found


SPEC = DeclaredLawCheck()
