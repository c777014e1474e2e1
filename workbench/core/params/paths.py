"""The place of a setting inside a params value: `epsilon`, `geography.block`, `variables.age.epsilon`.

A name with a dot, a comma, an equals sign or a space stands in quotation marks: `variables."age group".epsilon`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Never

from workbench.core.errors import UserProblem
from workbench.core.params.table import Rows

_PLAIN = re.compile(r'[^\s.,="]+')
_PART = re.compile(r'"((?:[^"]|"")*)"|([^."]*)')


def joined(parts: Iterable[str]) -> str:
    """`variables.age.epsilon`."""
    return ".".join(part if _PLAIN.fullmatch(part) else '"' + part.replace('"', '""') + '"' for part in parts)


def split_path(text: str) -> tuple[str, ...]:
    """The names along a path. Text that is no path is a single name."""
    parts: list[str] = []
    at = 0
    while True:
        found = _PART.match(text, at)
        quoted, bare = found.groups() if found else (None, None)
        parts.append(quoted.replace('""', '"') if quoted is not None else (bare or "").strip())
        at = found.end() if found else at
        if at == len(text):
            return tuple(parts)
        if text[at] != ".":
            return (text,)
        at += 1


def at_path(params: Any, path: Sequence[str]) -> Any:
    """The value at a place. A row that is not there is a KeyError."""
    for name in path:
        params = params[name] if isinstance(params, Mapping) else getattr(params, name)
    return params


def with_path(params: Any, path: Sequence[str], value: Any) -> Any:
    """The same params with another value at that place."""
    if not path:
        return value
    name, *rest = path
    if isinstance(params, Rows):
        return params.having(name, with_path(params[name], rest, value))
    return replace(params, **{name: with_path(getattr(params, name), rest, value)})


def nested(settings: Mapping[str, object]) -> dict[str, object]:
    """{'variables': {'age': {'epsilon': '1'}}} from {'variables.age.epsilon': '1'}, as a plan would hold it."""
    made: dict[str, object] = {}
    for text, value in settings.items():
        *sections, name = split_path(text)
        here = made
        for section in sections:
            inner = here.setdefault(section, {})
            here = inner if isinstance(inner, dict) else _both_ways(section)
        if isinstance(here.get(name), dict):
            _both_ways(name)
        here[name] = value
    return made


def _both_ways(name: str) -> Never:
    raise UserProblem(f"“{name}” is given both as one setting and as a section of settings", name, "Keep one of them")
