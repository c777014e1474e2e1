"""How commands print: words for a person, JSON for a script, progress on stderr where a person watches."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from workbench.cli.interrupt import INTERRUPT
from workbench.core.findings import Finding, Status
from workbench.core.plain import plain
from workbench.review.told import Told

SIGNS = {Status.PASS: "✓", Status.WARN: "!", Status.FAIL: "✗", Status.INFO: "i"}


def print_json(value: Any) -> None:
    print(json.dumps(plain(value), ensure_ascii=False, indent=2))


def print_told(told: Told, *, as_json: bool) -> int:
    """What came of a verb; the exit code says whether all is well."""
    if as_json:
        print_json(told.facts)
    else:
        print("\n".join((told.sentence, *told.lines)))
    return 0 if told.ok else 1


def print_findings(findings: Sequence[Finding]) -> None:
    for finding in findings:
        print(f"{SIGNS[finding.status]} {finding.title}: {finding.sentence}")


def finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "status": finding.status,
        "stage": finding.stage,
        "audience": finding.audience,
        "title": finding.title,
        "sentence": finding.sentence,
        "values": finding.values,
        "does_not_prove": finding.does_not_prove,
    }


class Terminal:
    """Shows progress on one line of a terminal; silent when nobody is there to see it."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def step(self, fraction: float, sentence: str) -> None:
        INTERRUPT.check()
        if self._shown:
            print(f"\r\x1b[K{fraction:4.0%} {sentence[:100]}", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
