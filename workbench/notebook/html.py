"""How findings, claims and runs show themselves in a notebook: plain HTML, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from workbench.core.claims import Claim
from workbench.core.figures import Figure
from workbench.core.findings import Finding, Status

_MARKS = {Status.PASS: "✓", Status.WARN: "!", Status.FAIL: "✗", Status.INFO: "i"}


class ShownFigures(tuple[Figure, ...]):
    """Figures that a notebook draws; otherwise a tuple like any other."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return "".join(figure_html(figure) for figure in self)


class ShownClaim:
    """A claim with its own look in a notebook; everything else is the claim's."""

    __slots__ = ("claim",)

    def __init__(self, claim: Claim) -> None:
        self.claim = claim

    def __getattr__(self, name: str) -> Any:
        return getattr(self.claim, name)

    def __eq__(self, other: object) -> bool:
        return self.claim == (other.claim if isinstance(other, ShownClaim) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.claim)

    def _repr_html_(self) -> str:
        return claim_html(self.claim)


def figure_html(figure: Figure) -> str:
    """The figure as the report draws it, with its title."""
    from workbench.review.publish.pictures import svg_of

    return f"<figure><figcaption>{escape(figure.title)}</figcaption>{svg_of(figure)}</figure>"


def claim_html(claim: Claim) -> str:
    facts = f"{escape(str(claim.definition))} · ε = {escape(str(claim.epsilon))}"
    facts += f" · δ = {escape(str(claim.delta))}" if claim.delta else ""
    return f"<p><b>{escape(claim.standing_words)}</b> {facts}</p><p>{escape(claim.sentence)}</p>"


def findings_html(findings: Iterable[Finding]) -> str:
    rows = "".join(
        f"<tr><td>{_MARKS[finding.status]}</td><td>{escape(finding.title)}</td>"
        f"<td style='text-align:left'>{escape(finding.sentence)}</td></tr>"
        for finding in findings
    )
    return (
        f"<table><thead><tr><th></th><th>Finding</th><th>What was found</th></tr></thead><tbody>{rows}</tbody></table>"
    )
