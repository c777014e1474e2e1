"""Runs that were stored before version 6: what they left unsaid is read off the specs they used, as it was then."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.same_table import table_digest
from workbench.project.records import SpecUse

# What the products of that time offered. A fossil: later runs say it themselves.
_OFFERED = {
    "employment_tables": ("exact-loss", "black-box", "integers", "requirements", "sdl-attacks"),
    "commuting_flows": ("posterior-ratio", "exact-loss", "black-box", "integers"),
}
_ATTRIBUTES = ("workplace", "worker")  # a column may change sides: the cells stay
_NO_OTHER_TABLE = ("value_name", "domain")  # a title, and how many empty cells are listed beside the same ones


def offered(specs: Sequence[SpecUse]) -> tuple[str, ...] | None:
    return next((_OFFERED.get(spec.id) for spec in specs if spec.kind == "product"), None)


def same_table(specs: Sequence[SpecUse]) -> str:
    """The digest that the product would give today; empty where the run names no product."""
    return next((_table(spec) for spec in specs if spec.kind == "product"), "")


def _table(spec: SpecUse) -> str:
    spans = {name: value for name, value in spec.params.items() if name in _ATTRIBUTES and isinstance(value, list)}
    columns = [str(column) for listed in spans.values() for column in listed]
    left = {name: spec.params[name] for name in spec.params if name not in (*spans, *_NO_OTHER_TABLE)}
    return table_digest(spec.id, columns=columns, settings=left)


def group_size(specs: Sequence[SpecUse]) -> int:
    """How many records of one person the mechanism was set to cover; one where it had no such setting."""
    settings = next((spec.params for spec in specs if spec.kind == "mechanism"), {})
    return int(settings.get("jobs_per_worker", 1))
