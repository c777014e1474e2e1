"""dwb exception P.dwb RELEASE --by NAME --reason TEXT"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.cli.signing import say_unsigned, sign_as

HELP = "Let a release exceed the caps on ε or δ. Only people the policy names may, and the reason is recorded."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument("--by", metavar="NAME", help="who grants it (default: the login name)")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why the release may exceed the cap")


def run(args: argparse.Namespace) -> int:
    who = args.by or person()
    with opened(args.project, who, writable=True) as workspace:
        signed = sign_as(workspace, who)
        granted = workspace.project.grant_exception(args.release, actor=who, reason=args.reason)
    if args.json:
        print_json(
            {
                "release_id": args.release,
                "granted_by": granted.granted_by,
                "overspend": granted.overspend,
                "up_to_epsilon": granted.epsilon,
                "up_to_delta": granted.delta,
                "granted_at": granted.granted_at,
                "signed": signed,
            }
        )
    else:
        print(f"{args.release} may be approved although: {granted.overspend} Granted by {who} for this draw.")
        say_unsigned(signed=signed)
    return 0
