"""What is said of outcome reports before anything of them is loaded."""

from __future__ import annotations

from workbench.products.card import Card
from workbench.products.outcome_reports.params import OutcomeReportsParams

CARD = Card(
    id="outcome_reports",
    version=2,
    title="Outcome reports",
    summary="Employment and earnings of people who left an institution, by title, sector and year.",
    params=OutcomeReportsParams,
    references=(
        "Schmutte, I. M. (2020). Formal privacy in Census data. NBER Methods Lecture.",
        "Foote, A., Machanavajjhala, A., and McKinney, K. (2019). Releasing earnings distributions using "
        "differential privacy. Journal of Privacy and Confidentiality 9(2).",
        "Joseph, M., and Yu, A. (2023). Some constructions of private, efficient, and optimal K-norm and "
        "elliptic Gaussian noise. arXiv 2309.15790.",
    ),
)
