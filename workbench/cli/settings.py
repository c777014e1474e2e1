"""NAME=VALUE arguments, a setting inside a group or a table with dots: variables.age.epsilon=1."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.errors import Problem, raise_if
from workbench.core.params import nested


def settings_from(words: Sequence[str], option: str = "--set") -> dict[str, object]:
    """{'epsilon': '2'} from ['epsilon=2'], as a plan would hold it. The values stay text: params read them exactly."""
    settings: dict[str, object] = {}
    problems: list[Problem] = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            problems.append(Problem(f"“{word}” is not of the form NAME=VALUE", option, "Write for example epsilon=2"))
        elif name.strip() in settings:
            problems.append(Problem(f"“{name.strip()}” is set more than once", option, "Set each name once"))
        settings[name.strip()] = value.strip()
    raise_if(problems)
    return nested(settings)
