"""NAME=VALUE arguments."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.errors import Problem, UserProblem


def settings_from(words: Sequence[str]) -> dict[str, object]:
    """{'epsilon': '2'} from ['epsilon=2']. The values stay text: params read them exactly."""
    settings: dict[str, object] = {}
    problems: list[Problem] = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            problems.append(Problem(f"“{word}” is not of the form NAME=VALUE", "--set", "Write for example epsilon=2"))
        elif name.strip() in settings:
            problems.append(Problem(f"“{name.strip()}” is set more than once", "--set", "Set each name once"))
        settings[name.strip()] = value.strip()
    if problems:
        raise UserProblem.of(problems)
    return settings
