"""Who knows all but one person of a cell reads the last one's pay: on exact, suppressed, the source's and this release.

The attacker knows the pay of everybody else in a cell and year and takes N times the published mean less their sum.
Read is pay that comes out within a tenth of the truth. Whether the person is there at all is told from the count: more
than half a person above the others. The same cells and people are attacked everywhere, the best paid of each cell.
Beside it stands what is read without any release: by the one number that is near the pay of most of these people.
It sees one attack only: that it fails proves nothing about others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Floats, Integers
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import percent, show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import declare, share_of
from workbench.products.outcome_reports.audit.source_loss import source_finding
from workbench.products.outcome_reports.mechanisms import observed_mean
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.source_draw import as_the_source, source_params

declare(
    {
        "read_release": share_of("Pay read from this release"),
        "read_source": share_of("Pay read from the source's method"),
        "read_suppressed": share_of("Pay read from suppressed tables"),
        "read_exact": share_of("Pay read from exact tables"),
        "read_guess": share_of("Pay read without any release"),
        "presence_release": share_of("Presence told from this release"),
    }
)
_NEAR = 0.1
_CELLS = 200
_NOTICEABLE = 3.0  # standard errors above guessing


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPersonParams:
    trials: int = param(20, "Trials", "Study draws of each method.", ge=2, le=1000)
    threshold: int = param(30, "Threshold", "Of the suppressed tables.", ge=2, unit="people")
    seed: int = param(1, "Seed", "The attack can be repeated with it.", ge=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The best paid person of some cells: the cell, how many people it has, what the others earn, and the truth."""

    cell: Integers
    people: Floats
    others: Floats
    pay: Floats


@dataclass(frozen=True, slots=True)
class LastPerson:
    """See the module's docstring."""

    id: str = "last-person"
    version: int = 2
    title: str = "Pay of the last person"
    summary: str = "Whether an attacker who knows all but one person of a cell can read the last person's pay."
    params: type[LastPersonParams] = LastPersonParams
    of_loss: bool = False

    def run(self, subject: Subject, params: LastPersonParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "choosing people to attack")
        prepared: Outcomes = subject.prepared
        found = targets(prepared)
        rests = source_finding(prepared, source_params(subject.mechanism, subject.params))
        if not len(found.cell):
            context.step(1.0, "nobody to attack")
            return (_nobody(), rests)
        truth = prepared.truth.reveal().astype(np.float64)
        suppressed = np.where(truth[:, :1] < params.threshold, np.nan, truth)
        ours = _drawn(subject.mechanism, subject.params, prepared, params, Part(context, 0.0, 0.5))
        source = _source(subject, prepared, params, Part(context, 0.5, 0.9))
        told = {
            "confidential": [truth],
            "suppressed": [suppressed],
            "source's method": source,
            "this release": ours,
        }
        read = {name: pay_read(found, tables) for name, tables in told.items()}
        there = {name: presence_told(found, tables) for name, tables in told.items()}
        context.step(1.0, "attack done")
        return _finding(found, read, there, params.trials), rests


def targets(prepared: Outcomes) -> Target:
    """One person of every cell with at least two people and some pay, at most so many cells, evenly over the report."""
    count, total = prepared.count.reveal(), prepared.total.reveal()
    pay, ends = prepared.pay.reveal(), prepared.ends.reveal()
    cells = np.flatnonzero(count >= 2)
    cells = cells[pay[ends[cells] - 1] > 0] if len(cells) else cells
    cells = cells[:: max(1, len(cells) // _CELLS)]
    best = pay[ends[cells] - 1].astype(np.float64) if len(cells) else np.zeros(0)
    return Target(cell=cells, people=count[cells].astype(np.float64), others=total[cells] - best, pay=best)


def pay_read(target: Target, tables: Sequence[Floats]) -> float:
    """Share of people whose pay comes out within a tenth; a cell that is not published tells nothing."""
    hits = []
    for values in tables:
        read = target.people * values[target.cell, 1] - target.others
        hits.append(np.abs(read - target.pay) <= _NEAR * target.pay + 0.5 * target.people)  # a published dollar's half
    return float(np.mean(hits))


def presence_told(target: Target, tables: Sequence[Floats]) -> float:
    """Share of right answers where half the people are really there: above half a person more, or not.

    Without the person the published count would be one lower with the same noise.
    """
    right = []
    for values in tables:
        extra = values[target.cell, 0] - (target.people - 1.0)
        known = np.isfinite(extra)
        right.append(np.where(known, ((extra > 0.5).astype(float) + (extra - 1.0 <= 0.5)) / 2.0, 0.5))
    return float(np.mean(right))


def guessed(target: Target) -> float:
    """What is read without any release: the share of people to whose pay the best single number is near."""
    pay = np.sort(target.pay)
    guess = pay / (1.0 - _NEAR)  # the largest number that is near this pay, and near those up to a fifth above it
    reached = np.searchsorted(pay, guess / (1.0 - _NEAR), side="right")
    above = np.searchsorted(pay, guess / (1.0 + _NEAR), side="left")
    return float((reached - above).max() / len(pay))


def _drawn(
    mechanism: object, settings: object, prepared: Outcomes, params: LastPersonParams, context: Context
) -> list[Floats]:
    rng, tables = StudyRandom(params.seed), []
    for trial in range(params.trials):
        within = Part(context, trial / params.trials, (trial + 1) / params.trials)
        drawn: Columns = mechanism.study(prepared, settings, rng, within).reveal()  # type: ignore[attr-defined]
        tables.append(np.stack([drawn.units(name).numbers() for name in ("count", "mean_earnings")], axis=1))
    return tables


def _source(subject: Subject, prepared: Outcomes, params: LastPersonParams, context: Context) -> list[Floats]:
    """The source's method at the same total ε."""
    settings = source_params(subject.mechanism, subject.params)
    return _drawn(observed_mean.SPEC, settings, as_the_source(prepared), params, context)


def _nobody() -> Finding:
    return Finding(
        id="last-person",
        title="Pay of the last person",
        status=Status.INFO,
        sentence="No cell has two people with pay, so that there is nobody to attack.",
    )


def _finding(found: Target, read: dict[str, float], there: dict[str, float], trials: int) -> Finding:
    guess, ours, source = guessed(found), read["this release"], read["source's method"]
    error = float(np.sqrt(max(guess * (1.0 - guess), 0.25 / len(found.cell)) / len(found.cell)))
    seen = ours > guess + _NOTICEABLE * error
    rows = tuple((name, 100.0 * read[name], 100.0 * there[name]) for name in read)
    return Finding(
        id="last-person",
        title="Pay of the last person",
        status=Status.WARN if seen else Status.PASS,
        sentence=(
            f"An attacker who knows all others of a cell reads the best-paid person's pay within a tenth in "
            f"{percent(ours)} of "
            f"{show(trials)} draws over {show(len(found.cell))} cells. Exact tables give "
            f"{percent(read['confidential'])}, "
            f"suppressed ones {percent(read['suppressed'])}, the source's method {percent(source)}, "
            f"and no release at all {percent(guess)}."
        ),
        values={
            "read_release": ours,
            "read_source": read["source's method"],
            "read_suppressed": read["suppressed"],
            "read_exact": read["confidential"],
            "read_guess": guess,
            "presence_release": there["this release"],
        },
        tables=(
            Table(
                title="The same attack on every table",
                columns=("published", "pay read within a tenth (%)", "presence told rightly (%)"),
                rows=rows,
                note="Presence: 50 % is guessing.",
            ),
        ),
        does_not_prove="That other attacks fail. The guarantee rests on the claim, not on this attack.",
    )


SPEC = LastPerson()
