"""Codes that are part of themselves by way of others."""

from __future__ import annotations

from collections.abc import Mapping


def circles(parents: Mapping[str, str]) -> list[list[str]]:
    """One for each circle, not for each code in it or below it; the first code stands at its end again."""
    done: set[str] = set()
    found = []
    for start in parents:
        path: list[str] = []
        code: str | None = start
        while code is not None and code not in done and code not in path:
            path.append(code)
            code = parents.get(code)
        if code is not None and code in path:
            found.append([*path[path.index(code) :], code])
        done.update(path)
    return found
