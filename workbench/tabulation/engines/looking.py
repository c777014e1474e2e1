"""A first look at files that stay where they are: columns, types and counts, by which roles are suggested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.core.progress import Context, Part
from workbench.microdata.suggest import Facts
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.contract import SqlEngine, the
from workbench.tabulation.engines.source import Holds, expressions


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The rows, and for each column what it holds and what can be known without looking at a value."""

    rows: int
    found: tuple[str, ...]
    holds: Mapping[str, Holds]
    facts: tuple[Facts, ...]


def look_on_server(path: str, params: EngineParams, context: Context) -> Seen:
    """Files on a cluster, by counts alone: no row is fetched."""
    from workbench.tabulation.engines.in_spark import SparkEngine

    engine = SparkEngine.connected(params, Part(context, 0.0, 0.2))
    try:
        files = engine.files(path, Part(context, 0.2, 0.3))
        holds = engine.one_layout(path, files, Part(context, 0.3, 0.5))
        found = f"{len(files.listed)} Parquet files on the cluster"
        return _looked(engine, holds, engine.source(path), found, Part(context, 0.5, 1.0))
    finally:
        engine.close()


def look_in_place(path: Path, params: EngineParams, context: Context) -> Seen:
    """Files of this machine that are too large to be loaded."""
    from workbench.tabulation.engines.in_duckdb import DuckDbEngine
    from workbench.tabulation.engines.source import described

    source = described(path)
    engine = DuckDbEngine(memory=params.bytes, rows=source.rows)
    try:
        return _looked(engine, source.holds, engine.source(source), f"{len(source.files)} Parquet files", context)
    finally:
        engine.close()


def _looked(engine: SqlEngine, holds: Mapping[str, Holds], source: str, found: str, context: Context) -> Seen:
    names = tuple(name for name, held in holds.items() if held is not Holds.OTHER)
    numbers = frozenset(name for name in names if holds[name] in (Holds.NUMBER, Holds.DECIMAL))
    columns = expressions(engine.dialect, holds, numbers, names, "")
    facts, rows = [], 0
    for number, name in enumerate(names):
        part = Part(context, number / len(names), (number + 1) / len(names))
        cells = f"(SELECT {columns[name]} AS v FROM {source}) AS s"
        query = f"SELECT count(*) AS n, count(v) AS k, count(DISTINCT v) AS d FROM {cells}"
        answer = engine.ask(query, part, f"Looking at “{name}”")
        rows = the(answer, "n")
        facts.append(
            Facts(
                name=name,
                rows=rows,
                distinct=the(answer, "d"),
                missing=rows - the(answer, "k"),
                fractions=name in numbers,
                numbers=holds[name] in (Holds.WHOLE, Holds.NUMBER, Holds.DECIMAL),
            )
        )
    return Seen(rows=rows, found=(found, f"read by {engine.title}"), holds=holds, facts=tuple(facts))
