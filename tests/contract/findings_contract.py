"""What every finding must have, whoever makes it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from workbench.core.figures import Figure, Kind
from workbench.core.findings import Finding, Status
from workbench.core.plain import canonical, plain
from workbench.core.restore import restore
from workbench.core.value_words import left_out, words_of


def tells(text: str, secret: str) -> bool:
    """Whether a text holds a secret; a count as a number of its own, not as digits inside a number that was drawn."""
    if not secret[0].isdigit():
        return secret in text
    return re.search(rf"(?<![\d.]){re.escape(secret)}(?!\d)", text) is not None


def judge_findings(findings: tuple[Finding, ...], secrets: Iterable[str] = ()) -> None:
    """All the rules at once; `secrets` are texts no finding may hold."""
    assert findings
    ids = [finding.id for finding in findings]
    assert len(set(ids)) == len(ids), "two findings share an id"
    for finding in findings:
        assert finding.title.strip()
        assert finding.sentence.strip().endswith(".")
        if finding.status is Status.PASS:
            assert finding.does_not_prove.strip(), f"{finding.id} passes without saying what it does not prove"
        for key in finding.values:
            assert re.fullmatch(r"[a-z][a-z0-9_]*", key), f"scripts cannot rely on the key {key}"
            assert words_of(key) or left_out(key), f"{key} has no words: declare some beside it (core/value_words.py)"
        _judge_tables(finding)
        for figure in finding.figures:
            judge_figure(figure)
        written = canonical(finding).decode("utf-8")
        assert restore(Finding, plain(finding)).title == finding.title
        for secret in secrets:
            assert not tells(written, secret), f"{finding.id} holds a confidential value"


def _judge_tables(finding: Finding) -> None:
    for table in finding.tables:
        assert table.title.strip()
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)


def judge_figure(figure: Figure) -> None:
    assert figure.title.strip()
    assert figure.x.label.strip()
    assert figure.y.label.strip()
    assert figure.series or figure.grid
    for series in figure.series:
        _judge_series(figure, series)
    for mark in figure.marks:
        assert mark.name.strip()
    assert figure.colour is None or figure.colour.label.strip()


def _judge_series(figure: Figure, series: Any) -> None:
    assert series.name.strip()
    assert series.y
    extra = 1 if figure.kind is Kind.DISTRIBUTION and not figure.cumulative else 0
    assert len(series.x) == len(series.y) + extra
    assert all(math.isfinite(value) for value in (*series.x, *series.y)), "a figure cannot show what is not a number"
    if figure.kind is Kind.INTERVAL:
        assert len(series.low) == len(series.high) == len(series.y)
    if figure.x.log:
        assert min(series.x) > 0
    if figure.y.log:
        assert min(series.y) > 0
    if figure.x.categories:
        assert max(series.x) < len(figure.x.categories)
