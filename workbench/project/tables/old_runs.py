"""Runs stored before version 6 or 7: what they left unsaid is read off the specs they used, as it was then."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.claims import Definition, ExactTable
from workbench.core.same_table import table_digest
from workbench.project.records import SpecUse

# What the products of that time offered. A fossil: later runs say it themselves.
_OFFERED = {
    "employment_tables": ("exact-loss", "black-box", "integers", "requirements", "sdl-attacks"),
    "commuting_flows": ("posterior-ratio", "exact-loss", "black-box", "integers"),
}
_ATTRIBUTES = ("workplace", "worker")  # a column may change sides: the cells stay
_FIRST_FLOWS = ("synthetic-residences", 1)
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


def exact(specs: Sequence[SpecUse]) -> tuple[ExactTable, ...]:
    """The true sizes that releases of the first synthetic residences published without their claim saying so."""
    first = any(spec.kind == "mechanism" and (spec.id, spec.version) == _FIRST_FLOWS for spec in specs)
    settings = next((spec.params for spec in specs if spec.kind == "product"), {})
    if not first or settings.get("sizes", "true") != "true":
        return ()
    divided = ("segment",) if settings.get("segments") else tuple(map(str, settings.get("characteristics", ())))
    keys = (str(settings.get("work", "w_geocode")), *divided)
    leaves = (Definition.RESIDENCE, Definition.PROBABILISTIC)
    value = str(settings.get("value_name", "jobs"))
    return (ExactTable(what="The true size of every population", keys=keys, value=value, leaves=leaves),)
