"""Whose key is whose in a project: the first key under a name is believed, a later one needs somebody's word.

A second key under a known name is a stranger's until another person's trusted key vouches for it, or the name's own
trusted key hands over to it (which retires the old one). Nothing outside the file is asked: whoever needs to know that
the first key was the right person's compares its fingerprint with them once, by telephone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.core.people import known_as
from workbench.core.plain import canonical
from workbench.project.signing.keys import fingerprint, fits

Fetch = Callable[[str, Sequence[Any]], list[dict[str, Any]]]
EntryOf = Callable[[str, int], int]
VOUCH, ROTATE = "vouch", "rotate"


class Standing(StrEnum):
    """What a key counts for."""

    TRUSTED = "trusted"
    STRANGER = "nobody answers for it"
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
    exchanged: list[str] = field(default_factory=list)

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


def key_book(fetch: Fetch, entry_of: EntryOf = lambda _table, _key: 0) -> KeyBook:
    """Read the keys and go through the endorsements in the order in which they were made."""
    book = KeyBook()
    for row in fetch("SELECT * FROM public_key ORDER BY id", ()):
        first = not book.of(row["name"])
        since = entry_of("public_key", row["id"]) if first else None
        book.keys[row["id"]] = KnownKey(**row, since=since)
    project = project_of(fetch)
    for row in fetch("SELECT * FROM endorsement ORDER BY id", ()):
        entry = entry_of("endorsement", row["id"])
        if not _accept(book, row, project=project, entry=entry):
            book.broken.append(f"an endorsement of a key (number {row['id']}) does not hold")
    return book


def project_of(fetch: Fetch) -> str:
    """The project's own number, the same in every copy of it."""
    rows = fetch("SELECT project FROM meta ORDER BY id LIMIT 1", ())
    return str(rows[0]["project"]) if rows else ""


def _accept(book: KeyBook, row: dict[str, Any], *, project: str, entry: int) -> bool:
    key, endorser = book.keys.get(row["public_key"]), book.keys.get(row["endorser"])
    if key is None or endorser is None or endorser.standing() is not Standing.TRUSTED:
        return False
    same_name = known_as(key.name) == known_as(endorser.name)
    if key.id == endorser.id or row["kind"] not in (VOUCH, ROTATE) or same_name != (row["kind"] == ROTATE):
        return False
    message = endorsement_bytes(
        project=project, kind=row["kind"], key=key, endorser=endorser.public, anchor=row["anchor"]
    )
    if not fits(endorser.public, row["signature"], message):
        return False
    if row["kind"] == VOUCH and (old := book.trusted(key.name)) is not None:
        book.exchanged.append(_exchange(old, key, word=endorser.name, entry=entry))
    _retire(book, (other for other in book.of(key.name) if other.id != key.id), entry)
    book.keys[key.id] = _with(key, since=entry, until=None)
    return True


def _exchange(old: KnownKey, new: KnownKey, *, word: str, entry: int) -> str:
    """No mistake as such: somebody lost a passphrase. It is also how one person could take another's name."""
    return (
        f"the key {fingerprint(old.public)} of {old.name} was replaced by {fingerprint(new.public)} on {word}'s word "
        f"(journal entry {entry}): ask {old.name} whether that is right"
    )


def _retire(book: KeyBook, keys: Iterable[KnownKey], entry: int) -> None:
    """One name, one key: whoever answers for a new one says that the earlier ones are no longer used."""
    for key in keys:
        if key.since is not None and key.until is None:
            book.keys[key.id] = _with(key, since=key.since, until=entry)


def _with(key: KnownKey, *, since: int | None, until: int | None) -> KnownKey:
    return KnownKey(
        id=key.id, name=key.name, public=key.public, enrolled_at=key.enrolled_at, since=since, until=until
    )  # fmt: skip
