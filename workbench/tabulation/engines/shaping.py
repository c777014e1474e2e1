"""Rows shaped where they lie: linked, recoded, gaps filled, rows chosen, in the words of SQL and in the same order.

Every step says what the engine in memory says (`microdata.shaping`), with the same digits and the same findings. No
text of a query holds a confidential value: a linked file is read where the rows are, and a rule that names a unit is
refused where queries are logged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.findings import Finding
from workbench.core.nearest import did_you_mean
from workbench.core.progress import Context, Part
from workbench.microdata.dictionary import ColumnWords, DataDictionary
from workbench.microdata.roles import Role, Roles
from workbench.microdata.shaping.columns import labelled, not_numbers
from workbench.microdata.shaping.params import ORDERED, Comparison, Gap, Recoding, RowRule, Shaping
from workbench.microdata.shaping.recoding import (
    KEY_MARK,
    class_codes,
    class_labels,
    keyed_with_numbers,
    marked,
    no_parents,
    orphans_found,
)
from workbench.microdata.shaping.rows import compared_numbers, left_out_found, own_category_found
from workbench.microdata.shaping.shape import absent_roles, no_codes, wanted_columns
from workbench.tabulation.engines.contract import SqlEngine, the
from workbench.tabulation.engines.linking import known_columns, linked
from workbench.tabulation.engines.relation import Relation

_DIGITS = "^[+-]?[0-9]+([.][0-9]+)?$"  # numbers that every engine reads alike
_ORDER = {Comparison.BELOW: "<", Comparison.AT_MOST: "<=", Comparison.ABOVE: ">", Comparison.AT_LEAST: ">="}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Shaped:
    """The rows as the plan shapes them, how many there are, the words of their columns, and what was found."""

    relation: Relation
    rows: int
    words: Mapping[str, ColumnWords]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Beside:
    """A linked file where the engine can read it: its rows, its other columns, and the words it brings."""

    relation: Relation
    unread: tuple[str, ...] = ()
    words: Mapping[str, ColumnWords] | None = None


def shaped(
    engine: SqlEngine,
    relation: Relation,
    shaping: Shaping,
    *,
    rows: int,
    roles: Roles,
    unread: Sequence[str],
    beside: Mapping[str, Beside],
    dictionary: DataDictionary,
    context: Context,
) -> Shaped:
    steps = _Steps(engine, relation, rows, roles, dictionary)
    brought: dict[str, str] = {}
    for name, link in shaping.links.items():
        other = beside[name]
        there = known_columns(other.relation, other.unread)
        taken = link.columns or wanted_columns(
            known_columns(steps.relation, unread), name, there, shaping=shaping, roles=roles, brought=brought
        )
        brought |= dict.fromkeys(taken, there.name)
        steps.words |= other.words or {}
        made = linked(engine, steps.relation, name, link, there, other.relation, taken, steps.rows, context)
        steps.relation, steps.rows = made.relation, made.rows
        steps.findings.append(made.finding)
    for number, (name, recoding) in enumerate(shaping.recode.items()):
        steps.recode(name, recoding, Part(context, 0.3 + 0.3 * number / len(shaping.recode), 0.6))
    steps.fill(shaping, Part(context, 0.6, 0.8))
    if shaping.keep:
        steps.keep(shaping.keep, Part(context, 0.8, 1.0))
    return steps.finished()


class _Steps:
    def __init__(
        self, engine: SqlEngine, relation: Relation, rows: int, roles: Roles, dictionary: DataDictionary
    ) -> None:
        self._engine, self._roles, self._dictionary = engine, roles, dictionary
        self.relation, self.rows = relation, rows
        self.words: dict[str, ColumnWords] = {}
        self.findings: list[Finding] = []
        self._recoded: dict[str, Recoding] = {}

    def recode(self, name: str, recoding: Recoding, context: Context) -> None:
        where = f"[data.shaping.recode.{name}]"
        raise_if(problem.at(where) for problem in recoding.check())
        for asked in (recoding.of, recoding.keyed):
            if asked:
                self._there(asked, where)
        if name in self.relation.short:
            raise UserProblem(f"The data have a column “{name}” already", where, "Give the recoded column another name")
        self.words[name] = self._dictionary.of(name)
        self._recoded[name] = recoding
        if recoding.edges:
            self.words[name] = labelled(
                self.words[name], dict(zip(class_codes(recoding), class_labels(recoding.edges), strict=True))
            )
            self._derive(name, self._class(recoding, where, context))
            return
        if recoding.of in self.relation.numbers:
            raise UserProblem(f"“{recoding.of}” holds numbers, not codes", where, "Give edges instead")
        source = self.relation.short[recoding.of]
        if recoding.keyed:
            self._derive(name, self._keyed(name, recoding, context))
        elif recoding.prefix:
            self._derive(name, f"substring(r.{source}, 1, {recoding.prefix})")
        else:
            parents = self._dictionary.of(recoding.of).parents
            if not parents:
                raise no_parents(name, recoding.of)
            listed = self._engine.listed({"code": list(parents), "parent": list(parents.values())})
            self._derive(name, "k.parent", f" LEFT JOIN {listed} AS k ON r.{source} = k.code")
            self._orphans(name, recoding.of, context)

    def _there(self, name: str, where: str) -> None:
        if name not in self.relation.short:
            held = list(self.relation.short)
            near = did_you_mean(name, held) or f"Columns: {', '.join(held)}"
            raise UserProblem(f"There is no column “{name}”", where, near)

    def _derive(self, name: str, expression: str, join: str = "") -> None:
        short = self.relation.new_name()
        query = f"SELECT r.*, {expression} AS {short} FROM {{rows}} AS r{join}"
        self.relation = self.relation.derived(query, {name: short})

    def _class(self, recoding: Recoding, where: str, context: Context) -> str:
        x, text = self._number(recoding.of, where, context), self._engine.dialect.text
        codes = class_codes(recoding)
        below = " ".join(
            f"WHEN {x} < {_double(float(edge))} THEN {text(code)}"
            for edge, code in zip(recoding.edges, codes, strict=False)
        )
        return f"CASE WHEN {x} IS NULL OR isnan({x}) THEN NULL {below} ELSE {text(codes[-1])} END"

    def _number(self, name: str, where: str, context: Context) -> str:
        """The double of a column. Codes must all be plain digits: engines read other spellings differently."""
        if name not in self.relation.numbers:
            odd = f"{self.relation.short[name]} IS NOT NULL AND NOT {self._written_in_digits(name)}"
            if self._count(f"CASE WHEN {odd} THEN 1 ELSE 0 END", context):
                raise_if([not_numbers(name, where)])
        return self.relation.number(name)

    def _written_in_digits(self, name: str) -> str:
        return self._engine.dialect.matches(self.relation.short[name], _DIGITS)

    def _keyed(self, name: str, recoding: Recoding, context: Context) -> str:
        if recoding.keyed in self.relation.numbers:
            raise keyed_with_numbers(name, recoding)
        year, unit = self.relation.short[recoding.keyed], self.relation.short[recoding.of]
        mark = self._engine.dialect.text(KEY_MARK)
        if self._count(f"CASE WHEN instr({year}, {mark}) > 0 THEN 1 ELSE 0 END", context):
            raise marked(name, recoding)
        return f"r.{year} || {mark} || r.{unit}"

    def _orphans(self, name: str, of: str, context: Context) -> None:
        made, source = self.relation.short[name], self.relation.short[of]
        lost = f"{made} IS NULL AND {source} IS NOT NULL"
        query = (
            f"SELECT count(*) AS n, count(DISTINCT {source}) AS d FROM {self.relation.rows()} AS r WHERE {lost}"
        )  # fmt: skip
        found = self._engine.ask(query, context, f"recoding “{of}”")
        self.findings.append(orphans_found(name, of, the(found, "d"), the(found, "n")))

    def fill(self, shaping: Shaping, context: Context) -> None:
        if not shaping.missing:
            return
        raise_if(self._gap_problems(shaping, context))
        gone = []
        if own := [name for name, rule in shaping.missing.items() if rule.rows is Gap.OWN]:
            self.findings.append(own_category_found(self.rows, self._gaps(own, context)))
        for name, rule in shaping.missing.items():
            short = self.relation.short[name]
            if rule.rows is Gap.OWN:
                code = self._engine.dialect.text(rule.code)
                filled = self.relation.new_name()
                query = f"SELECT r.*, coalesce(r.{short}, {code}) AS {filled} FROM {{rows}} AS r"
                self.relation = self.relation.derived(query, {name: filled})
                words = self.words.get(name, self._dictionary.of(name))
                if words.labels:
                    self.words[name] = replace(words, labels={**words.labels, rule.code: "Missing"})
            elif rule.rows is Gap.LEAVE_OUT:
                gone.append(name)
        if gone:
            there = {name: f"NOT ({self._missing(name)})" for name in gone}
            self._kept(there, context, what="column", id_="data.gaps-left-out", title="Rows without a value left out")

    def _gaps(self, names: Sequence[str], context: Context) -> dict[str, int]:
        """The rows without a value of each column, asked for at once."""
        told = ", ".join(
            f"coalesce(sum(CASE WHEN {self._missing(name)} THEN 1 ELSE 0 END), 0) AS g{number}"
            for number, name in enumerate(names)
        )
        found = self._engine.ask(f"SELECT {told} FROM {self.relation.rows()} AS r", context, "counting missing values")
        return {name: the(found, f"g{number}") for number, name in enumerate(names)}

    def _missing(self, name: str) -> str:
        short = self.relation.short[name]
        return f"{short} IS NULL OR isnan({short})" if name in self.relation.numbers else f"{short} IS NULL"

    def _gap_problems(self, shaping: Shaping, context: Context) -> list[Problem]:
        found = []
        for name, rule in shaping.missing.items():
            where = f"[data.shaping.missing.{name}]"
            found += [problem.at(where) for problem in rule.check()]
            self._there(name, where)
            if rule.rows is Gap.OWN and name in self.relation.numbers:
                do = "Leave such rows out, or recode the column into classes first"
                found.append(Problem(f"“{name}” holds numbers and has no categories", where, do))
            elif rule.rows is Gap.OWN and self._has(name, rule.code, context):
                what = f"The code of the category is a value of “{name}” already"
                found.append(Problem(what, where, "Choose another"))
            elif rule.rows is Gap.REFUSE and self._count(f"CASE WHEN {self._missing(name)} THEN 1 ELSE 0 END", context):
                do = "Complete the column, or choose what becomes of such rows"
                found.append(Problem(f"Some rows have no value of “{name}”", where, do))
        return found

    def _has(self, name: str, code: str, context: Context) -> bool:
        words = self.words.get(name, self._dictionary.of(name))
        same = f"{self.relation.short[name]} = {self._engine.dialect.text(code)}"
        return code in words.labels or bool(self._count(f"CASE WHEN {same} THEN 1 ELSE 0 END", context))

    def keep(self, rules: Mapping[str, RowRule], context: Context) -> None:
        found = []
        for name, rule in rules.items():
            where = f"[data.shaping.keep.{name}]"
            found += [problem.at(where) for problem in rule.check()]
            if rule.column:
                self._there(rule.column, where)
            if rule.values and not self._engine.gives_records and self._tells_units(rule.column):
                what = f"A rule about “{rule.column}” would name units in the queries, which a cluster logs"
                found.append(Problem(what, where, 'Use kind = "duckdb" or "memory", or rule by another column'))
        raise_if(found)
        conditions = {name: self._holds(rule, f"[data.shaping.keep.{name}]", context) for name, rule in rules.items()}
        self._kept(conditions, context, what="rule", id_="data.rows-kept", title="Rows kept by rules")

    def _tells_units(self, column: str) -> bool:
        """Whether its values identify units, are made of such, or are codes that such are made of."""
        near = {column, *self._sources(column)}
        near |= {name for name in self._recoded if column in self._sources(name, years=False)}
        return any(self._roles.get(name, Role.IGNORE).identifies for name in near)

    def _sources(self, column: str, *, years: bool = True) -> set[str]:
        """The columns that a recoded one is made of; a unit keyed with the year is made of the unit's codes."""
        recoding = self._recoded.get(column)
        if recoding is None:
            return set()
        made_of = {each for each in (recoding.of, recoding.keyed if years else "") if each}
        return made_of.union(*(self._sources(each, years=years) for each in made_of))

    def _holds(self, rule: RowRule, where: str, context: Context) -> str:
        missing = self._missing(rule.column)
        if rule.comparison is Comparison.MISSING:
            return f"({missing})"
        if rule.comparison is Comparison.PRESENT:
            return f"NOT ({missing})"
        if rule.comparison in ORDERED:
            x = self._number(rule.column, where, context)
            return f"(NOT ({missing}) AND {x} {_ORDER[rule.comparison]} {_double(float(rule.values[0]))})"
        if rule.column in self.relation.numbers:
            listed = [_double(value) for value in compared_numbers(rule.column, rule.values)]
        else:
            listed = [self._engine.dialect.text(value) for value in rule.values]
        turned = "NOT " if rule.comparison in (Comparison.NOT_EQUAL, Comparison.NOT_IN) else ""
        return f"(NOT ({missing}) AND {turned}({self.relation.short[rule.column]} IN ({', '.join(listed)})))"

    def _kept(self, conditions: Mapping[str, str], context: Context, *, what: str, id_: str, title: str) -> None:
        """Rows for which every condition holds, and how many each alone leaves out."""
        all_hold = " AND ".join(conditions.values())
        told = ", ".join(
            f"coalesce(sum(CASE WHEN {condition} THEN 0 ELSE 1 END), 0) AS g{number}"
            for number, condition in enumerate(conditions.values())
        )
        query = (
            f"SELECT {told}, coalesce(sum(CASE WHEN {all_hold} THEN 1 ELSE 0 END), 0) AS kept "
            f"FROM {self.relation.rows()} AS r"
        )
        found = self._engine.ask(query, context, "choosing the rows")
        gone = {name: the(found, f"g{number}") for number, name in enumerate(conditions)}
        left = the(found, "kept")
        self.findings.append(left_out_found(self.rows, left, gone, what=what, id_=id_, title=title))
        self.relation = self.relation.derived(f"SELECT * FROM {{rows}} AS r WHERE {all_hold}", {})
        self.rows = left

    def _count(self, expression: str, context: Context) -> int:
        query = f"SELECT coalesce(sum({expression}), 0) AS n FROM {self.relation.rows()} AS r"
        return the(self._engine.ask(query, context, "looking at the columns"), "n")

    def finished(self) -> Shaped:
        """The columns that have a role, as their role wants them."""
        relation = self.relation
        raise_if(absent_roles(relation.name, self._roles, relation.short))
        wanted = [name for name in relation.short if self._roles.get(name, Role.IGNORE) != Role.IGNORE]
        for name in wanted:
            role = self._roles[name]
            if name in relation.numbers and not role.numbers:
                raise_if(no_codes(name, role))
            if role.numbers and name not in relation.numbers:
                do = "Store it as numbers, or use the engine memory"
                raise UserProblem(f"“{name}” is to be read as numbers and holds codes", relation.name, do)
        return Shaped(
            relation=replace(relation, short={name: relation.short[name] for name in wanted}),
            rows=self.rows,
            words=self.words,
            findings=tuple(self.findings),
        )


def _double(value: float) -> str:
    """A public number, written so that every engine reads the same double."""
    return f"CAST('{value!r}' AS DOUBLE)"
