"""dwb vote P.dwb RELEASE --vote approve|changes|reject --reviewer NAME [--comment TEXT] [--public-comment TEXT]"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path, one_of
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.cli.signing import say_unsigned, sign_as
from workbench.core.quantities import agreeing

HELP = "Vote on a release as one of its reviewers. The latest vote of each counts; a vote is no decision yet."
CHOICES = ("approve", "changes", "reject")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument("--vote", required=True, choices=CHOICES, type=one_of(CHOICES), help="changes needs a comment")
    more_arguments(parser)


def more_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reviewer", metavar="NAME", help="who votes (default: the login name)")
    parser.add_argument("--comment", default="", help="for the record; stays internal")
    parser.add_argument("--declare", action="store_true", help="confirm the findings that `dwb review` lists")
    parser.add_argument("--public-comment", default="", help="may be published with the decision")


def run(args: argparse.Namespace) -> int:
    reviewer = args.reviewer or person()
    with opened(args.project, reviewer, writable=True) as workspace:
        signed = sign_as(workspace, reviewer)
        cast = workspace.project.vote(
            args.release, vote=args.vote, reviewer=reviewer, comment=args.comment, public_comment=args.public_comment,
            declares=args.declare,
        )  # fmt: skip
        voting = workspace.project.voting(args.release)
    if args.json:
        print_json(
            {
                "release_id": args.release,
                "vote": cast.vote,
                "reviewer": cast.reviewer,
                "voted_at": cast.voted_at,
                "voted": voting.voted,
                "needed": voting.needed,
                "blinded": voting.blinded,
                "signed": signed,
            }
        )
    else:
        how = f"{cast.vote}{', signed' if signed else ''}"
        have = agreeing(len(voting.voted), "has", "have")
        print(f"{args.release}: {reviewer} votes {how}; {len(voting.voted)} of {voting.needed} {have} voted.")
        say_unsigned(signed=signed)
    return 0
