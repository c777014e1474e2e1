"""What a project file remembers, as frozen records. No field can hold a row of microdata or a value of one.

Times are UTC, as text (`2026-11-05T09:30:00.000000Z`). Fields with a default of 0 or "" are filled in by the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from workbench.core.claims import Claim, Coverage, Definition, ExactTable
from workbench.core.states import ReleaseState, Verdict
from workbench.core.unit_sketch import UnitSketch
from workbench.policy.profile import PolicyProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRecord:
    """A column's description: how it is called and used, never what is in it."""

    name: str
    kind: str = ""
    role: str = ""
    title: str = ""
    distinct: int | None = None
    missing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasRecord:
    """Another file that holds the same content."""

    name: str
    file: str
    saved_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRecord:
    """A data set by its fingerprints (`content` identifies it whatever file it came in), its schema and its size."""

    name: str
    content: str
    file: str
    rows: int
    units: tuple[tuple[str, int], ...] = ()  # what it holds, counted; only files up to version 5 keep it here
    columns: tuple[ColumnRecord, ...] = ()
    id: int = 0
    saved_at: str = ""
    aliases: tuple[AliasRecord, ...] = ()
    cap: Decimal | None = None
    sketches: tuple[UnitSketch, ...] = ()  # of its identifiers; given when it is stored, never read back


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparationRecord:
    """Who said that two data sets do not hold the same people, and why."""

    other: int
    reason: str
    set_by: str
    set_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingRecord:
    """A data set that shares most of its people or other units with another: by which unit, and how many.

    `share` is None where only columns and sizes could be compared.
    """

    other: int
    basis: str
    share: float | None = None
    separation: SeparationRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgrammeRecord:
    """Releases that were registered before the first draw: a definition and the pairs (ε, δ)."""

    dataset_id: int
    definition: Definition
    items: tuple[tuple[Decimal, Decimal], ...]
    reason: str
    set_by: str
    set_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """A release under review: its plan, who asks for it and why, and where it stands.

    `draws` counts how often values were drawn, under this plan or an earlier one: somebody who may choose among
    draws learns more than one draw tells. `stale` is True where the latest run belongs to an earlier plan.
    """

    id: str
    title: str
    product: str
    plan_text: str
    plan_digest: str
    revision: int
    state: ReleaseState
    preparer: str
    reviewers_needed: int
    created_at: str
    changed_at: str
    draws: int
    stale: bool
    context: dict[str, str] = field(default_factory=dict)

    @property
    def standing(self) -> ReleaseState:
        """The stored state; in review where a draft was drawn as its plan stands and waits for a decision."""
        drawn = self.state is ReleaseState.DRAFT and self.draws > 0 and not self.stale
        return ReleaseState.IN_REVIEW if drawn else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecUse:
    """A plug-in as it was used: which (id, version), as what, with which params."""

    kind: str  # product, mechanism, baseline, rival, check or measure
    id: str
    version: int
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One execution of a plan. `plan_digest` says of which plan; left empty it means the plan as it stands."""

    dataset_id: int
    specs: tuple[SpecUse, ...] = ()
    inputs: dict[str, str] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    claim: Claim | None = None
    plan_digest: str = ""
    same_table: str = ""  # of what decides which table was drawn: two draws with the same are draws of one table
    offered: tuple[str, ...] | None = None  # the checks that its product had; None where that is not known
    units: tuple[tuple[str, int], ...] = ()  # what the data hold besides records, counted: ("institutions", 41)
    before_parts: bool = False  # stored before version 6: its claim does not say how many records it covers
    id: int = 0
    release_id: str = ""
    number: int = 0
    run_by: str = ""
    run_at: str = ""

    def content(self, of_data: str) -> str:
        """The fingerprint of what was drawn from; a data set's is of the columns and rows that a project met first."""
        return self.inputs.get("content_sha256", of_data)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRecord:
    """A policy that was put in force, with its whole text. The latest one applies."""

    id: int
    name: str
    version: int
    profile: PolicyProfile
    digest: str
    reason: str
    set_by: str
    set_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRecord:
    """A reviewer's voice. `stale` once the plan, the draw or the policy changed.

    `hidden` where the policy wants votes blinded and the viewer may not see this one yet: then `vote` is None and the
    comments are empty.
    """

    id: int
    release_id: str
    run_id: int
    vote: Verdict | None
    reviewer: str
    comment: str
    voted_at: str
    stale: bool
    public_comment: str = ""
    policy_id: int = 0
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingRecord:
    """Who has voted on the draw that waits for a decision; not what they said."""

    needed: int
    voted: tuple[str, ...]
    blinded: bool

    @property
    def complete(self) -> bool:
        return len(self.voted) >= self.needed


@dataclass(frozen=True, slots=True, kw_only=True)
class ExceptionRecord:
    """Leave to exceed the caps, for one draw, up to the totals `epsilon` and `delta`; `overspend` says in what."""

    id: int
    release_id: str
    run_id: int
    policy_id: int
    definition: Definition
    epsilon: Decimal
    delta: Decimal
    overspend: str
    reason: str
    granted_by: str
    granted_at: str
    stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """A decision on one run. `supersedes` is the number of the release's earlier decision, 0 for the first."""

    id: int
    release_id: str
    number: int
    run_id: int
    plan_digest: str
    decision: Verdict
    reviewer: str
    comment: str
    public_comment: str
    supersedes: int
    decided_at: str
    stale: bool
    policy: str = ""  # name and version of the policy then in force; empty where there was none
    policy_id: int = 0
    exception_id: int = 0  # the exception an approval rests on
    declared: tuple[str, ...] = ()  # what its maker declared with it


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRecord:
    """What an approval spent on a data set. Never changed and never given back."""

    id: int
    dataset_id: int
    content: str
    release_id: str
    run_id: int
    decision: int
    definition: Definition
    unit: str
    epsilon: Decimal
    delta: Decimal
    alpha: Decimal | None
    formal: bool
    rule: str
    sentence: str
    entered_at: str
    workings: str = ""  # the rule applied, with its numbers
    coverage: Coverage | None = None  # the witness of what the input was restricted to, where it was
    exception_id: int = 0
    group_size: int = 1  # how many records of one person it covers at once
    part: str = ""  # of the claim, where the claim was entered in parts
    rho: Decimal | None = None  # of a claim accounted for in zCDP
    exact: tuple[ExactTable, ...] = ()  # what the release tells without noise


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecord:
    """One action, for a reader of the history. `verify` reads the journal itself, not this."""

    seq: int
    at: str
    actor: str
    action: str
    subject: str
    hash: str
