"""Findings that were stored before they named their source: it is read off what the run says it used.

A check then gave its findings its own id, or its id with a part behind it ("black-box-3", "differencing.column-2").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.core.findings import DIFFERENCING, Finding, Spent
from workbench.project.records import SpecUse

_KINDS = {"audit": "check", "compare": "measure"}


def with_source(finding: Finding, specs: Iterable[SpecUse]) -> Finding:
    """The finding as it is where it names its source; otherwise with the one that the run names, where one fits."""
    if finding.source:
        return finding
    used = [spec.id for spec in specs if spec.kind == _KINDS.get(finding.stage, "check")]
    fitting = [name for name in (*used, DIFFERENCING) if _is_of(name, finding.id)]
    source = max(fitting, key=len, default="")
    return replace(finding, source=source, loss=finding.loss or _loss(finding))


def _is_of(name: str, finding: str) -> bool:
    return finding == name or finding.startswith((f"{name}-", f"{name}."))


def _loss(finding: Finding) -> Spent | None:
    epsilon, delta = finding.values.get("spent_epsilon"), finding.values.get("spent_delta")
    if not isinstance(epsilon, int | float):
        return None
    return Spent(
        epsilon=float(epsilon),
        delta=float(delta) if isinstance(delta, int | float) else 0.0,
        bound=bool(finding.values.get("bound")),
    )
