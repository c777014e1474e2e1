"""What is said of outcome reports before anything of them is loaded."""

from __future__ import annotations

from workbench.products.card import Card
from workbench.products.outcome_reports.params import OutcomeReportsParams

CARD = Card(
    id="outcome_reports",
    version=1,
    title="Outcome reports",
    summary="Employment and earnings of people who left an institution, by title, sector and year.",
    params=OutcomeReportsParams,
)
