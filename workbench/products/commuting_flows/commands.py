"""Commuting flows on the command line: what the method gives away, by numbers alone, and a twin of any size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.progress import Context
from workbench.products.commands import Commands, Studied, Study
from workbench.products.commuting_flows.questions import QUESTIONS
from workbench.products.commuting_flows.twin.twin import TWIN


def _flows(sections: Mapping[str, Any], where: str, context: Context) -> Studied:
    from workbench.products.commuting_flows.study.run import run_study

    return run_study(sections, where, context)


FLOWS = Study(
    id="flows",
    summary="The slides' findings on a twin of one of their states: steps, sentences, domain, and both methods.",
    run=_flows,
    settings={"like": "flows.like", "jobs": "flows.jobs"},
)

COMMANDS = Commands(twin=TWIN, questions=QUESTIONS, studies=(FLOWS,))
