"""dwb plan P.dwb RELEASE [-o FILE]"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.core.files import write_text

HELP = "Show the plan of a release as `dwb run` takes it, or write it into a file."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument("-o", "--output", type=file_path, default=None, metavar="FILE", help="none or -: print it")


def run(args: argparse.Namespace) -> int:
    shown = args.output is None or str(args.output) == "-"
    with opened(args.project, person()) as workspace:
        text = workspace.plan_text(args.release, None if shown else args.output)
    if args.json:
        print_json({"release_id": args.release, "plan": text})
    elif shown:
        print(text, end="")
    else:
        write_text(args.output, text)
        print(args.output)
    return 0
