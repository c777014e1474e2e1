"""Employment tables on the command line: the findings of the paper as a study, and a twin of any size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.progress import Context
from workbench.products.commands import Commands, Studied, Study
from workbench.products.employment_tables.twin.twin import TWIN


def _paper_findings(sections: Mapping[str, Any], where: str, context: Context) -> Studied:
    from workbench.products.employment_tables.paper.page import page_of, pictures_of
    from workbench.products.employment_tables.paper.plan import findings_plan_from
    from workbench.products.employment_tables.paper.study import study_findings
    from workbench.products.employment_tables.paper.words import findings_of

    plan = findings_plan_from(sections, where)
    study = study_findings(plan, context)
    return Studied(
        findings=findings_of(study), page=page_of(study), pictures=pictures_of(study), facts={"jobs": plan.twin.jobs}
    )


PAPER_FINDINGS = Study(
    id="paper-findings",
    summary="The findings of Haney et al. (2017) on a synthetic twin, published calibrations beside tight ones.",
    run=_paper_findings,
    settings={"jobs": "twin.jobs", "trials": "grid.trials"},
    unnamed=True,
)

COMMANDS = Commands(twin=TWIN, studies=(PAPER_FINDINGS,))
