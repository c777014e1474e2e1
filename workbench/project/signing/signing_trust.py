"""Whose key is whose in a project: the first key under a name is believed, a later one needs somebody's word.

A second key under a known name is a stranger's until the name's own trusted key hands over to it, or two other people
vouch for it whose keys have signed something here or were vouched for themselves. Once a project takes nothing
unsigned, a first key needs such a word too. (Files before version 8 asked for one word, of any trusted key; what was
said then stands.) Nothing outside the file is asked: whoever needs to know that the first key was the right person's
compares its fingerprint with them once, by telephone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from workbench.core.people import known_as
from workbench.core.plain import canonical
from workbench.project.signing.keys import fingerprint, fits

Fetch = Callable[[str, Sequence[Any]], list[dict[str, Any]]]
EntryOf = Callable[[str, int], int]
VOUCH, ROTATE = "vouch", "rotate"
REQUIRE = "require signatures"
WORDS_NEEDED = 2  # to replace a key that is trusted
_RULES = 8  # the version of the file from which on a word counts only as said above
_NEVER = 2**62


class Standing(StrEnum):
    """What a key counts for."""

    TRUSTED = "trusted"
    STRANGER = "nobody vouches for it"
    RETIRED = "replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKey:
    """A public key as the project has it. `since` and `until` are journal entries; None is never."""

    id: int
    name: str
    public: str
    enrolled_at: str
    since: int | None = None
    until: int | None = None
    vouchers: int = 0  # people who vouched for it, where that is not enough yet

    def standing(self, entry: int | None = None) -> Standing:
        """As the project stands, or as it stood at a journal entry."""
        if self.since is None or (entry is not None and entry < self.since):
            return Standing.STRANGER
        retired = self.until is not None and (entry is None or entry > self.until)
        return Standing.RETIRED if retired else Standing.TRUSTED


@dataclass(slots=True)
class KeyBook:
    """Every key of a project, the endorsements that do not hold, and the keys that others exchanged, in words."""

    keys: dict[int, KnownKey] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    exchanged: dict[str, str] = field(default_factory=dict)  # fingerprint of the new key → how it came
    established: set[int] = field(default_factory=set)  # keys that may vouch
    words: dict[int, list[str]] = field(default_factory=dict)  # who vouched for a key, as they are known

    @property
    def anybody(self) -> bool:
        """True where somebody could vouch for others."""
        return any(key.standing() is Standing.TRUSTED for key in self.keys.values())

    def of(self, name: str) -> list[KnownKey]:
        return [key for key in self.keys.values() if known_as(key.name) == known_as(name)]

    def by_public(self, public: str) -> KnownKey | None:
        return next((key for key in self.keys.values() if key.public == public), None)

    def trusted(self, name: str, entry: int | None = None) -> KnownKey | None:
        """The key a name signs with, now or at a journal entry."""
        return next((key for key in self.of(name) if key.standing(entry) is Standing.TRUSTED), None)


def endorsement_bytes(*, project: str, kind: str, key: KnownKey, endorser: str, anchor: str) -> bytes:
    """What an endorser signs: whose key, for which name, in which project, on which history."""
    return canonical(
        {
            "format": "dwb-endorsement-1", "project": project, "kind": kind, "name": key.name, "key": key.public,
            "by": endorser, "anchor": anchor,
        }
    )  # fmt: skip


def key_book(fetch: Fetch, entry_of: EntryOf) -> KeyBook:
    """Read the keys, then go through signatures and endorsements in the order in which they were made."""
    book, rules, demand = KeyBook(), rules_from(fetch), required_from(fetch)
    for row in fetch("SELECT * FROM public_key ORDER BY id", ()):
        entry = entry_of("public_key", row["id"])
        believed = not book.of(row["name"]) and not (entry >= rules and entry > demand and book.anybody)
        book.keys[row["id"]] = KnownKey(**row, since=entry if believed else None)
    signed = _first_signatures(fetch, entry_of)
    project = project_of(fetch)
    for row in fetch("SELECT * FROM endorsement ORDER BY id", ()):
        entry = entry_of("endorsement", row["id"])
        book.established |= {key for key, at in signed.items() if at < entry}
        if not _accept(book, row, project=project, entry=entry, strict=entry >= rules):
            book.broken.append(f"an endorsement of a key (number {row['id']}) does not hold")
    book.established |= signed.keys()
    return book


def rules_from(fetch: Fetch) -> int:
    """The journal entry from which on the file is of the version that has these rules; 0 where it always was."""
    for row in fetch("SELECT seq, payload FROM journal WHERE action = 'migrate' ORDER BY seq", ()):
        if int(json.loads(row["payload"])["note"].get("to", 0)) >= _RULES:
            return int(row["seq"])
    version = fetch("PRAGMA user_version", ())
    return 0 if version and int(version[0]["user_version"]) >= _RULES else _NEVER


def required_from(fetch: Fetch) -> int:
    """The journal entry from which on a project takes nothing unsigned."""
    rows = fetch("SELECT min(seq) AS seq FROM journal WHERE action = ?", (REQUIRE,))
    return int(rows[0]["seq"]) if rows and rows[0]["seq"] is not None else _NEVER


def _first_signatures(fetch: Fetch, entry_of: EntryOf) -> dict[int, int]:
    """The entry at which each key first signed."""
    first: dict[int, int] = {}
    for row in fetch("SELECT id, public_key FROM signature ORDER BY id", ()):
        first.setdefault(row["public_key"], entry_of("signature", row["id"]))
    return first


def project_of(fetch: Fetch) -> str:
    """The project's own number, the same in every copy of it."""
    rows = fetch("SELECT project FROM meta ORDER BY id LIMIT 1", ())
    return str(rows[0]["project"]) if rows else ""


def _accept(book: KeyBook, row: dict[str, Any], *, project: str, entry: int, strict: bool) -> bool:
    key, endorser = book.keys.get(row["public_key"]), book.keys.get(row["endorser"])
    if key is None or endorser is None or endorser.standing() is not Standing.TRUSTED:
        return False
    same_name = known_as(key.name) == known_as(endorser.name)
    if key.id == endorser.id or row["kind"] not in (VOUCH, ROTATE) or same_name != (row["kind"] == ROTATE):
        return False
    if strict and row["kind"] == VOUCH and endorser.id not in book.established:
        return False
    message = endorsement_bytes(
        project=project, kind=row["kind"], key=key, endorser=endorser.public, anchor=row["anchor"]
    )
    if not fits(endorser.public, row["signature"], message):
        return False
    if row["kind"] == VOUCH and not _enough_words(book, key, endorser, entry=entry, strict=strict):
        return True  # heard, but somebody else has to say so too
    _retire(book, (other for other in book.of(key.name) if other.id != key.id), entry)
    book.keys[key.id] = replace(key, since=entry, until=None)
    book.established.add(key.id)
    return True


def _enough_words(book: KeyBook, key: KnownKey, endorser: KnownKey, *, entry: int, strict: bool) -> bool:
    """Whether a key that somebody vouches for counts now: at once, or with a second word where it replaces another."""
    said = book.words.setdefault(key.id, [])
    said.append(endorser.name)
    old = book.trusted(key.name)
    if old is None or old.id == key.id:
        return True
    people = len({known_as(name) for name in said})
    if strict and people < WORDS_NEEDED:
        book.keys[key.id] = replace(key, vouchers=people)
        return False
    book.exchanged[fingerprint(key.public)] = _exchange(old, key, words=said, entry=entry)
    return True


def _exchange(old: KnownKey, new: KnownKey, *, words: Sequence[str], entry: int) -> str:
    """No mistake as such: somebody lost a passphrase. It is also how one person could take another's name."""
    word = " and ".join(f"{name}'s" for name in dict.fromkeys(words))
    return (
        f"the key {fingerprint(old.public)} of {old.name} was replaced by {fingerprint(new.public)} on {word} word "
        f"(journal entry {entry}): ask {old.name} whether that is right"
    )


def _retire(book: KeyBook, keys: Iterable[KnownKey], entry: int) -> None:
    """One name, one key: whoever answers for a new one says that the earlier ones are no longer used."""
    for key in keys:
        if key.since is not None and key.until is None:
            book.keys[key.id] = replace(key, until=entry)
