"""dwb policy P.dwb show | list | set FILE|NAME --actor NAME --reason TEXT"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path, one_of
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.core.errors import UserProblem
from workbench.core.params import shown
from workbench.policy.profile import SECTIONS, PolicyProfile
from workbench.policy.text import built_in, read_profile
from workbench.project.records import PolicyRecord

HELP = "Show the policy in force, list what was and what could be, or put another one in force."

_ACTIONS = ("show", "list", "set")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("action", choices=_ACTIONS, type=one_of(_ACTIONS), nargs="?", default="show")
    parser.add_argument("source", metavar="FILE|NAME", nargs="?", help=f"a TOML file, or {' or '.join(built_in())}")
    parser.add_argument("--actor", metavar="NAME", help="who sets it (default: the login name)")
    parser.add_argument("--reason", default="", metavar="TEXT", help="who decided it and why")


def run(args: argparse.Namespace) -> int:
    who = args.actor or person()
    if args.action == "set":
        if not args.source:
            raise UserProblem("Which policy is to be set?", "dwb policy", f"Name a file, or {' or '.join(built_in())}")
        profile = read_profile(args.source)
        with opened(args.project, who, create=True, writable=True) as workspace:
            record = workspace.set_policy(profile, actor=who, reason=args.reason)
        return _told(record, as_json=args.json)
    with opened(args.project, who) as workspace:
        records = workspace.project.policies()
    if args.action == "list":
        return _listed(records, as_json=args.json)
    return _shown(records[-1].profile if records else None, as_json=args.json)


def _told(record: PolicyRecord, *, as_json: bool) -> int:
    if as_json:
        print_json(_record_json(record))
    else:
        print(f"In force: {record.profile.title}, set by {record.set_by}. Votes under another policy are out of date.")
    return 0


def _record_json(record: PolicyRecord) -> dict[str, object]:
    names = ("name", "version", "digest", "reason", "set_by", "set_at")
    return {name: getattr(record, name) for name in names}


def _listed(records: tuple[PolicyRecord, ...], *, as_json: bool) -> int:
    offered = [read_profile(name) for name in built_in()]
    if as_json:
        told = [{"name": each.policy.name, "summary": each.policy.summary} for each in offered]
        print_json({"history": [_record_json(record) for record in records], "built_in": told})
        return 0
    for record in records:
        print(f"{record.set_at[:10]}  {record.profile.title}, set by {record.set_by}: {record.reason}")
    print("Come with the program:")
    for each in offered:
        print(f"  {each.policy.name}: {each.policy.summary}")
    return 0


def _shown(profile: PolicyProfile | None, *, as_json: bool) -> int:
    rules = profile or PolicyProfile()
    if as_json:
        print_json({"set": profile is not None, **rules.plain()})
        return 0
    print(rules.title if profile is not None else "No policy was set; the program's defaults apply.")
    for name in SECTIONS:
        print(f"[{name}]")
        for label, value in shown(getattr(rules, name)):
            print(f"  {label}: {value}")
    return 0
