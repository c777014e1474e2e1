"""dwb report P.dwb RELEASE --audience internal|public --format html|pdf|json -o FILE"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.kinds import file_or_output, file_path, one_of
from workbench.cli.opening import opened, person
from workbench.cli.output import Terminal, print_bytes, print_json, refuse_json_with_content
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience

FORMATS = ("html", "pdf", "json")
HELP = "Write the approval report. The public one can be exported only after approval."

_AUDIENCES = tuple(audience.value for audience in Audience)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument("--audience", choices=_AUDIENCES, type=one_of(_AUDIENCES), default="internal")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        type=one_of(FORMATS),
        help="where it is left out, the file's name says it",
    )
    parser.add_argument(
        "-o", "--output", type=file_or_output, required=True, metavar="FILE", help="- for standard output"
    )


def run(args: argparse.Namespace) -> int:
    if args.output is None:
        return _print(args)
    terminal = Terminal()
    kind = args.format or _format_of(args.output)
    with opened(args.project, person()) as workspace:
        paths = {(Audience(args.audience), kind): args.output}
        workspace.export(args.release, paths, actor=person(), context=terminal)
    terminal.done()
    if args.json:
        facts = {"release_id": args.release, "audience": args.audience, "format": kind}
        print_json({**facts, "file": args.output.as_posix()})
    else:
        print(args.output)
    return 0


def _print(args: argparse.Namespace) -> int:
    from workbench.review.publish.export import exported_report

    refuse_json_with_content(args.json)
    terminal = Terminal()
    wanted = (Audience(args.audience), args.format or FORMATS[0])
    with opened(args.project, person()) as workspace:
        content = exported_report(workspace, args.release, *wanted, actor=person(), context=terminal)
    terminal.done()
    print_bytes(content)
    return 0


def _format_of(path: Path) -> str:
    """A report in a file of another kind could not be opened by whoever gets it."""
    ending = path.suffix.lower().removeprefix(".")
    if ending in ("", "htm"):
        return "html"
    if ending not in FORMATS:
        raise UserProblem(f"Reports are not written as .{ending}", "-o", f"Known: {', '.join(FORMATS)}")
    return ending
