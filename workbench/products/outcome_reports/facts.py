"""What a reviewer is told before any noise: the cells, and what bounding took away. Never public."""

from __future__ import annotations

from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import counted, show
from workbench.core.value_words import ValueName, declare
from workbench.products.outcome_reports.outcomes import Bounding, Outcomes

declare(
    {
        "rows_kept": ValueName("Rows kept"),
        "rows_bounded_away": ValueName("Rows left out by bounding"),
        "cells_without_people": ValueName("Listed cells without anybody"),
    }
)


def described(prepared: Outcomes) -> tuple[Finding, ...]:
    layout, count = prepared.layout, prepared.count.reveal()
    shape = (
        f"{counted(layout.rows, 'cell')}: {counted(layout.institutions, 'institution')}, "
        f"{counted(layout.titles_each, 'title')}, {counted(layout.places, 'sector')}, {counted(layout.years, 'year')}."
    )
    empty = int((count == 0).sum())
    cells = Finding(
        id="outcome.cells",
        title="What is reported",
        status=Status.INFO,
        sentence=f"{shape} All listed cells are published; {show(empty)} of them are empty and get noise like others.",
        values={"cells": layout.rows, "cells_without_people": empty},
    )
    if prepared.bounding is None:
        return (cells,)
    return cells, _bounding(prepared.bounding.reveal())


def _bounding(bounding: Bounding) -> Finding:
    gone = bounding.unnamed + bounding.elsewhere + bounding.repeated + bounding.unlisted
    reasons = (
        ("no person", bounding.unnamed),
        ("another institution or title of the same person", bounding.elsewhere),
        ("a further row of the same year", bounding.repeated),
        ("not a listed cell, or left out by a rule about pay", bounding.unlisted),
    )
    pay = (("below zero, counted as none", bounding.negative), ("above the cap", bounding.above))
    return Finding(
        id="outcome.bounding",
        title="What bounding left out",
        status=Status.INFO,
        sentence=(
            f"{show(bounding.read - gone)} of {show(bounding.read)} rows are used. The bounds are enforced on every "
            "row: that data happen to keep them would prove nothing. These numbers are for reviewers only."
        ),
        values={"rows_kept": bounding.read - gone, "rows_bounded_away": gone},
        tables=(
            Table(title="Rows left out", columns=("reason", "rows"), rows=reasons),
            Table(title="Earnings beyond their bounds, in all rows read", columns=("earnings", "rows"), rows=pay),
        ),
    )
