"""Findings: what a check, a comparison or a gate has to say, as data. Window and report only show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum

from workbench.core.figures import Figure
from workbench.core.plain import LATER

DIFFERENCING = "differencing"  # the source of what other tables add to a release; not a check that a plan names

Value = str | int | float | bool | Decimal | None


class Status(StrEnum):
    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    INFO = "info"


class Audience(StrEnum):
    """Who may read it. Public means: covered by the formal guarantee, or not derived from confidential data."""

    INTERNAL = "internal"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A small table inside a finding. Cells are values; window and report format them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The privacy loss that a check worked out: the supremum itself, or an upper bound by accounting."""

    epsilon: float
    delta: float = 0.0
    bound: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One result: a status, a sentence with its numbers, machine-readable values, tables, figures.

    `source` is the id of the check, measure, product or exploration that found it, and `stage` where in the review it
    belongs; both are set by whoever ran it (`found_by`). `loss` is there where the privacy loss was worked out.
    `does_not_prove` says what a reader must not conclude; it is never empty for a check that passes.
    Findings are internal unless somebody has made sure that nothing in them is confidential.
    """

    id: str
    title: str
    status: Status
    sentence: str
    values: dict[str, Value] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    does_not_prove: str = ""
    audience: Audience = Audience.INTERNAL
    stage: str = ""
    source: str = field(default="", metadata=LATER)
    loss: Spent | None = field(default=None, metadata=LATER)
    confirm: bool = field(default=False, metadata=LATER)  # whoever votes for or approves the release has read it
    own_page: bool = field(default=False, metadata=LATER)  # begins a page of its own in print


def found_by(source: str, findings: Iterable[Finding], *, stage: str) -> tuple[Finding, ...]:
    """The findings, each knowing who found it and at which stage."""
    return tuple(replace(finding, source=source, stage=stage) for finding in findings)


def worst(findings: tuple[Finding, ...]) -> Status:
    """The gravest status among the findings; info where there is none."""
    order = (Status.FAIL, Status.WARN, Status.PASS, Status.INFO)
    present = {finding.status for finding in findings}
    return next((status for status in order if status in present), Status.INFO)
