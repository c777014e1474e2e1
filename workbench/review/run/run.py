"""Run: the whole plan once, from data file to findings, exactly as the window does it stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.progress import Context, Part
from workbench.review.run.audit import audit
from workbench.review.run.measure import Measured, measure, refuse_rivals
from workbench.review.run.opening import LoadedData, load_data, refuse_guesses
from workbench.review.run.prepare import PreparedTable, prepare, refuse_columns
from workbench.review.run.protect import Protected, protect

if TYPE_CHECKING:
    from workbench.core.findings import Finding
    from workbench.review.plan.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one draw gave: the release with its claim, the audit's findings and the comparison.

    `withheld` are the cells that suppression withholds beside everything approved, where the plan compares with it.
    """

    protected: Protected
    audit: tuple[Finding, ...]
    measured: Measured
    digest: str
    withheld: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRun:
    loaded: LoadedData
    prepared: PreparedTable
    outcome: Outcome

    def findings(self) -> tuple[Finding, ...]:
        """Every finding in the order of the review; each knows its stage."""
        outcome = self.outcome
        return (*self.loaded.findings, *self.prepared.findings, *outcome.audit, *outcome.measured.findings)


def draw_and_judge(loaded: LoadedData, prepared: PreparedTable, plan: Plan, context: Context) -> Outcome:
    """Draw the release, audit it and compare it."""
    refuse_guesses(loaded)
    refuse_columns(loaded, plan)
    refuse_rivals(prepared, plan)
    protected = protect(prepared, plan, Part(context, 0.0, 0.25))
    found = audit(prepared, protected, plan, Part(context, 0.25, 0.7))
    measured = measure(prepared, protected, plan, Part(context, 0.7, 1.0))
    context.step(1.0, "Done")
    return Outcome(protected=protected, audit=found, measured=measured, digest=plan.run_digest())


def run_plan(plan: Plan, *, base: Path, context: Context) -> WholeRun:
    """Everything from the data file on, storing nothing. `base` is the folder that relative paths start from."""
    loaded = load_data(plan, base=base, context=Part(context, 0.0, 0.25))
    prepared = prepare(loaded, plan, Part(context, 0.25, 0.4))
    outcome = draw_and_judge(loaded, prepared, plan, Part(context, 0.4, 1.0))
    return WholeRun(loaded=loaded, prepared=prepared, outcome=outcome)
