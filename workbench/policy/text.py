"""Policy files: TOML in, TOML out, and the profiles that come with the program. All problems are told at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.files import read_text, require_regular
from workbench.core.params import parse, unknown_key
from workbench.core.resources import resource
from workbench.policy.profile import SECTIONS, PolicyProfile

_LONGEST = 200_000  # characters; a policy is a page


def to_text(profile: PolicyProfile) -> str:
    """The profile as TOML with every setting written out, always the same for the same profile."""
    import tomli_w

    return tomli_w.dumps(profile.plain())


def from_text(text: str, where: str = "policy") -> PolicyProfile:
    """A profile from TOML. What is left out has its default."""
    if len(text) > _LONGEST:
        raise UserProblem("The file is far too long for a policy", where, "Name a policy file")
    try:
        raw = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise UserProblem(f"This is not a valid TOML file: {error}", where, "Correct that line") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets inside brackets without end
        raise UserProblem("The policy contains a number or a nesting that is too long", where) from None
    problems = [unknown_key(key, SECTIONS).at(where) for key in raw if key not in SECTIONS]
    if not isinstance(raw.get("policy"), Mapping) or not raw["policy"].get("name"):
        problems.append(Problem("The policy has no name", f"{where}, [policy]", 'Write name = "…"'))
    sections = {name: _section(raw, name, where, problems) for name in SECTIONS}
    raise_if(problems)
    return PolicyProfile(**sections)


def _section(raw: Mapping[str, Any], name: str, where: str, problems: list[Problem]) -> Any:
    cls, section = SECTIONS[name], raw.get(name, {})
    if not isinstance(section, Mapping):
        problems.append(Problem(f"“{name}” must be a section", where, f"Write [{name}] and its settings beneath"))
        return cls()
    try:
        return parse(cls, section, f"{where}, [{name}]")
    except UserProblem as wrong:
        problems.extend(wrong.problems)
        return cls()


def built_in() -> tuple[str, ...]:
    """The names of the profiles that come with the program."""
    return tuple(sorted(path.stem for path in resource("policies").glob("*.toml")))


def read_profile(source: str) -> PolicyProfile:
    """A profile by the name of one that comes with the program, or from a file."""
    if source in built_in():
        return from_text(read_text(resource("policies", f"{source}.toml"), "a policy file"), source)
    path = Path(source)
    require_regular(path, "a policy")
    if not path.exists() and path.suffix != ".toml":
        do = f"Give a file, or one of {', '.join(built_in())}"
        raise UserProblem(f"There is no policy called “{source[:60]}”", do=do)
    return from_text(read_text(path, "a policy file"), path.name)
