"""A data set whose rows stay where they are, as everybody else sees it: names, counts, public words, a fingerprint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from workbench.core.errors import raise_if
from workbench.core.progress import Context, Part
from workbench.microdata.dictionary import DataDictionary
from workbench.microdata.elsewhere import WithheldRows, WithheldTexts
from workbench.microdata.files import Kind, no_rows
from workbench.microdata.load import Besides, all_missing, besides_of, numeric_columns, wanted_columns
from workbench.microdata.readers import Opened
from workbench.microdata.roles import Roles
from workbench.microdata.shaping.params import Shaping
from workbench.microdata.table import CodedColumn, Column, Fingerprint, Microdata, NumericColumn, Texts
from workbench.tabulation.engines.asked import Asked
from workbench.tabulation.engines.contract import SqlEngine
from workbench.tabulation.engines.met import counted_values, met_values, missing_numbers
from workbench.tabulation.engines.relation import Counted, Relation
from workbench.tabulation.engines.rows import SqlRows
from workbench.tabulation.engines.shaping import Beside, Shaped, shaped
from workbench.tabulation.engines.source import Holds, expressions

if TYPE_CHECKING:
    from workbench.tabulation.engines.in_duckdb import DuckDbEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What is known of the files before any row: where they are, their columns, their rows, and the table's SQL."""

    path: PurePath
    holds: Mapping[str, Holds]
    rows: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is made of the rows on the way, and the files that are linked with them where the engine reads them."""

    shaping: Shaping = field(default_factory=Shaping)
    beside: Mapping[str, Beside] = field(default_factory=dict)
    missing: tuple[str, ...] = ()  # texts that count as missing

    def besides(self) -> Besides:
        brought = {name: (*each.relation.short, *each.unread) for name, each in self.beside.items()}
        return besides_of(self.shaping, brought)


def open_elsewhere(
    engine: SqlEngine,
    layout: Layout,
    roles: Roles,
    dictionary: DataDictionary | None,
    prints: Any,
    context: Context,
    asking: Asking,
) -> Microdata:
    """`prints` takes the relation, its kinds, its rows and a context, and gives the fingerprint."""
    file = Opened(
        kind=Kind.PARQUET, columns=tuple(layout.holds), found=(), batches=_no_batches,
    )  # fmt: skip
    besides = asking.besides()
    names = wanted_columns(layout.path, file, roles, besides)
    words = dictionary or DataDictionary()
    raise_if(words.problems((*layout.holds, *besides.brought)) if dictionary else ())
    if not layout.rows:
        raise no_rows(layout.path)
    numbers = numeric_columns(names, roles, besides)
    relation = Relation.of_source(
        layout.path.name,
        columns=expressions(engine.dialect, layout.holds, numbers, names, layout.path.name, asking.missing),
        numbers=numbers,
        source=layout.source,
    )
    unread = tuple(name for name in layout.holds if name not in names)
    made = Shaped(relation=relation, rows=layout.rows, words={}, findings=())
    if not asking.shaping.nothing:
        made = shaped(
            engine, relation, asking.shaping, rows=layout.rows, roles=roles, unread=unread, beside=asking.beside,
            dictionary=words, context=Part(context, 0.0, 0.2),
        )  # fmt: skip
    relation, numbers, names = made.relation, frozenset(made.relation.numbers), tuple(made.relation.short)
    words = replace(words, columns={**words.columns, **made.words})
    engine.counts[relation.query] = made.rows
    columns, counted = _columns(engine, relation, roles, words, Part(context, 0.2, 0.7))
    relation = replace(
        relation,
        complete=frozenset(name for name, column in columns.items() if not column.missing),
        values={
            name: tuple(column.values)
            for name, column in columns.items()
            if isinstance(column, CodedColumn) and not isinstance(column.values, WithheldTexts)
        },
        counted=counted,
    )
    rows = SqlRows(engine, relation, rows=made.rows)
    raise_if(all_missing(layout.path, columns, made.rows, roles))
    kinds = {name: "numbers" if name in numbers else "codes" for name in names}
    return Microdata(
        name=layout.path.name,
        rows=made.rows,
        columns=columns,
        fingerprint=prints(relation, kinds, made.rows, Part(context, 0.7, 1.0)),
        unread=unread,
        elsewhere=Asked(engine=engine, relation=relation, door=rows, shaped=made.findings),
    )


def _no_batches(columns: tuple[str, ...]) -> Any:
    del columns
    return iter(())


def _columns(
    engine: SqlEngine, relation: Relation, roles: Roles, words: DataDictionary, context: Context
) -> tuple[dict[str, Column], dict[str, Counted]]:
    """Every column by its counts: attributes in one query, each column that identifies units in one of its own."""
    names, where = tuple(relation.short), engine.title
    attributes = [name for name in names if name not in relation.numbers and not roles[name].identifies]
    seen = met_values(engine, relation, attributes, Part(context, 0.0, 0.4))
    gaps = missing_numbers(engine, relation, [name for name in names if name in relation.numbers], context)
    columns: dict[str, Column] = {}
    counted: dict[str, Counted] = {}
    for name in names:
        said = words.of(name)
        if name in gaps:
            columns[name] = NumericColumn(
                name=name, numbers=WithheldRows(where), title=said.title, missing=gaps[name]
            )  # fmt: skip
            continue
        values: Texts
        if name in seen:
            values, counted[name] = seen[name]
        else:
            counted[name] = counted_values(engine, relation, name, Part(context, 0.4, 1.0))
            values = WithheldTexts(counted[name].distinct, where)
        columns[name] = CodedColumn(
            name=name, codes=WithheldRows(where), values=values, labels=said.labels, populations=said.populations,
            title=said.title, missing=counted[name].missing, labels_inside=said.inside,
        )  # fmt: skip
    return columns, counted


def streamed_content(
    batches: Iterable[Any], names: tuple[str, ...], numbers: frozenset[str], rows: int, context: Context
) -> str:
    """The content fingerprint of rows that come batch by batch; memory holds one batch."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from workbench.microdata import content
    from workbench.microdata.texts import as_doubles, as_text

    seeds = {(lane, name): content.seed_of(lane, name) for lane in range(content.LANES) for name in names}
    sums = [0] * content.LANES
    for batch in batches:
        context.step(batch.fraction, "Taking the content's fingerprint")
        cells = [np.zeros(batch.rows, np.uint64) for _ in range(content.LANES)]
        for name in names:
            array = batch.arrays[name]
            if name in numbers:
                column = as_doubles(array).to_numpy(zero_copy_only=False)
                for lane in range(content.LANES):
                    cells[lane] ^= content.of_numbers(column, seeds[lane, name])
                continue
            coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
            texts = as_text(coded.dictionary)
            blank = pc.equal(pc.utf8_trim_whitespace(texts), "")
            known = pc.if_else(pc.fill_null(blank, True), pa.scalar(None, pa.string()), texts)
            place = coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
            for lane in range(content.LANES):
                seed = seeds[lane, name]
                table = np.append(content.of_arrow_texts(known, seed), np.uint64(seed))
                cells[lane] ^= table[place]
        sums = [total + content.added(row) for total, row in zip(sums, cells, strict=True)]
    kinds = {name: "numbers" if name in numbers else "codes" for name in names}
    return content.fingerprint_of(kinds, rows, tuple(sums))


def open_duckdb(
    path: Path,
    roles: Roles,
    dictionary: DataDictionary | None,
    context: Context,
    *,
    memory: int | None = None,
    shaping: Shaping | None = None,
    linked: Mapping[str, Microdata] | None = None,
    missing: tuple[str, ...] = (),
) -> Microdata:
    """Parquet files on this machine, read by DuckDB and never loaded. Linked files are, and stay in this process."""
    from workbench.microdata.fingerprint import of_file
    from workbench.microdata.options import ReadOptions
    from workbench.microdata.readers import open_data
    from workbench.tabulation.engines.in_duckdb import DuckDbEngine
    from workbench.tabulation.engines.source import described

    source = described(path)
    engine = DuckDbEngine(memory=memory, rows=source.rows)
    layout = Layout(path=path, holds=source.holds, rows=source.rows, source=engine.source(source))

    asking = Asking(shaping=shaping or Shaping(), missing=missing, beside=_registered(engine, linked or {}, dictionary))

    def prints(relation: Relation, kinds: Mapping[str, str], rows: int, within: Context) -> Fingerprint:
        if asking.shaping.nothing:
            opened = open_data(path, ReadOptions(missing=missing), Part(within, 0.0, 0.05))
            batches = opened.batches(tuple(kinds))
        else:
            batches = engine.batches(relation, rows)
        content = streamed_content(batches, tuple(kinds), frozenset(relation.numbers), rows, Part(within, 0.05, 0.8))
        return Fingerprint(file=of_file(path, Part(within, 0.8, 1.0)), content=content)

    return open_elsewhere(engine, layout, roles, dictionary, prints, context, asking)


def _registered(
    engine: DuckDbEngine, linked: Mapping[str, Microdata], dictionary: DataDictionary | None
) -> dict[str, Beside]:
    """Linked files that are in memory, as tables of DuckDB in this process."""
    from workbench.microdata.shaping.shape import named
    from workbench.tabulation.engines.beside import registered

    words = dictionary or DataDictionary()
    return {name: registered(engine, named(table, words)) for name, table in linked.items()}
