"""Area estimates on the command line: a twin of any size."""

from __future__ import annotations

from workbench.products.area_estimates.twin.twin import TWIN
from workbench.products.commands import Commands

COMMANDS = Commands(twin=TWIN)
