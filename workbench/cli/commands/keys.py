"""dwb keys make|list|enrol|vouch|rotate|require …"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.cli.passphrases import key_passphrase
from workbench.cli.signing import keyring_of, sign_as
from workbench.review.decide.keyring import Keyring, KeyRow, known_keys

HELP = "Signing keys: make one, see whose are known in a project, vouch for another's, replace one's own."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(do=_list)
    actions = parser.add_subparsers(metavar="ACTION", dest="action")
    for name, do, words, wants in (
        ("make", _make, "make a key for a name; it is also made on first use", "as"),
        ("list", _list, "keys kept here and, with a project, keys known there", "project?"),
        ("enrol", _enrol, "put one's public key in a project", "project as"),
        ("vouch", _vouch, "vouch for another person's key, named by its fingerprint", "project fingerprint as"),
        ("rotate", _rotate, "make a new key and hand over to it with the old one", "project as"),
        ("require", _require, "accept only signed votes and decisions from now on; cannot be undone", "project as"),
    ):
        action = actions.add_parser(name, help=words, description=words[:1].upper() + words[1:] + ".")
        action.add_argument("--json", action="store_true", help="print JSON instead of words")
        action.set_defaults(do=do)
        if "project" in wants:
            action.add_argument("project", type=file_path, metavar="P.dwb", nargs="?" if "?" in wants else None)
        if "fingerprint" in wants:
            action.add_argument("fingerprint", metavar="FINGERPRINT")
        if "as" in wants:
            action.add_argument("--as", dest="name", metavar="NAME", default="", help="whose key (default: login name)")


def run(args: argparse.Namespace) -> int:
    code: int = args.do(args)
    return code


def _make(args: argparse.Namespace) -> int:
    name = args.name or person()
    made = Keyring().make(name, key_passphrase(name, new=True))
    return _say(args, f"The key of {name} is {made.fingerprint}.", name=name, public=made.public)


def _list(args: argparse.Namespace) -> int:
    kept = Keyring().kept()
    known: tuple[KeyRow, ...] = ()
    project = getattr(args, "project", None)
    if project is not None:
        with opened(project, person()) as workspace:
            known = known_keys(workspace)
    if args.json:
        here = [{"name": key.name, "fingerprint": key.fingerprint, "public": key.public} for key in kept]
        print_json({"kept": here, "known": [_facts(key) for key in known]})
        return 0
    for key in kept:
        print(f"{key.standing:<10} {key.fingerprint}  {key.name}")
    for key in known:
        print(f"{key.standing:<10} {key.fingerprint}  {key.name}, since {key.enrolled_at[:10]}")
    if not kept and not known:
        print("No key yet. One is made when you first vote or decide, or with `dwb keys make`.")
    return 0


def _facts(key: KeyRow) -> dict[str, str]:
    names = ("name", "fingerprint", "public", "standing", "enrolled_at")
    return {name: getattr(key, name) for name in names}


def _enrol(args: argparse.Namespace) -> int:
    name = args.name or person()
    keyring = Keyring()
    if not keyring.has(name):
        keyring = keyring_of(name)
    with opened(args.project, name, writable=True) as workspace:
        return _told(args, keyring.enrol(workspace, name))


def _vouch(args: argparse.Namespace) -> int:
    name = args.name or person()
    keyring = keyring_of(name)
    with opened(args.project, name, writable=True) as workspace:
        return _told(args, keyring.vouch(workspace, args.fingerprint, name))


def _rotate(args: argparse.Namespace) -> int:
    name = args.name or person()
    keyring = keyring_of(name)
    with opened(args.project, name, writable=True) as workspace:
        return _told(args, keyring.rotate(workspace, name, lambda: key_passphrase(name, new=True)))


def _require(args: argparse.Namespace) -> int:
    who = args.name or person()
    with opened(args.project, who, writable=True) as workspace:
        signed = sign_as(workspace, who)
        workspace.project.require_signatures(actor=who)
    said = "From now on votes, decisions, policies and budgets in this project are signed. New keys need a voucher."
    return _say(args, said, required=True, signed=signed)


def _told(args: argparse.Namespace, key: KeyRow) -> int:
    return _say(args, key.sentence, **_facts(key))


def _say(args: argparse.Namespace, words: str, **facts: object) -> int:
    if args.json:
        print_json(facts)
    else:
        print(words)
    return 0
