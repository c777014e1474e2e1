"""Where an action is done: the account, the computer, the program. The journal keeps it beside the name given."""

from __future__ import annotations

import functools
import getpass
import platform

import workbench


@functools.cache
def machine() -> dict[str, str]:
    try:
        account = getpass.getuser()
    except (OSError, KeyError, ImportError):
        account = ""
    found = {"account": account, "computer": platform.node(), "program": workbench.__version__}
    return {name: text.encode("utf-8", "backslashreplace").decode("utf-8") for name, text in found.items()}
