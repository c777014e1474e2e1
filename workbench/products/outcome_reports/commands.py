"""Outcome reports on the command line: a twin of any size, and published files read and mended."""

from __future__ import annotations

from workbench.products.commands import Commands
from workbench.products.outcome_reports.questions import QUESTIONS
from workbench.products.outcome_reports.twin.twin import TWIN

COMMANDS = Commands(twin=TWIN, questions=QUESTIONS)
