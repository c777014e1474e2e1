"""dwb separate P.dwb DATA OTHER --reason TEXT"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.cli.signing import say_unsigned, sign_as

HELP = "Say that two data sets hold other people, so that each has a budget of its own. It is recorded and signed."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("data", metavar="DATA", help="file name or first characters of the content fingerprint")
    parser.add_argument("other", metavar="OTHER", help="the data set it shares a budget with")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why they hold other people")
    parser.add_argument("--by", metavar="NAME", help="who says so (default: the login name)")


def run(args: argparse.Namespace) -> int:
    from workbench.review.sharing import separate

    who = args.by or person()
    with opened(args.project, who, writable=True) as workspace:
        signed = sign_as(workspace, who)
        separate(workspace.project, args.data, args.other, actor=who, reason=args.reason)
    if args.json:
        print_json({"data": args.data, "other": args.other, "separated_by": who, "signed": signed})
    else:
        print(f"{args.data} and {args.other} have budgets of their own from now on, recorded by {who}.")
        say_unsigned(signed=signed)
    return 0
