"""dwb policy P.dwb show | list | set FILE|NAME --actor NAME --reason TEXT"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path, one_of
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.cli.signing import say_unsigned, sign_as
from workbench.core.errors import UserProblem
from workbench.review.decide.policy_book import (
    PolicyPage,
    PolicySet,
    history,
    names_of_offered,
    offered,
    page_of,
    put_in_force,
    read_policy,
)

HELP = "Show the policy in force, list what was and what could be, or put another one in force."

_ACTIONS = ("show", "list", "set")
_OFFERED = " or ".join(names_of_offered())


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("action", choices=_ACTIONS, type=one_of(_ACTIONS), nargs="?", default="show")
    parser.add_argument("source", metavar="FILE|NAME", nargs="?", help=f"a TOML file, or {_OFFERED}")
    parser.add_argument("--actor", metavar="NAME", help="who sets it (default: the login name)")
    parser.add_argument("--reason", default="", metavar="TEXT", help="who decided it and why")


def run(args: argparse.Namespace) -> int:
    who = args.actor or person()
    if args.action == "set":
        if not args.source:
            raise UserProblem("Which policy is to be set?", "dwb policy", f"Name a file, or {_OFFERED}")
        page = read_policy(args.source)
        with opened(args.project, who, create=True, writable=True) as workspace:
            signed = sign_as(workspace, who)
            entry = put_in_force(workspace, page, actor=who, reason=args.reason)
        return _told(entry, signed=signed, as_json=args.json)
    with opened(args.project, who) as workspace:
        entries = history(workspace)
    if args.action == "list":
        return _listed(entries, as_json=args.json)
    return _shown(entries[-1].page if entries else None, as_json=args.json)


def _told(entry: PolicySet, *, signed: bool, as_json: bool) -> int:
    if as_json:
        print_json({**entry.facts(), "signed": signed})
    else:
        print(f"In force: {entry.page.title}, set by {entry.set_by}. Votes under another policy are out of date.")
        say_unsigned(signed=signed)
    return 0


def _listed(entries: tuple[PolicySet, ...], *, as_json: bool) -> int:
    if as_json:
        told = [{"name": each.name, "summary": each.summary} for each in offered()]
        print_json({"history": [entry.facts() for entry in entries], "built_in": told})
        return 0
    for entry in entries:
        print(f"{entry.set_at[:10]}  {entry.page.title}, set by {entry.set_by}: {entry.reason}")
    print("Come with the program:")
    for each in offered():
        print(f"  {each.name}: {each.summary}")
    return 0


def _shown(page: PolicyPage | None, *, as_json: bool) -> int:
    rules = page or page_of(None)
    if as_json:
        print_json({"set": page is not None, **rules.profile.plain()})
        return 0
    print(rules.title if page is not None else "No policy was set; the program's defaults apply.")
    for name, pairs in rules.sections.items():
        print(f"[{name}]")
        for label, value in pairs:
            print(f"  {label}: {value}")
    return 0
