"""How findings, claims and runs show themselves in a notebook: plain HTML, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from workbench.core.claims import Claim
from workbench.core.findings import Finding, Status

_MARKS = {Status.PASS: "✓", Status.WARN: "!", Status.FAIL: "✗", Status.INFO: "i"}


def claim_html(claim: Claim) -> str:
    state = "Proved" if claim.formal else "Not a formal guarantee"
    facts = f"{escape(str(claim.definition))} · ε = {escape(str(claim.epsilon))}"
    facts += f" · δ = {escape(str(claim.delta))}" if claim.delta else ""
    return f"<p><b>{state}.</b> {facts}</p><p>{escape(claim.sentence)}</p>"


def findings_html(findings: Iterable[Finding]) -> str:
    rows = "".join(
        f"<tr><td>{_MARKS[finding.status]}</td><td>{escape(finding.title)}</td>"
        f"<td style='text-align:left'>{escape(finding.sentence)}</td></tr>"
        for finding in findings
    )
    return (
        f"<table><thead><tr><th></th><th>Finding</th><th>What was found</th></tr></thead><tbody>{rows}</tbody></table>"
    )
