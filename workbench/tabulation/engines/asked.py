"""What checks of a data set ask about rows that are elsewhere, answered at the door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.microdata.elsewhere import Odd, Varying
from workbench.tabulation.engines import facts
from workbench.tabulation.engines.contract import SqlEngine, the
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.engines.rows import SqlRows
from workbench.tabulation.keys import Beyond, Key


@dataclass(frozen=True, kw_only=True, repr=False)
class Asked:
    """See `microdata.elsewhere.Elsewhere`."""

    engine: SqlEngine
    relation: Relation
    door: SqlRows
    shaped: tuple[Finding, ...] = ()

    @property
    def title(self) -> str:
        return self.engine.title

    @property
    def units_may_come_here(self) -> bool:
        return self.engine.gives_records

    def rows_outside(self, column: str, listed: Sequence[str], context: Context) -> tuple[int, int]:
        found = self.door.column(Key.listed(column, listed, Beyond.LEAVE_OUT), context)
        return found.codes_outside.reveal(), found.rows_outside.reveal()

    def padded(self, column: str, context: Context) -> tuple[int, int]:
        short, known = self.relation.coded(column), self.relation.counted.get(column)
        if known is not None and not known.padded:
            return 0, 0
        trimmed = self.engine.dialect.trimmed("v")
        bare = f"{self.engine.dialect.trimmed('r.' + short)}"

        def query(condition: str) -> str:
            values = f"SELECT DISTINCT {short} AS v FROM {self.relation.rows(condition)} AS r WHERE {short} IS NOT NULL"
            told = f"coalesce(sum(CASE WHEN v <> {trimmed} THEN 1 ELSE 0 END), 0) AS padded"
            return f"SELECT count(*) AS n, {told} FROM ({values}) AS d"

        found = self.engine.in_passes(query, self.relation.splittable([column]), context, f"looking at “{column}”")
        padded = sum(the(part, "padded") for part in found)
        if not padded:
            return 0, 0
        different = f"SELECT count(DISTINCT {bare}) AS n FROM {self.relation.rows()} AS r"
        left = the(self.engine.ask(different, context, f"looking at “{column}”"), "n")
        return padded, sum(the(part, "n") for part in found) - left

    def most_rows(self, unit: str, context: Context) -> int:
        return self.door.units(unit, (), context).most_rows.reveal()

    def varying(self, unit: str, columns: Sequence[str], context: Context) -> Varying:
        found = self.door.units(unit, columns, context)
        of_column = {name: count.reveal() for name, count in found.varying.items()}
        return Varying(of_column=of_column, at_all=found.varying_at_all.reveal())

    def repeated(self, columns: Sequence[str], context: Context) -> int:
        return facts.repeated(self.engine, self.relation, columns, context).reveal()

    def odd(self, column: str, context: Context) -> Odd:
        x = self.relation.number(column)
        known = f"{x} IS NOT NULL AND NOT isnan({x})"
        told = {"negative": f"{x} < 0", "zero": f"{x} = 0", "fractional": f"{x} <> floor({x})"}
        said = self._counted({name: f"{known} AND {where}" for name, where in told.items()}, context)
        return Odd(**said)

    def parts_off(self, total: str, parts: Sequence[str], *, partial: bool, context: Context) -> int:
        added = " + ".join(self._or_zero(name) for name in parts)
        whole = self.relation.number(total)
        off = f"{added} > {whole}" if partial else f"coalesce({added} <> {whole}, TRUE)"
        return self._counted({"off": off}, context)["off"]

    def _or_zero(self, name: str) -> str:
        x = self.relation.number(name)
        return f"(CASE WHEN {self.engine.dialect.finite(x)} THEN {x} ELSE CAST(0 AS DOUBLE) END)"

    def _counted(self, conditions: dict[str, str], context: Context) -> dict[str, int]:
        told = ", ".join(f"coalesce(sum(CASE WHEN {c} THEN 1 ELSE 0 END), 0) AS {n}" for n, c in conditions.items())
        found = self.engine.ask(f"SELECT {told} FROM {self.relation.rows()} AS r", context, "checking the numbers")
        return {name: the(found, name) for name in conditions}
