"""One review under way: the plan being edited, what has been computed for it, and what is stale. Knows nothing of Qt.

Results carry the digest of what they were computed for. Comparing that digest with the plan as it is now is all
there is to staleness: an edit that is undone makes a result fresh again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.core.params import problems_at, problems_of
from workbench.core.states import ReleaseState
from workbench.microdata import columns
from workbench.review.plan.history import EditHistory
from workbench.review.plan.plan import Plan
from workbench.review.plan.sections import CONTEXT_REQUIRED
from workbench.review.publish.outputs import files_for
from workbench.review.run.prepare import PreparedTable, product_of
from workbench.review.run.protect import mechanism_of, promised

if TYPE_CHECKING:
    from workbench.core.claims import Claim
    from workbench.core.errors import Problem
    from workbench.core.findings import Finding, Spent
    from workbench.core.published import Published
    from workbench.core.side_by_side import SideBySide
    from workbench.project.records import DecisionRecord
    from workbench.review.run.opening import LoadedData
    from workbench.review.run.run import Outcome
    from workbench.review.views import Budget, BudgetAhead, OpenedReview

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of the latest draw: from this session, or read again from the project file.

    `side_by_side` holds true values and so exists only while the data are loaded; the project never stores it.
    """

    digest: str
    claim: Claim
    findings: tuple[Finding, ...]
    rows: int
    draws: int
    content: str = ""  # fingerprint of the data the values were drawn from
    words: str = ""  # SHA-256 of the data dictionary then in force; empty where an older file does not tell
    drawn_at: datetime | None = None
    files: tuple[str, ...] = ()  # the names of the files in which the release would leave
    side_by_side: tuple[SideBySide, ...] = ()
    table: Published | None = None  # the drawn values, while the data are at hand

    @property
    def loss(self) -> Spent | None:
        """What the draw spends, as an audit worked it out; None where none did."""
        return next((finding.loss for finding in self.findings if finding.loss is not None), None)

    def of_stage(self, stage: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.stage == stage)


class ReviewSession:
    def __init__(self, plan: Plan, base: Path, *, release_id: str = "", preparer: str = "") -> None:
        self.history = EditHistory(plan)
        self.base = base
        self.release_id = release_id
        self.preparer = preparer
        self.loaded: LoadedData | None = None
        self.prepared: PreparedTable | None = None
        self.evidence: Evidence | None = None
        self.decisions: tuple[DecisionRecord, ...] = ()
        self.exported = False
        self.unread = False  # the data file was looked at, and its columns could not be told as the options stand
        self.mechanism_seen = False  # by a person: settings that nobody looked at are not done
        self.state = ReleaseState.DRAFT
        self._known_for: tuple[object, object, object] = (None, None, None)
        self._known: dict[str, Any] = {}
        self.rows: tuple[str, int | None] | None = (
            None  # digest of the table, and how many rows; None: the draw decides
        )
        self.saved_plan = plan  # as the project file has it
        self.opened_data = plan.data  # as the project file had them when the release was opened
        self.budget: Budget | None = None  # of the data of the latest draw
        self.ahead: BudgetAhead | None = None  # of the data that were loaded last
        self.foreseen: tuple[object, float | None] = (None, None)  # settings, and what they would spend

    @property
    def unsaved(self) -> bool:
        return self.plan != self.saved_plan

    @property
    def plan(self) -> Plan:
        return self.history.plan

    @property
    def closed(self) -> bool:
        """What was approved stays as it was approved; a change needs a new release."""
        return self.state.closed

    def _of_plan(self, what: str, work: Callable[[Plan], T]) -> T:
        """Something that depends on the plan, the data and the table alone, worked out once for them.

        The window asks for the same digests and problems a dozen times after every change; plans never change in place.
        """
        now = (self.plan, self.loaded, self.prepared)
        if any(one is not other for one, other in zip(now, self._known_for, strict=True)):
            self._known_for, self._known = now, {}
        if what not in self._known:
            self._known[what] = work(self.plan)
        known: T = self._known[what]
        return known

    # What is fresh
    @property
    def data_fresh(self) -> bool:
        return self.loaded is not None and self.loaded.digest == self._of_plan("data digest", Plan.data_digest)

    @property
    def prepared_fresh(self) -> bool:
        return self.prepared is not None and self.prepared.digest == self._of_plan(
            "prepared digest", Plan.prepared_digest
        )

    @property
    def evidence_fresh(self) -> bool:
        """The evidence belongs to the plan as it stands and, where data are loaded, to these and their dictionary."""
        if self.evidence is None or self.evidence.digest != self._of_plan("run digest", Plan.run_digest):
            return False
        if self.loaded is None:
            return True
        same_words = not self.evidence.words or self.evidence.words == self.loaded.words
        return same_words and self.evidence.content == self.loaded.microdata.fingerprint.content

    def accept_outcome(self, outcome: Outcome, *, draws: int, drawn_at: datetime) -> None:
        """Take in what a draw of this session gave."""
        loaded, prepared = self.loaded, self.prepared
        before = (*(loaded.findings if loaded else ()), *(prepared.findings if prepared else ()))
        self.evidence = Evidence(
            digest=outcome.digest,
            claim=outcome.protected.claim,
            findings=(*before, *outcome.audit, *outcome.measured.findings),
            rows=outcome.protected.table.rows,
            draws=draws,
            content=loaded.microdata.fingerprint.content if loaded else "",
            words=loaded.words if loaded else "",
            drawn_at=drawn_at,
            files=tuple(file.name for file in files_for(self.plan, outcome.protected.table)),
            side_by_side=outcome.measured.side_by_side,
            table=outcome.protected.table,
        )

    def let_go(self) -> None:
        """The review is left: the rows go, and with them all that was made of them to answer faster."""
        self.loaded = self.prepared = None
        self._known_for, self._known = (None, None, None), {}
        if self.evidence is not None:
            self.evidence = replace(self.evidence, side_by_side=(), table=None)

    def take_over(self, review: OpenedReview) -> None:
        """What people said and what was spent, as it is stored now; the plan being edited stays."""
        self.decisions, self.state, self.budget = review.decisions, review.state, review.budget

    # What is wrong
    def release_problems(self) -> tuple[Problem, ...]:
        """Why the table cannot be prepared as described."""
        return self._of_plan("release problems", self._release_problems)

    def _release_problems(self, plan: Plan) -> tuple[Problem, ...]:
        found = problems_of(plan.product.params)
        if not found and self.loaded is not None and self.data_fresh:
            found = product_of(plan).problems(self.loaded.inputs, plan.product.params)
        return problems_at("product", plan.product.params, found)

    def mechanism_problems(self) -> tuple[Problem, ...]:
        return self._of_plan("mechanism problems", self._mechanism_problems)

    def _mechanism_problems(self, plan: Plan) -> tuple[Problem, ...]:
        found = problems_of(plan.mechanism.params)
        if not found and self.loaded is not None and self.data_fresh:
            found = columns.problems_of(self.loaded.inputs, plan.mechanism.params)
        if not found and self.prepared is not None and self.prepared_fresh:
            found = mechanism_of(plan).problems(self.prepared.value, plan.mechanism.params)
        return problems_at("mechanism", plan.mechanism.params, found)

    def context_missing(self) -> tuple[str, ...]:
        """The context fields that a reviewer will ask for and that are still empty."""
        return tuple(name for name in CONTEXT_REQUIRED if not getattr(self.plan.release, name).strip())

    def claim(self) -> Claim | None:
        """What the plan as it stands would promise; None while the params are not valid."""
        if problems_of(self.plan.mechanism.params):
            return None
        prepared = self.prepared.value if self.prepared is not None and self.prepared_fresh else None
        return promised(self.plan, prepared)

    # Edits
    def edit(self, label: str, **sections: object) -> bool:
        """Replace sections of the plan as one undoable step."""
        return self.history.edit(replace(self.plan, **sections), label)  # type: ignore[arg-type]
