"""A plan as lines of Python for a notebook: the same release, described with `import workbench as wb`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from workbench.core.params import to_plain
from workbench.microdata.options import ReadOptions
from workbench.review.plan.plan import Choice, Plan
from workbench.review.run.paths import resolved

_WIDTH = 100


def as_python(plan: Plan, base: Path) -> str:
    """Runs as it is where the files lie where they lie now. Settings that are the default are left out."""
    data = plan.data.with_paths(lambda name: str(resolved(base, name)))
    named: dict[str, Any] = {
        "title": plan.release.title,
        "roles": {name: str(role) for name, role in data.roles.items()},
    }
    more: dict[str, Any] = {
        "dictionary": data.dictionary,
        "companions": {name: path for name, path in data.companions.items() if path},
        "options": _changed(data.options, ReadOptions()),
        "linked": {name: path for name, path in data.linked.items() if path},
        "linked_options": {name: _changed(each, ReadOptions()) for name, each in data.linked_options.items()},
        "shaping": data.plain().get("shaping", {}),
    }
    named |= {name: value for name, value in more.items() if value}
    settings = _of_choice(plan.product)
    clash = settings.keys() & (named.keys() | _TAKEN)
    named |= {name: value for name, value in settings.items() if name not in clash}
    if clash:
        named["settings"] = {name: settings[name] for name in sorted(clash)}
    described = _call("wb.release", (data.path, plan.product.id), named)
    using = _call(".using", (plan.mechanism.id,), _of_choice(plan.mechanism))
    return (
        f"import workbench as wb\n\nwork = {described}\nwork = work{using}\n\n"
        "work.claim     # what a draw would promise\n"
        "work.findings  # what the data and the table show: internal\n"
        '# run = work.draw()  # every draw counts: draw once, then run.submit("project.dwb", preparer="…")\n'
    )


_TAKEN = {"title", "roles", "dictionary", "companions", "options", "linked", "linked_options", "shaping", "settings"}


def _of_choice(choice: Choice) -> dict[str, Any]:
    return _changed(choice.params, type(choice.params)())


def _changed(params: Any, default: Any) -> dict[str, Any]:
    """The settings that differ from the default, in the form that `parse` reads."""
    plain, usual = to_plain(params), to_plain(default)
    names = (field.name for field in fields(params))
    return {name: plain[name] for name in names if name in plain and plain[name] != usual.get(name)}


def _call(name: str, first: tuple[str, ...], settings: Mapping[str, Any]) -> str:
    parts = [*(repr(each) for each in first), *(f"{key}={_written(value)}" for key, value in settings.items())]
    line = f"{name}({', '.join(parts)})"
    if len(line) <= _WIDTH:
        return line
    inside = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{inside})"


def _written(value: Any) -> str:
    """Decimals as text, which `parse` reads exactly."""
    if isinstance(value, Decimal):
        return repr(str(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_written(each)}" for key, each in value.items()) + "}"
    return "[" + ", ".join(_written(each) for each in value) + "]" if isinstance(value, list | tuple) else repr(value)
