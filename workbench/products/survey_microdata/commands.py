"""Survey microdata on the command line: a twin of any size."""

from __future__ import annotations

from workbench.products.commands import Commands
from workbench.products.survey_microdata.twin.twin import TWIN

COMMANDS = Commands(twin=TWIN)
