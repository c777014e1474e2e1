"""What the window and the command line see of a project: frozen values, read on the thread that owns the file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.accounting.limits import Limits
from workbench.core.claims import Definition
from workbench.core.errors import UserProblem
from workbench.core.findings import Finding
from workbench.core.states import ReleaseState
from workbench.policy.profile import PolicyProfile
from workbench.project.records import DecisionRecord, ExceptionRecord, LedgerRecord, VotingRecord
from workbench.review.plan.plan import Plan
from workbench.review.session import Evidence, ReviewSession

if TYPE_CHECKING:
    from workbench.accounting.what_if import WhatIf


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """A release as a list shows it."""

    id: str
    title: str
    state: ReleaseState
    epsilon: str
    age: str
    product: str
    preparer: str
    draws: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectView:
    path: Path
    releases: tuple[ReleaseRow, ...]
    why_read_only: str = ""
    encrypted: bool = False
    policy: PolicyProfile | None = None  # None where none was set: the program's defaults apply
    told: tuple[str, ...] = ()  # what whoever opened the file must know

    @property
    def read_only(self) -> bool:
        return bool(self.why_read_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The ledger of the data set behind a release, what approving it would leave, and what the policy says of it.

    `cap` is the largest total ε under the claim's definition: the budget of the data set or the policy's cap, whichever
    is smaller.
    """

    entries: tuple[LedgerRecord, ...]
    cap: Decimal | None
    what_if: WhatIf | None  # None once this very draw has been approved: it is in the entries
    drawn_elsewhere: int = 0  # unpublished draws of the same table from the same data under other releases
    spent_elsewhere: int = 0  # approved releases of this project from other data sets
    spent_on_similar: int = 0  # those among them from data that share columns and are nearly as large
    other_names: tuple[str, ...] = ()  # files that the project has seen with the same content
    shared_with: tuple[str, ...] = ()  # data sets that hold mostly the same people, with how that is known
    profile: PolicyProfile | None = None  # the rules that apply; None where nobody looked
    judged: tuple[Finding, ...] = ()  # the release against those rules
    exception: ExceptionRecord | None = None  # leave to exceed the caps that still holds
    voting: VotingRecord | None = None
    exceptable: tuple[str, ...] = ()  # rules that refuse and that a named person may set aside
    declarations: tuple[str, ...] = ()  # what whoever approves declares
    confirmations: tuple[str, ...] = ()  # which of it everybody confirms who votes for the release

    @property
    def counted(self) -> bool:
        return self.what_if is None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAhead:
    """What was spent on loaded data before anything is drawn from them here, and what may be.

    `cap` is the data set's own; None where the data are new and the plan proposes one. `policy` is None where the
    project never set one.
    """

    content: str  # the fingerprint it belongs to
    entries: tuple[LedgerRecord, ...] = ()
    known: bool = False
    cap: Decimal | None = None
    policy: PolicyProfile | None = None

    def cap_on(self, definition: Definition, proposed: Decimal | None) -> Decimal | None:
        """The largest total ε under a definition, by the data set's cap (or the proposed one) and the policy's."""
        own = self.cap if self.known else proposed
        limits = Limits.from_cap(own) if self.policy is None else self.policy.limits(own)
        return limits.of(definition).epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDraw:
    run_id: int
    draws: int
    drawn_at: datetime
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedReview:
    """Everything stored of one release."""

    release_id: str
    state: ReleaseState
    preparer: str
    plan: Plan
    base: Path
    evidence: Evidence | None
    decisions: tuple[DecisionRecord, ...]
    budget: Budget | None
    exported: bool

    def session(self) -> ReviewSession:
        """A session that starts from what is stored."""
        made = ReviewSession(self.plan, self.base, release_id=self.release_id, preparer=self.preparer)
        made.evidence, made.exported = self.evidence, self.exported
        made.take_over(self)
        return made


def moment(text: str) -> datetime:
    """A time as the project file writes it: with its zone, without which it could not be compared with now."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise UserProblem("The project holds a time that is none", do="`dwb verify` says what is wrong")
    return found


def ago(when: datetime, now: datetime | None = None) -> str:
    """'just now', '5 min ago', '3 h ago', '2 days ago', or the date."""
    seconds = ((now or datetime.now(UTC)) - when).total_seconds()
    if seconds < 60:
        return "just now"
    for size, unit, limit in ((60, "min", 3600), (3600, "h", 86400)):
        if seconds < limit:
            return f"{int(seconds // size)} {unit} ago"
    days = int(seconds // 86400)
    return "1 day ago" if days == 1 else f"{days} days ago" if days < 30 else when.astimezone().date().isoformat()
