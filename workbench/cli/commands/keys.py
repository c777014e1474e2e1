"""dwb keys make|list|enrol|vouch|rotate|require …"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened_project, person
from workbench.cli.output import print_json
from workbench.cli.passphrases import key_passphrase
from workbench.cli.signing import signer_for
from workbench.core.errors import Refused
from workbench.project.signing.keys import KeyStore, fingerprint
from workbench.project.signing.signing_trust import KnownKey, Standing

HELP = "Signing keys: make one, see whose are known in a project, vouch for another's, replace one's own."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(do=_list)
    actions = parser.add_subparsers(metavar="ACTION", dest="action")
    for name, do, words, wants in (
        ("make", _make, "make a key for a name; it is also made on first use", "as"),
        ("list", _list, "keys kept here and, with a project, keys known there", "project?"),
        ("enrol", _enrol, "put one's public key in a project", "project as"),
        ("vouch", _vouch, "answer for somebody's key, named by its fingerprint", "project fingerprint as"),
        ("rotate", _rotate, "make a new key and hand over to it with the old one", "project as"),
        ("require", _require, "take only signed votes and decisions from now on; cannot be taken back", "project as"),
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
    signer = KeyStore().make(name, key_passphrase(name, new=True))
    return _say(args, f"The key of {name} is {fingerprint(signer.public)}.", name=name, public=signer.public)


def _list(args: argparse.Namespace) -> int:
    kept = KeyStore().names()
    known: tuple[KnownKey, ...] = ()
    project = getattr(args, "project", None)
    if project is not None:
        with opened_project(project, person()) as there:
            known = there.known_keys()
    if args.json:
        here = [{"name": name, "fingerprint": fingerprint(public), "public": public} for name, public in kept]
        print_json({"kept": here, "known": [_facts(key) for key in known]})
        return 0
    for name, public in kept:
        print(f"kept here  {fingerprint(public)}  {name}")
    for key in known:
        print(f"{key.standing().value:<10} {fingerprint(key.public)}  {key.name}, since {key.enrolled_at[:10]}")
    if not kept and not known:
        print("No key yet. One is made when you first vote or decide, or with `dwb keys make`.")
    return 0


def _facts(key: KnownKey) -> dict[str, str]:
    return {
        "name": key.name,
        "fingerprint": fingerprint(key.public),
        "public": key.public,
        "standing": key.standing().value,
        "enrolled_at": key.enrolled_at,
    }


def _enrol(args: argparse.Namespace) -> int:
    name = args.name or person()
    store = KeyStore()
    public = store.public_of(name) if store.has(name) else signer_for(name, store=store).public
    with opened_project(args.project, name, writable=True) as project:
        key = project.enrol(name, public)
    return _told(args, key)


def _vouch(args: argparse.Namespace) -> int:
    name = args.name or person()
    signer = signer_for(name)
    with opened_project(args.project, name, writable=True) as project:
        key = project.endorse(args.fingerprint, signer)
    return _told(args, key)


def _rotate(args: argparse.Namespace) -> int:
    """The old key is set aside only once the project knows the new one."""
    name = args.name or person()
    store = KeyStore()
    old = signer_for(name, store=store)
    with opened_project(args.project, name, writable=True) as project:
        known = [key for key in project.known_keys() if key.public == old.public]
        if not known or known[0].standing() is not Standing.TRUSTED:
            raise Refused(f"{name}'s key is not known in this project", "key", "Sign something first, or enrol it")
        aside = store.set_aside(name)
        try:
            new = store.make(name, key_passphrase(name, new=True))
            with project.together():
                project.enrol(name, new.public)
                key = project.endorse(fingerprint(new.public), old)
        except BaseException:
            store.file_of(name).unlink(missing_ok=True)
            aside.rename(store.file_of(name))
            raise
    return _told(args, key)


def _require(args: argparse.Namespace) -> int:
    who = args.name or person()
    with opened_project(args.project, who, writable=True) as project:
        project.require_signatures(actor=who)
    return _say(args, "From now on every vote and decision in this project is signed.", required=True)


def _told(args: argparse.Namespace, key: KnownKey) -> int:
    facts = _facts(key)
    return _say(args, f"The key {facts['fingerprint']} of {key.name}: {facts['standing']}.", **facts)


def _say(args: argparse.Namespace, words: str, **facts: object) -> int:
    if args.json:
        print_json(facts)
    else:
        print(words)
    return 0
