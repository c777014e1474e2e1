"""Opening a project for one command."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.cli.passphrases import given_passphrase, passphrase_of
from workbench.core.errors import UserProblem
from workbench.core.files import require_utf8_name
from workbench.review.workspace import Workspace

_LATER = "Try again once it can be written"


def person() -> str:
    """Who sits here, as the operating system knows them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unnamed"


@contextmanager
def opened(path: Path, who: str, *, create: bool = False, writable: bool = False) -> Iterator[Workspace]:
    """A project for the length of one command. A command that writes says at once why it cannot.

    A file that the command made is taken away again when the command fails before it stored anything. It is encrypted
    where the environment already says with what; otherwise `dwb encrypt` does it.
    """
    made_here = create and not path.exists()
    require_utf8_name(path.absolute())
    workspace = Workspace()
    secret = given_passphrase() if made_here else passphrase_of(path)
    view = workspace.open(path, create=made_here, person=who, passphrase=secret)
    for said in view.told:
        print(f"{path.name}: {said}.", file=sys.stderr)
    try:
        if writable and view.read_only:
            raise UserProblem(f"The project is read-only: {view.why_read_only}", str(path), _LATER)
        yield workspace
    except BaseException:
        if made_here and not workspace.project.releases():  # what was stored stays, even when stopped just after it
            workspace.close()
            view.path.unlink(missing_ok=True)
        raise
    finally:
        workspace.close()
