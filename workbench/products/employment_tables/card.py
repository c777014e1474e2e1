"""What is said of employment tables before anything of them is loaded."""

from __future__ import annotations

from workbench.products.card import Card
from workbench.products.employment_tables.params import EmploymentTablesParams

CARD = Card(
    id="employment_tables",
    version=1,
    title="Employment tables",
    summary="Counts of jobs by workplace and worker attributes, from linked employer-employee records.",
    params=EmploymentTablesParams,
)
