"""A second file linked by its key where the rows lie: each row meets at most one row there, so rows never multiply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.confidential import Confidential
from workbench.core.errors import raise_if
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.microdata.shaping.linking import Matches, link_problems, matches_found
from workbench.microdata.shaping.params import Link, Unmatched
from workbench.microdata.table import CodedColumn, Column, Fingerprint, Microdata, NumericColumn
from workbench.tabulation.engines.contract import SqlEngine, integers, the
from workbench.tabulation.engines.relation import Relation

_UNMATCHED, _MATCHED, _DISPUTED, _GAP = range(4)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Linked:
    relation: Relation
    rows: int
    finding: Finding


def linked(
    engine: SqlEngine,
    ours: Relation,
    name: str,
    link: Link,
    there: Microdata,
    theirs: Relation,
    taken: Sequence[str],
    rows: int,
    context: Context,
) -> Linked:
    """The rows with the columns of the linked file, and what is worth telling about the keys."""
    raise_if(link_problems(known_columns(ours), name, link, there, taken))
    query = _Query(engine, ours, link, theirs, taken)
    joined = query.joined(f"match_{ours.new_name()}")
    found = engine.ask(
        f"SELECT {query.matched} AS m, count(*) AS n FROM {joined.rows()} AS j GROUP BY {query.matched}",
        context, f"linking {there.name}",
    )  # fmt: skip
    many = dict(zip(integers(found, "m").tolist(), integers(found, "n").tolist(), strict=True))
    keys = engine.ask(query.about_keys(), context, f"linking {there.name}")
    unmatched = rows - many.get(_MATCHED, 0)
    nearly = 0
    if unmatched and not link.pad and many.get(_UNMATCHED):
        nearly = the(engine.ask(query.nearly(joined), context, f"linking {there.name}"), "n")
    counts = Matches(
        missing=many.get(_GAP, 0),
        unmatched=unmatched,
        ambiguous=many.get(_DISPUTED, 0),
        repeated_keys=the(keys, "repeated"),
        disputed_keys=the(keys, "disputed"),
        nearly=nearly,
        compared=bool(taken),
    )
    finding = matches_found(name, link, there.name, rows, counts)
    if link.unmatched is Unmatched.LEAVE_OUT and unmatched:
        kept = f"SELECT * FROM {{rows}} AS r WHERE {query.matched} = {_MATCHED}"
        return Linked(relation=joined.derived(kept, {}), rows=rows - unmatched, finding=finding)
    return Linked(relation=joined, rows=rows, finding=finding)


def known_columns(relation: Relation, unread: Sequence[str] = ()) -> Microdata:
    """Names and kinds of columns, as checks of a plan want them. There are no rows behind it."""
    nothing: Confidential[Any] = Confidential(None)
    columns: dict[str, Column] = {
        name: NumericColumn(name=name, numbers=nothing)
        if name in relation.numbers
        else CodedColumn(name=name, codes=nothing, values=())
        for name in relation.short
    }
    prints = Fingerprint(file="", content="")
    return Microdata(name=relation.name, rows=0, columns=columns, fingerprint=prints, unread=tuple(unread))


class _Query:
    def __init__(self, engine: SqlEngine, ours: Relation, link: Link, theirs: Relation, taken: Sequence[str]) -> None:
        self._engine, self._ours, self._link, self._theirs, self._taken = engine, ours, link, theirs, taken
        self.matched = ""

    def _key(self, expression: str, *, bare: bool) -> str:
        """A number without leading zeros where keys are padded; any other text as it is."""
        if not bare:
            return expression
        dialect = self._engine.dialect
        digits = dialect.matches(expression, "^\\p{Nd}+$")
        stripped = f"coalesce(nullif({dialect.without_leading_zeros(expression)}, ''), '0')"
        return f"(CASE WHEN {digits} THEN {stripped} ELSE {expression} END)"

    def _grouped(self) -> str:
        """One row for each key of the linked file: what it brings, how often it stands there, and whether it agrees."""
        shorts = [self._theirs.short[name] for name in self._link.there]
        keys = [self._key(f"q.{short}", bare=self._link.pad) for short in shorts]
        values = [self._value(name) for name in self._taken]
        listed = [f"{key} AS k{number}" for number, key in enumerate(keys)]
        listed += [f"min({value}) AS v{number}" for number, value in enumerate(values)]
        differ = [f"min({v}) <> max({v}) OR (count({v}) > 0 AND count({v}) < count(*))" for v in values]
        disputed = f"CASE WHEN {' OR '.join(f'({each})' for each in differ)} THEN 1 ELSE 0 END" if differ else "0"
        known = " AND ".join(f"q.{short} IS NOT NULL" for short in shorts)
        return (
            f"(SELECT {', '.join(listed)}, count(*) AS many, {disputed} AS disputed FROM {self._theirs.rows()} AS q "
            f"WHERE {known} GROUP BY {', '.join(keys)})"
        )

    def _value(self, name: str) -> str:
        short = f"q.{self._theirs.short[name]}"
        return f"(CASE WHEN isnan({short}) THEN NULL ELSE {short} END)" if name in self._theirs.numbers else short

    def joined(self, matched: str) -> Relation:
        self.matched = matched
        ours = [self._ours.short[name] for name in self._link.key]
        pairs = [f"{self._key(f'r.{short}', bare=self._link.pad)} = k.k{n}" for n, short in enumerate(ours)]
        gap = " OR ".join(f"r.{short} IS NULL" for short in ours)
        first = int(self._ours.new_name()[1:])
        shorts = {name: f"c{first + number}" for number, name in enumerate(self._taken)}
        brought = "".join(
            f", CASE WHEN k.disputed = 0 THEN k.v{number} END AS {short}"
            for number, short in enumerate(shorts.values())
        )
        state = (
            f"CASE WHEN {gap} THEN {_GAP} WHEN k.disputed = 0 THEN {_MATCHED} "
            f"WHEN k.disputed = 1 THEN {_DISPUTED} ELSE {_UNMATCHED} END"
        )
        query = (
            f"SELECT r.*{brought}, {state} AS {matched} FROM {{rows}} AS r "
            f"LEFT JOIN {self._grouped()} AS k ON {' AND '.join(pairs)}"
        )
        numbers = frozenset(self._taken) & self._theirs.numbers
        return self._ours.derived(query, shorts, numbers=numbers)

    def about_keys(self) -> str:
        repeated = "coalesce(sum(CASE WHEN many > 1 THEN 1 ELSE 0 END), 0) AS repeated"
        return f"SELECT {repeated}, coalesce(sum(disputed), 0) AS disputed FROM {self._grouped()} AS g"

    def nearly(self, joined: Relation) -> str:
        """Rows without a match that would have one in every key column, were codes written without leading zeros."""
        joins = []
        for number, (mine, their) in enumerate(zip(self._link.key, self._link.there, strict=True)):
            bare = self._key(f"q.{self._theirs.short[their]}", bare=True)
            held = f"SELECT DISTINCT {bare} AS b FROM {self._theirs.rows()} AS q"
            here = self._key(f"j.{joined.short[mine]}", bare=True)
            joins.append(f" JOIN ({held}) AS b{number} ON {here} = b{number}.b")
        return (
            f"SELECT count(*) AS n FROM {joined.rows()} AS j{''.join(joins)} WHERE j.{self.matched} = {_UNMATCHED}"
        )  # fmt: skip
