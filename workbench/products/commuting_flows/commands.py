"""Commuting flows on the command line: what the method gives away, by numbers alone, and a twin of any size."""

from __future__ import annotations

from workbench.products.commands import Commands
from workbench.products.commuting_flows.questions import QUESTIONS
from workbench.products.commuting_flows.twin.twin import TWIN

COMMANDS = Commands(twin=TWIN, questions=QUESTIONS)
