"""Heads of a project's journal that are kept elsewhere: signed lines of a log, or the entry that a report cites.

Nothing inside a file shows that its tail was cut off or that it was rewritten with all its keys. A second person, who
need not be a reviewer, writes down the last entry with its hash from time to time, signed, in a file that lies
elsewhere (a share, a stick). Each line carries the hash of the line before, so that one that was taken out is missed.
`against` then asks whether the project still holds every entry that was seen.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workbench.core.errors import Refused, UserProblem
from workbench.core.files import read_text, refuse_unwritable, write_text
from workbench.core.passphrase import Passphrase
from workbench.core.plain import canonical
from workbench.core.quantities import counted
from workbench.project.history.journal import utc_now
from workbench.project.history.verify import verify as walk
from workbench.project.signing.keys import Signer, fingerprint, fits
from workbench.project.store import Project, open_project
from workbench.review.told import Told

_WHAT = "a log of heads or a report in JSON"
_NAMES = ("project", "entry", "hash", "at", "name", "key", "before", "signature")
_CITED = "journal, entry "


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One line of a log. `before` is the hash of the line above, empty in the first."""

    project: str
    entry: int
    hash: str
    at: str
    name: str
    key: str
    before: str
    signature: str

    @property
    def message(self) -> bytes:
        """What is signed: everything but the signature."""
        return canonical([getattr(self, name) for name in _NAMES[:-1]])

    @property
    def line(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def witness(path: Path, log: Path, signer: Signer, *, passphrase: Passphrase | None) -> Told:
    """Check the whole project, compare it with what was written down before, and add its head to the log."""
    found = walk(path, passphrase=passphrase)
    if not found.ok:
        raise Refused(f"{path.name} is not as it was written", str(path), "`dwb verify` says what was changed")
    kept = _heads(read_text(log, _WHAT), log) if log.exists() else []
    refuse_unwritable(log)
    with open_project(path, read_only=True, passphrase=passphrase) as project:
        wrong = _broken_lines(kept) + _not_held(project, kept)
        if wrong:
            raise Refused(f"{path.name} and {log.name} do not agree: {wrong[0]}", str(log), "Ask who changed either")
        last = project.journal()[-1]
        unsigned = Head(
            project=project.number, entry=last.seq, hash=last.hash, at=utc_now(), name=signer.name, key=signer.public,
            before=_hash_of(kept[-1].line) if kept else "", signature="",
        )  # fmt: skip
    made = Head(**{**asdict(unsigned), "signature": signer.sign(unsigned.message)})
    write_text(log, "".join(f"{head.line}\n" for head in (*kept, made)))
    return Told(
        sentence=f"Entry {made.entry} of {path.name} is written down in {log.name} by {made.name}.",
        lines=(f"Signed with the key {fingerprint(made.key)}. Keep the file where nobody can change the project.",),
        facts=asdict(made),
    )


def against(project: Project, file: Path, *, younger: int | None = None) -> tuple[list[str], list[str]]:
    """What is wrong with the project by what is written down in this file, and what was compared, in words."""
    text = read_text(file, _WHAT)
    cited = _cited(text)
    if cited is not None:
        if younger is not None:
            raise UserProblem(
                "A report is not signed by a witness", str(file), "Name a log of heads, or leave out days"
            )
        return _not_held_cited(project, cited, file)
    heads = _heads(text, file)
    own = [head for head in heads if head.project == project.number]
    if not own:
        return [f"{file.name} has no line about this project"], []
    wrong = _broken_lines(heads) + _not_held(project, own)
    if younger is not None:
        wrong += _too_old(own, younger)
    people = dict.fromkeys(f"{head.name}, key {fingerprint(head.key)}" for head in own)
    newest = own[-1]
    said = (
        f"Compared with {counted(len(own), 'head')} in {file.name}, the newest entry {newest.entry} of "
        f"{newest.at[:10]}, signed by {'; '.join(people)}. Check these fingerprints with their owners."
    )
    return wrong, [said]


def _heads(text: str, file: Path) -> list[Head]:
    try:
        told: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines() if line.strip()]
        if not told or any(set(each) != set(_NAMES) for each in told):
            raise ValueError
        strings = [name for name in _NAMES if name != "entry"]
        if any(type(each["entry"]) is not int or any(type(each[name]) is not str for name in strings) for each in told):
            raise ValueError
    except (ValueError, TypeError, RecursionError):
        raise UserProblem(f"This is not {_WHAT}", str(file), "`dwb witness` writes one") from None
    return [Head(**each) for each in told]


def _broken_lines(heads: Iterable[Head]) -> list[str]:
    """Lines that were changed, or from which one was taken out."""
    wrong, before = [], ""
    for number, head in enumerate(heads, start=1):
        if not fits(head.key, head.signature, head.message):
            wrong.append(f"line {number} of the log is not as it was signed")
        elif head.before != before:
            wrong.append(f"a line before line {number} of the log was taken out or changed")
        before = _hash_of(head.line)
    return wrong


def _not_held(project: Project, heads: Iterable[Head]) -> list[str]:
    return [
        f"{head.name} saw entry {head.entry} with hash {head.hash[:12]}… on {head.at[:10]}, and the project does not "
        "hold it: its history was rewritten or cut off"
        for head in heads
        if head.project == project.number and not project.leads_on_from(head.entry, head.hash)
    ]


def _too_old(heads: list[Head], days: int) -> list[str]:
    newest = max(head.at for head in heads)
    try:
        at = datetime.datetime.strptime(newest, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.UTC)
    except ValueError:
        return ["the newest line of the log has no time"]
    age = datetime.datetime.now(datetime.UTC) - at
    if age <= datetime.timedelta(days=days):
        return []
    return [f"the newest line of the log is {age.days} days old, and it may be at most {days}"]


def _cited(text: str) -> tuple[int, str] | None:
    """The entry and hash that a report cites; None where this is no report."""
    try:
        told = json.loads(text)
        hashes = told["hashes"] if isinstance(told, dict) else None
        if hashes is None:
            return None
        name, digest = next(
            (str(each["name"]), str(each["sha256"])) for each in hashes if str(each["name"]).startswith(_CITED)
        )
        return int(name.removeprefix(_CITED)), digest
    except (ValueError, KeyError, TypeError, StopIteration, RecursionError):
        return None


def _not_held_cited(project: Project, cited: tuple[int, str], file: Path) -> tuple[list[str], list[str]]:
    entry, digest = cited
    if project.leads_on_from(entry, digest):
        return [], [f"Compared with entry {entry}, which {file.name} cites."]
    return [
        f"{file.name} cites entry {entry} with hash {digest[:12]}…, and the project does not hold it: the report is of "
        "another project, or the history was rewritten or cut off"
    ], []


def _hash_of(line: str) -> str:
    return hashlib.sha256(line.encode("utf-8")).hexdigest()
