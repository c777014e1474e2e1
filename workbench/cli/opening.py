"""Opening a project for one command."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.review.workspace import Workspace


def person() -> str:
    """Who sits here, as the operating system knows them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unnamed"


@contextmanager
def opened(path: Path, who: str, *, create: bool = False, writable: bool = False) -> Iterator[Workspace]:
    """A project for the length of one command. A command that writes says at once why it cannot.

    A file that the command made is taken away again when the command fails before it stored anything.
    """
    workspace = Workspace()
    made_here = create and not path.exists()
    view = workspace.open(path, create=made_here, person=who)
    try:
        if writable and view.read_only:
            raise UserProblem(
                f"The project can only be read: {view.why_read_only}", str(path), "Try again once it can be written"
            )
        yield workspace
    except BaseException:
        if made_here and not workspace.project.releases():  # what was stored stays, even when stopped just after it
            workspace.close()
            view.path.unlink(missing_ok=True)
        raise
    finally:
        workspace.close()
