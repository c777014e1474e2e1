"""A plan from what somebody says in Python: sections as mappings, files by their paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.core.params import parse
from workbench.microdata.options import ReadOptions
from workbench.microdata.shaping.params import Shaping
from workbench.review.plan.offers import new_plan
from workbench.review.plan.plan import RELEASE, Plan, with_roles

Files = Mapping[str, str | Path]


def described(
    product: str,
    *,
    title: str,
    roles: Mapping[str, str],
    path: str | Path = "",
    dictionary: str | Path = "",
    companions: Files | None = None,
    options: Mapping[str, Any] | None = None,
    linked: Files | None = None,
    linked_options: Mapping[str, Mapping[str, Any]] | None = None,
    shaping: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any],
) -> Plan:
    """The plan with these sections, every path absolute and every other setting at its default."""
    plan = with_roles(new_plan(product, title=title), roles)
    data = replace(
        plan.data,
        path=_whole(path),
        dictionary=_whole(dictionary),
        options=parse(ReadOptions, options or {}, "options"),
        companions=_absolute(companions),
        linked=_absolute(linked),
        linked_options={name: parse(ReadOptions, each, name) for name, each in (linked_options or {}).items()},
        shaping=parse(Shaping, shaping or {}, "shaping"),
    )
    chosen = parse(type(plan.product.params), settings, product)
    return replace(plan, product=replace(plan.product, params=chosen), data=data)


def _whole(path: str | Path) -> str:
    return str(path) if str(path).startswith(RELEASE) or not str(path) else str(Path(path).absolute())


def _absolute(files: Files | None) -> dict[str, str]:
    return {name: _whole(path) for name, path in (files or {}).items()}
