"""dwb merge INTO.dwb FROM.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import person
from workbench.cli.output import print_json
from workbench.cli.passphrases import OTHER, passphrase_of
from workbench.core.quantities import agreeing, counted

HELP = "Bring the votes of another copy of a project into this one. Anything else that parted the copies is refused."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("into", type=file_path, metavar="INTO.dwb")
    parser.add_argument("other", type=file_path, metavar="FROM.dwb")
    parser.add_argument("--by", metavar="NAME", help="who merges (default: the login name)")


def run(args: argparse.Namespace) -> int:
    from workbench.project.history.merge import merge

    done = merge(
        args.into,
        args.other,
        person=args.by or person(),
        passphrase=passphrase_of(args.into),
        other_passphrase=passphrase_of(args.other, variable=OTHER),
    )
    if args.json:
        print_json(done)
        return 0
    print(
        f"{counted(done.added, 'vote')} of {', '.join(done.reviewers)} added."
        if done.added
        else "Nothing new to merge."
    )
    if done.known:
        print(f"{done.known} {agreeing(done.known, 'was', 'were')} there already.")
    return 0
