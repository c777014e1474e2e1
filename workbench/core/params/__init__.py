"""Params: declared once, read everywhere.

A frozen keyword-only dataclass per mechanism, baseline, check and product. A field is made with `param(…)` and carries
label, help, unit, bounds, choices and source; `group(…)` nests a params class (`[product.geography]` in a plan), and
`rows(…)` holds one params value for each named row (`[mechanism.variables.age]`). That alone drives the form, the
command line, the plan file, the project row, the report's parameter table and the generated reference.
"""

from __future__ import annotations

from workbench.core.params.fields import Effect, Field, fields_of, group, leaves_of, names_of, outline_of, param, rows
from workbench.core.params.paths import at_path, joined, nested, split_path, with_path
from workbench.core.params.reading import parse, path_of, problems_at, problems_of, read_value, to_plain, unknown_key
from workbench.core.params.shown import Line, SettingsTable, idle, lines_of, set_aside, shown, shown_value, tables_of
from workbench.core.params.table import Rows
from workbench.core.params.values import bound_problem, value_from

__all__ = [
    "Effect",
    "Field",
    "Line",
    "Rows",
    "SettingsTable",
    "at_path",
    "bound_problem",
    "fields_of",
    "group",
    "idle",
    "joined",
    "leaves_of",
    "lines_of",
    "names_of",
    "nested",
    "outline_of",
    "param",
    "parse",
    "path_of",
    "problems_at",
    "problems_of",
    "read_value",
    "rows",
    "set_aside",
    "shown",
    "shown_value",
    "split_path",
    "tables_of",
    "to_plain",
    "unknown_key",
    "value_from",
    "with_path",
]
