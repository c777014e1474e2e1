"""Which rows of which file a suppressed table counts: tables of one file are compared whatever rows they count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from workbench.baselines.suppression.row_sets import Counted
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Refused, UserProblem
from workbench.core.plain import digest
from workbench.core.progress import QUIET
from workbench.microdata.fingerprint import of_file
from workbench.microdata.options import Header
from workbench.microdata.roles import Roles
from workbench.microdata.selection import take_rows
from workbench.microdata.shaping.params import Comparison, Gap, RowRule, Shaping
from workbench.microdata.shaping.rows import where_holds
from workbench.microdata.table import CodedColumn, Codes, Microdata
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData
from workbench.review.run.paths import resolved
from workbench.review.run.prepare import prepare
from workbench.review.run.suppression_groupings import told_apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The file whose rows are counted, and the files linked to it by name. `file` is none where rows stay elsewhere.

    With other codes for missing values the same cells hold other rows: that is another file.
    """

    file: str
    linked: Mapping[str, str]

    def alike(self, other: Source) -> bool:
        """Whether the rows of both are the same, and columns of the same name too."""
        shared = self.linked.keys() & other.linked.keys()
        return self.file == other.file != "" and all(self.linked[name] == other.linked[name] for name in shared)


def source_of(plan: Plan, loaded: LoadedData, *, base: Path) -> Source:
    prints, data = loaded.microdata.fingerprint, plan.data
    if not prints.file or loaded.microdata.elsewhere is not None:
        return Source(file="", linked={})
    links = data.shaping.links.items()
    linked = {name: digest([of_file(resolved(base, data.linked[name]), QUIET), repr(link)]) for name, link in links}
    first, missing = data.options.header is Header.ABSENT, sorted(set(data.options.missing))
    return Source(file=digest([prints.file, data.options.sheet, first, missing]), linked=linked)


def with_rows(table: Tabulated, plan: Plan, loaded: LoadedData) -> Counted:
    """A table that a plan makes of these data, with the rows of the file that it counts."""
    microdata = loaded.microdata
    here = microdata.columns if microdata.elsewhere is None else {}
    chosen = {name: values for name, values in table.chosen.items() if name in here}
    at, rows = _chosen(microdata, chosen) if table.counted is None else table.counted.reveal(), _places(microdata)
    words = "" if len(at) == len(rows) and microdata.stayed is None else _words(plan.data.shaping, chosen, table.which)

    def part(places: Integers) -> Tabulated | None:
        """The same table of some of its rows; codes keep the names that they have in the whole table."""
        some = replace(loaded, microdata=_some_rows(microdata, loaded.roles, at[places]))
        try:
            made: Tabulated | None = prepare(some, plan, QUIET).value.suppressible()
        except (UserProblem, Refused):  # a table that cannot be made of so few rows
            return None
        if made is None:
            return None
        numbered = _numbered(made, rows[at[places]])
        return numbered if made.names is not None or made.of_rows else replace(numbered, own_numbers=True)

    return Counted(table=_numbered(table, rows), rows=Confidential(rows[at]), words=words, part=part)


def _places(microdata: Microdata) -> Integers:
    """The rows of the file that are at hand."""
    if microdata.stayed is not None:
        return microdata.stayed.reveal()
    return np.arange(microdata.rows, dtype=np.int64)


def _some_rows(microdata: Microdata, roles: Roles, rows: Integers) -> Microdata:
    """Some rows with every value that the table's columns have in all of them, so that the table has the same cells."""
    some = take_rows(microdata, rows)
    columns = dict(some.columns)
    for name, column in microdata.columns.items():
        if isinstance(column, CodedColumn) and not roles[name].identifies:
            codes: Codes = column.codes.reveal()[rows]
            missing = int(np.count_nonzero(codes < 0))
            columns[name] = replace(column, codes=Confidential(codes), missing=missing)
    return replace(some, columns=columns)


def _chosen(microdata: Microdata, chosen: Mapping[str, Sequence[str]]) -> Integers:
    """The rows at hand that count at all."""
    count = np.ones(microdata.rows, dtype=bool)
    for name, values in chosen.items():
        rule = RowRule(column=name, comparison=Comparison.IN, values=tuple(values))
        count &= where_holds(microdata.columns[name], rule)
    return np.flatnonzero(count).astype(np.int64)


def _words(shaping: Shaping, chosen: Mapping[str, Sequence[str]], which: str) -> str:
    named = {name: told_apart(name, each, {name: None}) for name, each in shaping.recode.items()}  # how it is recoded
    rules = [(named.get(rule.column, rule.column), rule) for rule in shaping.keep.values()]
    said = [f"{column} {rule.comparison} {', '.join(rule.values)}".strip() for column, rule in rules]
    said += [f"{name} = {' or '.join(values)}" for name, values in chosen.items()]
    said += [f"{name} given" for name, rule in shaping.missing.items() if rule.rows is Gap.LEAVE_OUT]
    return " and ".join([*said, *([which] if which else [])]) or "linked rows"


def _numbered(table: Tabulated, rows: Integers) -> Tabulated:
    """The table with contributors that are rows under the number that their row has in the file."""
    if not table.of_rows:
        return table
    given = table.contributions.reveal()
    return replace(table, contributions=Confidential(replace(given, holder=rows[given.holder])))
