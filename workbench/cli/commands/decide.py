"""dwb decide P.dwb RELEASE --approve|--request-changes|--reject --reviewer NAME [--comment TEXT]"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.cli.signing import say_unsigned, sign_as
from workbench.core.states import Verdict

HELP = "Record a decision on a release. The preparer cannot decide on it; decisions are never edited."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--approve", dest="decision", action="store_const", const=Verdict.APPROVE)
    choice.add_argument("--request-changes", dest="decision", action="store_const", const=Verdict.CHANGES)
    choice.add_argument("--reject", dest="decision", action="store_const", const=Verdict.REJECT)
    parser.add_argument("--reviewer", metavar="NAME", help="who decides (default: the login name)")
    parser.add_argument("--comment", default="", help="for the record; stays internal")
    parser.add_argument("--public-comment", default="", help="appears in the public report")
    parser.add_argument(
        "--declare", action="store_true", help="declare what the guarantee stands on (`dwb review` lists it)"
    )


def run(args: argparse.Namespace) -> int:
    reviewer = args.reviewer or person()
    with opened(args.project, reviewer, writable=True) as workspace:
        signed = sign_as(workspace, reviewer)
        made = workspace.decide(
            args.release,
            decision=args.decision.value,
            reviewer=reviewer,
            comment=args.comment,
            public_comment=args.public_comment,
            declares=args.declare,
        )
        review = workspace.open_release(args.release)
    if args.json:
        print_json(
            {
                "release_id": args.release,
                "state": review.state,
                "decision": made.decision,
                "reviewer": made.reviewer,
                "decided_at": made.decided_at,
                "signed": signed,
            }
        )
    else:
        print(f"{args.release}: {review.state} by {reviewer}{', signed' if signed else ''}")
        say_unsigned(signed=signed)
    return 0
