"""Findings: what a check, a comparison or a gate has to say, as data. Window and report only show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum

from workbench.core.figures import Figure

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
class Finding:
    """One result: a status, a sentence with its numbers, machine-readable values, tables, figures.

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
    stage: str = ""  # where in the review it belongs; set by whoever ran the check


def at_stage(stage: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each knowing the stage it was found at."""
    return tuple(replace(finding, stage=stage) for finding in findings)


def worst(findings: tuple[Finding, ...]) -> Status:
    """The gravest status among the findings; info where there is none."""
    order = (Status.FAIL, Status.WARN, Status.PASS, Status.INFO)
    present = {finding.status for finding in findings}
    return next((status for status in order if status in present), Status.INFO)
