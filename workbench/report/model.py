"""The approval report as one frozen value. HTML, PDF and the JSON twin are three ways of showing it.

Everything is a plain value, so that the report can be made from a project file, a plan or a test alike. Dates are ISO
texts ("2026-11-16" or "2026-11-16T10:12:00+00:00"): the report never asks the clock, so the same value always gives
the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from decimal import Decimal

from workbench.core.claims import Claim
from workbench.core.findings import Audience, Finding
from workbench.core.params import lines_of, tables_of
from workbench.core.plain import LATER
from workbench.core.states import ReleaseState

SCHEMA = "disclosure-workbench/approval-report/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identification:
    """Who asks for what, on which ground. Requester and preparer are persons and stay internal."""

    release_id: str
    title: str
    date: str
    purpose: str = ""
    authority: str = ""
    contact: str = ""
    requester: str = ""
    preparer: str = ""
    drawn_by: str = field(default="", metadata=LATER)  # who drew the values: cannot decide on them either


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseType:
    product: str
    version: int
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """The confidential data behind the release.

    File name, fingerprints and counts are internal. A fingerprint above all: whoever knows every record but one can
    try each value of the last one until the SHA-256 fits, so publishing it would undo any formal guarantee.
    """

    title: str
    period: str = ""
    unit_of_protection: str = ""
    smallest_geography: str = ""
    overlapping_files: tuple[str, ...] = ()
    file_name: str = ""
    file_sha256: str = ""
    content_sha256: str = ""
    records: int | None = None
    establishments: int | None = None  # as reports of files before version 6 give it; later ones have `units`
    counts_are_public: bool = False
    shaping: tuple[ParameterTable, ...] = field(default=(), metadata=LATER)  # what was made of the rows; internal
    units: tuple[tuple[str, int], ...] = field(default=(), metadata=LATER)  # what the data hold, counted

    @property
    def counted(self) -> tuple[tuple[str, int], ...]:
        """Everything but the records that was counted, with its title."""
        former = () if self.establishments is None else (("establishments", self.establishments),)
        return (*former, *self.units)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A table that leaves the agency, with the SHA-256 of the file as written.

    `first_rows` and `notes` follow from the published values alone, so they are as public as the file is.
    """

    name: str
    columns: tuple[str, ...]
    rows: int
    sha256: str = ""
    first_rows: tuple[tuple[str, ...], ...] = field(default=(), metadata=LATER)
    notes: tuple[str, ...] = field(default=(), metadata=LATER)  # what people who use the file should know of its values


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One row of the parameter table. Internal unless somebody has made sure that the value is not confidential."""

    label: str
    value: str
    audience: Audience = Audience.INTERNAL


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterColumn:
    """One setting of a table of settings, with its value in every row. Internal unless made sure, like a Parameter."""

    label: str
    values: tuple[str, ...]
    audience: Audience = Audience.INTERNAL


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterTable:
    """A table of settings: one row for each variable or year, one column for each setting."""

    title: str
    by: str  # the heading of the rows' names
    names: tuple[str, ...]
    columns: tuple[ParameterColumn, ...]
    audience: Audience = Audience.INTERNAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How the values were made. Everything here but the internal parameters is public by design."""

    claim: Claim
    mechanism_title: str
    mechanism_id: str
    mechanism_version: int
    neighbours: str = ""
    parameters: tuple[Parameter, ...] = ()
    allocation: str = ""
    invariants: tuple[str, ...] = ()
    post_processing: tuple[str, ...] = ()
    tool_versions: tuple[tuple[str, str], ...] = ()
    draws: int = 1  # how often values were drawn from the data for this release: each draw spends ε
    tables: tuple[ParameterTable, ...] = field(default=(), metadata=LATER)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    release_id: str
    title: str
    epsilon: Decimal
    when: str
    delta: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The budget before and after this release. Totals are public; which releases spent them is internal."""

    epsilon_before: Decimal
    epsilon_after: Decimal
    delta_before: Decimal = Decimal(0)
    delta_after: Decimal = Decimal(0)
    epsilon_limit: Decimal | None = None
    delta_limit: Decimal | None = None
    definition: str = ""  # the privacy definition these totals are under
    entries: tuple[LedgerEntry, ...] = ()
    notes: tuple[str, ...] = field(default=(), metadata=LATER)  # the rule at the cap, and where no bound is left


@dataclass(frozen=True, slots=True, kw_only=True)
class ExceptionMade:
    """A rule that was set aside. Only `public_text` is published; an exception that was granted always has one."""

    text: str
    granted_by: str = ""
    when: str = ""
    public_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One vote or the final decision. A public report names the reviewer by `public_name`, never by `reviewer`."""

    reviewer: str
    decision: str
    when: str
    role: str = ""
    comment: str = ""
    public_name: str = ""
    public_comment: str = ""
    declared: tuple[str, ...] = field(default=(), metadata=LATER)  # what its maker declared with it
    confirmed: tuple[str, ...] = field(default=(), metadata=LATER)  # of that, what names findings: never public
    signed: str = field(default="", metadata=LATER)  # in words, where nobody's key stands for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What a reviewer said before the decision. Internal; shown once there is a decision, so that nobody is led."""

    reviewer: str
    vote: str
    when: str
    comment: str = ""
    stale: bool = False  # the plan changed, or values were drawn again, after this vote


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A reviewer's signature as it was checked: what was signed, with which key, and whether it holds.

    Internal unless it has a `public_name`: under that name the public report shows it.
    """

    reviewer: str
    signed: str  # what, in words: "Approval of 16 November 2026"
    fingerprint: str
    verdict: str = ""
    public_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedHash:
    """A SHA-256 that only the house may see: of the plan, an input, the journal."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalReport:
    """Everything a reviewer signs. `audience` says for whom this value is fit; see `audience.for_audience`."""

    identification: Identification
    state: ReleaseState
    release_type: ReleaseType
    data: DataSource
    rules: Rules
    outputs: tuple[Output, ...] = ()
    data_findings: tuple[Finding, ...] = ()
    risk_findings: tuple[Finding, ...] = ()
    utility_findings: tuple[Finding, ...] = ()
    assumptions: tuple[str, ...] = ()  # what the audit itself took for granted, beyond the claim's assumptions
    ledger: Ledger | None = None
    comparison: tuple[Parameter, ...] = ()  # current SDL: its settings are confidential themselves
    exceptions: tuple[ExceptionMade, ...] = ()
    decisions: tuple[Decision, ...] = ()
    votes: tuple[Vote, ...] = ()
    signatures: tuple[Signature, ...] = ()
    public_statement: str = ""
    hashes: tuple[NamedHash, ...] = ()
    compared: tuple[NamedHash, ...] = ()  # tables from outside that differencing looked at
    journal_entry: int | None = None  # the last action of the project that this report knows of
    comparison_tables: tuple[ParameterTable, ...] = field(default=(), metadata=LATER)
    gates: tuple[Finding, ...] = field(default=(), metadata=LATER)  # as they stand when the report is made
    references: tuple[str, ...] = field(default=(), metadata=LATER)
    audience: Audience = Audience.INTERNAL
    schema: str = SCHEMA


def parameters_of(params: object, audience: Audience, *, unused: Collection[str] = ()) -> tuple[Parameter, ...]:
    """The rows of the parameter table for a params value; a setting that is internal stays so for every audience."""
    return tuple(
        Parameter(
            label=line.label,
            value="not used by the mechanism" if line.field.name in unused else line.value,
            audience=Audience.INTERNAL if line.internal else audience,
        )
        for line in lines_of(params)
    )


def parameter_tables_of(params: object, audience: Audience) -> tuple[ParameterTable, ...]:
    """The tables of settings of a params value; a column that is internal stays so for every audience."""
    return tuple(
        ParameterTable(
            title=table.title,
            by=table.by,
            names=table.names,
            columns=tuple(
                ParameterColumn(
                    label=cells[0].label,
                    values=tuple(cell.value for cell in cells),
                    audience=Audience.INTERNAL if cells[0].internal else audience,
                )
                for cells in table.columns
            ),
            audience=Audience.INTERNAL if table.internal else audience,
        )
        for table in tables_of(params)
    )
