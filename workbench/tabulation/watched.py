"""A digest of every answer that the door gives, by which two engines can be compared. As confidential as the rows."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.tabulation.answers import Records
from workbench.tabulation.contract import Rows, Units

_KEPT = "digest of what the door answered"
_NOT_COMPARED = ("contributions",)  # who is in which cell: only the engine in memory gives it, in no particular order
_ROWS_AGAIN = ("bounded", "settled", "sample", "between")
_NOT_ASKED = ("name", "columns", "unit")


class Digest:
    """SHA-256 over questions and answers in the order in which they were asked. Records enter sorted."""

    def __init__(self) -> None:
        self._hashed = hashlib.sha256()

    def take(self, question: str, answer: Any) -> None:
        self._say("question", question)
        self._take(_sorted(answer))

    def text(self) -> str:
        return self._hashed.hexdigest()

    def _say(self, kind: str, text: str) -> None:
        self._hashed.update(f"{kind}:{len(text)}:{text};".encode("utf-8", "surrogatepass"))

    def _take(self, value: Any) -> None:
        if isinstance(value, Confidential):
            self._take(value.reveal())
        elif isinstance(value, np.ndarray):
            self._say("array", str(value.shape))
            self._hashed.update(np.ascontiguousarray(value.astype("<i8")).tobytes())
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            for field in dataclasses.fields(value):
                if field.name not in _NOT_COMPARED:
                    self._say("field", field.name)
                    self._take(getattr(value, field.name))
        elif isinstance(value, Mapping):
            for key, each in value.items():
                self._say("key", str(key))
                self._take(each)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            self._say("list", str(len(value)))
            for each in value:
                self._take(each)
        else:
            self._say("value", str(value))


def _sorted(answer: Any) -> Any:
    """Records in an order of their own: engines give them in different ones."""
    held = answer.reveal() if isinstance(answer, Confidential) else answer
    if not isinstance(held, Records):
        return answer
    columns: list[Any] = [*held.positions.values(), *held.numbers.values()]
    order = np.lexsort(tuple(columns[::-1])) if columns else np.arange(0)
    return [[column[order] for column in columns], held.left_out]


class Watched:
    """A door, or units behind it, that enters whatever it answers into a digest."""

    def __init__(self, inside: Rows | Units, digest: Digest) -> None:
        self._inside, self._digest = inside, digest

    def __repr__(self) -> str:
        return repr(self._inside)

    gives_records = False  # so that every engine is asked the same: products take their aggregates where they can

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inside, name)
        if name in _NOT_ASKED:
            return found
        if not callable(found):
            self._digest.take(name, found)
            return found

        def ask(*arguments: Any, **named: Any) -> Any:
            answer = found(*arguments, **named)
            if name in _ROWS_AGAIN or name == "arranged":
                return Watched(answer, self._digest)
            self._digest.take(name, answer)
            return answer

        return ask


def watch(kept: dict[str, Any]) -> Digest:
    """From now on every answer about the data set that keeps this enters the digest."""
    digest = Digest()
    kept[_KEPT] = digest
    return digest


def watched(rows: Rows, kept: dict[str, Any]) -> Rows:
    """The same door, watched where somebody wants a digest."""
    digest: Digest | None = kept.get(_KEPT)
    return rows if digest is None else Watched(rows, digest)
