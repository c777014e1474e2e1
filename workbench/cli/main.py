"""dwb: finds the command, runs it, and turns what went wrong into a sentence and an exit code.

Exit 0 done, 1 a check failed or a decision is refused, 2 a problem the user can fix, 3 a defect of the program.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, Protocol

import workbench
from workbench.cli.interrupt import INTERRUPT
from workbench.cli.output import clear_progress, print_problems, readable_output
from workbench.core.errors import Cancelled, Problem, Refused, UserProblem


class Command(Protocol):
    """What every module of `workbench.cli.commands` offers."""

    HELP: str

    def arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, args: argparse.Namespace) -> int: ...


# Named here, imported only when asked for: `dwb list` must not wait for the window's libraries.
COMMANDS = (
    "list", "sample", "inspect", "init", "tabulate", "run", "plan", "calibrate", "evaluate", "audit", "solve",
    "explore", "releases", "review", "vote",
    "decide", "exception", "policy", "ledger", "budget", "separate", "register", "difference", "report", "export",
    "bundle", "verify", "verify-report", "witness", "merge", "keys", "clock",
    "encrypt", "decrypt",
)  # fmt: skip


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are problems like all others."""

    def error(self, message: str) -> NoReturn:
        raise UserProblem(message[:1].upper() + message[1:], self.prog, f"See `{self.prog} --help`")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _speak_utf8()
    with readable_output():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    if argv is None:  # the program itself, not a part of another
        from workbench.cli.passphrases import take_from_environment

        take_from_environment()
    words = list(sys.argv[1:] if argv is None else argv)
    INTERRUPT.begin()
    try:
        code = _dispatch(words)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BaseException as stopped:  # noqa: BLE001 - the last place: a person gets a sentence, never a traceback
        INTERRUPT.end()
        return _said_of(stopped)
    finally:
        INTERRUPT.end()


def _said_of(stopped: BaseException) -> int:
    """What ended a command, as sentences on stderr and an exit code."""
    if INTERRUPT.asked or isinstance(stopped, Cancelled | KeyboardInterrupt):
        # Whatever error it became on its way through a library, it was the person who wanted to stop.
        return _complain((Problem(f"Cancelled; {INTERRUPT.note}" if INTERRUPT.note else "Cancelled"),), 130)
    if isinstance(stopped, UserProblem):
        return _complain(stopped.problems, 1 if isinstance(stopped, Refused) else 2)
    if isinstance(stopped, BrokenPipeError):  # whoever read our output has seen enough
        _drop_output()
        return 0
    if isinstance(stopped, OSError) and stopped.filename is None and stopped.errno == errno.ENOSPC:
        _drop_output()
        note = f"; {INTERRUPT.note}" if INTERRUPT.note else ""
        return _complain((Problem(f"The output cannot be written, as the disk is full{note}", do="Make room"),), 2)
    if isinstance(stopped, MemoryError):
        do = "Close other programs, choose fewer columns or a smaller file, or use a computer with more memory"
        return _complain((Problem("This needs more memory than the program can get", do=do),), 2)
    if not isinstance(stopped, Exception):
        raise stopped
    from workbench.background.defects import details_of

    problem = Problem("The program made an error; you did nothing wrong", do="Send these lines to the developers")
    code = _complain((problem,), 3)
    print(details_of(stopped), file=sys.stderr)
    return code


def _drop_output() -> None:
    """Nothing may be flushed at exit either: it would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_window() -> int:
    """The entry point of the desktop icon."""
    return main(["window"])


def _dispatch(words: list[str]) -> int:
    if not words or (words[0] not in (*COMMANDS, "window") and not words[0].startswith("-")):
        if words and not words[0].endswith(".dwb"):
            _unknown_command(words[0])
        words = ["window", *words]
    parser = _Parser(prog="dwb", description="Review a statistical release before it leaves the agency.")
    parser.add_argument("--version", action="version", version=f"Disclosure Workbench {workbench.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    names = (*COMMANDS, "window")
    modules = {name: _module(name) for name in names if name in words[:1] or words[0].startswith("-")}
    for name, module in modules.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        command.add_argument("--json", action="store_true", help="print JSON instead of words")
        module.arguments(command)
    try:
        args = parser.parse_args(words)
    except SystemExit as finished:  # --help and --version have printed what was asked for
        return int(finished.code or 0)
    if args.command is None:
        parser.print_help()
        return 0
    return modules[args.command].run(args)


def _module(name: str) -> Command:
    module: Command = importlib.import_module(f"workbench.cli.commands.{name.replace('-', '_')}")
    return module


def _unknown_command(word: str) -> NoReturn:
    from workbench.core.nearest import did_you_mean

    do = did_you_mean(word, COMMANDS) or f"Known here: {', '.join(COMMANDS)}"
    raise UserProblem(f"“{word}” is neither a command nor a project file", "dwb", do)


def _complain(problems: tuple[Problem, ...], code: int) -> int:
    clear_progress()
    print_problems(problems)
    return code


def _speak_utf8() -> None:
    """Greek letters must survive a console whose code page has none."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
