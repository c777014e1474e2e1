"""dwb clock P.dwb --reason TEXT"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json

HELP = "Record that the journal's last entry was made with a wrong clock, so that work can go on."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="which clock was wrong, and how you know")
    parser.add_argument("--by", metavar="NAME", help="who records it (default: the login name)")


def run(args: argparse.Namespace) -> int:
    who = args.by or person()
    with opened(args.project, who, writable=True) as workspace:
        workspace.project.note_clock(actor=who, reason=args.reason)
        last = workspace.project.journal()[-1]
    if args.json:
        print_json({"entry": last.seq, "at": last.at, "actor": last.actor})
    else:
        print(f"Recorded by {who} in journal entry {last.seq}. New actions are compared with this computer's clock.")
    return 0
