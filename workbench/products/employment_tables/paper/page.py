"""The documentation page of a findings study: what was run, every table, and the figures of the paper."""

from __future__ import annotations

from workbench.core.figures import Figure
from workbench.core.findings import Table
from workbench.core.quantities import show
from workbench.products.employment_tables.paper.pictures import shown_on_page
from workbench.products.employment_tables.paper.study import FindingsStudy
from workbench.products.employment_tables.paper.words import findings_of


def page_of(study: FindingsStudy) -> str:
    """The documentation page: what was run, and every table."""
    base, other = study.plan.baseline, study.plan.other_baseline
    lines = [
        "# Findings of Haney et al. (2017) on a twin",
        "",
        "Made by `dwb evaluate findings.toml --page docs/findings.md` with "
        "`sample_projects/employment_tables/findings.toml`; do not edit it by hand.",
        "",
        f"Data: a synthetic twin of {study.plan.twin.jobs:,} jobs at {study.establishments:,} establishments; "
        f"{study.cells[0]:,} cells of place × sector × ownership, {study.cells[1]:,} with sex × education "
        f"({study.worker_cells} worker cells). Current SDL: noise infusion with a {base.shape.value} density, "
        f"A = {base.least}, B = {base.most}; beside it A = {other.least}, B = {other.most}, the program's default. "
        f"δ = {study.plan.grid.delta} for Smooth Laplace.",
        "",
        "Exact: L1 errors and their ratios are closed forms with rounding, of the mechanisms over their noise and of "
        "current SDL over its factors. Sampled: rankings, shares of counts within reach and post-processed "
        f"values, means of {study.plan.grid.trials} trials or one draw of SDL's factors. Ratios are to SDL's "
        "expected L1 error.",
        "",
        "In Finding 3 Smooth Laplace as published gets the paper's noise 2d/ε whatever its δ; the tight column keeps "
        f"δ = {study.plan.grid.delta} for all {study.worker_cells} queries of a workplace together, and ε/d each: at "
        "settings where the paper's noise keeps no such δ, the tight noise is larger. The paper's Figure 6 divides ε "
        "by 10, the twin by its worker cells; both are shown.",
        "",
        "Where a statement does not hold, read the figure beside it: Smooth Gamma's factor depends on the baseline's A "
        "and B, which are confidential in the paper; and every ratio depends on how many cells are empty, since "
        "current SDL publishes zeros as they are and formally private noise cannot.",
        "",
    ]
    for finding in findings_of(study):
        lines += [f"## {finding.title}", "", finding.sentence, ""]
        for table in finding.tables:
            lines += [*_markdown(table), *(("", table.note) if table.note else ()), ""]
        for name, figure in shown_on_page(finding).items():
            lines += [f"![{figure.title}](figure:{name})", "", f"*{_caption(figure)}*", ""]
    return "\n".join(lines).rstrip() + "\n"


def pictures_of(study: FindingsStudy) -> dict[str, Figure]:
    """Every figure of the page by its file's name."""
    return {name: figure for finding in findings_of(study) for name, figure in shown_on_page(finding).items()}


def _caption(figure: Figure) -> str:
    return f"{figure.title}. {figure.subtitle[:1].upper()}{figure.subtitle[1:]}." if figure.subtitle else figure.title


def _markdown(table: Table) -> list[str]:
    head = [f"| {' | '.join(table.columns)} |", f"|{'---|' * len(table.columns)}"]
    return head + [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in table.rows]


def _cell(value: object) -> str:
    return show(value, 3) if isinstance(value, float) else str(value)
