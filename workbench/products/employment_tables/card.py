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
    references=(
        "Haney, S., Machanavajjhala, A., Abowd, J. M., Graham, M., Kutzbach, M., and Vilhuber, L. (2017). "
        "Utility cost of formal privacy for releasing national employer-employee statistics. SIGMOD 2017, "
        "1339–1354.",
        "Abowd, J. M., Stephens, B. E., and Vilhuber, L. (2006). Confidentiality protection in the Census "
        "Bureau's Quarterly Workforce Indicators. LEHD technical paper 2006-02.",
    ),
)
