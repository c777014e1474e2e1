"""Parquet files on a cluster, as the server sees them. Nothing but names, types and counts comes to this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.microdata import content
from workbench.microdata.roles import Roles
from workbench.microdata.shaping.params import Shaping
from workbench.microdata.table import Fingerprint, Microdata
from workbench.tabulation.engines.beside import on_server
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.contract import integers, the
from workbench.tabulation.engines.in_spark import SparkEngine
from workbench.tabulation.engines.opening import Asking, Layout, open_elsewhere
from workbench.tabulation.engines.relation import Relation

if TYPE_CHECKING:
    from workbench.microdata.dictionary import DataDictionary

_LIMB = 22  # bits: a sum of so many leaves room for 2^41 rows


def open_spark(
    path: str,
    roles: Roles,
    dictionary: DataDictionary | None,
    context: Context,
    *,
    params: EngineParams,
    shaping: Shaping | None = None,
    linked: Mapping[str, str] | None = None,
    missing: tuple[str, ...] = (),
) -> Microdata:
    """Every footer is compared on the cluster before anything is counted. `linked` are paths of the server too."""
    if not path:
        raise UserProblem("The plan names no data", "[data] path", "Name the folder as the Spark server sees it")
    engine = SparkEngine.connected(params, Part(context, 0.0, 0.1))
    files = engine.files(path, Part(context, 0.1, 0.15))
    holds = engine.one_layout(path, files, Part(context, 0.15, 0.25))
    source = engine.source(path)
    counted = engine.ask(f"SELECT count(*) AS n FROM {source}", Part(context, 0.25, 0.3), "counting rows")
    layout = Layout(path=PurePosixPath(path), holds=holds, rows=the(counted, "n"), source=source)

    def prints(relation: Relation, kinds: Mapping[str, str], rows: int, within: Context) -> Fingerprint:
        return Fingerprint(file=files.manifest(), content=content_of(engine, relation, kinds, rows, within))

    asked = shaping or Shaping()
    paths = {name: (linked or {})[name] for name in asked.links}
    beside = on_server(engine, paths, asked, roles, Part(context, 0.3, 0.35))
    asking = Asking(shaping=asked, beside=beside, missing=missing)
    return open_elsewhere(engine, layout, roles, dictionary, prints, Part(context, 0.35, 1.0), asking)


def content_of(engine: SparkEngine, relation: Relation, kinds: Mapping[str, str], rows: int, context: Context) -> str:
    """The content fingerprint, version 2, with the hash that Spark has built in; sums in limbs that cannot overflow."""
    told = []
    for lane in range(content.LANES):
        cells = []
        for name in kinds:
            short = relation.short[name]
            value = f"CASE WHEN isnan({short}) THEN NULL ELSE {short} END" if name in relation.numbers else short
            cells.append(f"xxhash64({engine.dialect.text(f'{lane}:{name}')}, {value})")
        mixed = f"xxhash64({' ^ '.join(cells)})"
        for limb in range(3):
            told.append(
                f"sum(shiftrightunsigned({mixed}, {limb * _LIMB}) & {(1 << _LIMB) - 1}) AS s{lane}_{limb}"
            )  # fmt: skip
    query = f"SELECT {', '.join(told)} FROM {relation.rows()} AS r"
    found = engine.ask(query, context, "Taking the content's fingerprint")
    sums = tuple(
        sum(int(integers(found, f"s{lane}_{limb}")[0]) << (limb * _LIMB) for limb in range(3))
        for lane in range(content.LANES)
    )
    return content.fingerprint_of(kinds, rows, sums)
