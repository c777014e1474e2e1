"""Outcome reports on the command line: a twin of any size."""

from __future__ import annotations

from workbench.products.commands import Commands
from workbench.products.outcome_reports.twin.twin import TWIN

COMMANDS = Commands(twin=TWIN)
