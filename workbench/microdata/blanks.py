"""Values with blanks around them: “A ” and “A” look alike and are counted as two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import agreeing, counted
from workbench.microdata.packed import PackedTexts
from workbench.microdata.roles import Roles
from workbench.microdata.table import CodedColumn, Microdata, Texts


def check_blanks(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Warns where values have blanks around them, and where two differ by nothing else. Shows counts only."""
    del roles
    columns = [column for column in microdata.columns.values() if isinstance(column, CodedColumn)]
    found: dict[str, tuple[int, int]] = {}
    for position, column in enumerate(columns):
        context.step(position / len(columns), f"Looking for blanks around the values of “{column.name}”")
        if microdata.elsewhere is not None:
            padded, alike = microdata.elsewhere.padded(column.name, context)
        else:
            padded, alike = _padded_and_alike(column.values)
        if padded:
            found[column.name] = padded, alike
    if not found:
        return
    listed = ", ".join(f"“{name}” ({counted(padded, 'value')})" for name, (padded, _) in found.items())
    twice = sum(alike for _, alike in found.values())
    rest = (
        f" {counted(twice, 'value')} {agreeing(twice, 'differs', 'differ')} from another by blanks only and "
        f"{agreeing(twice, 'is', 'are')} counted apart from it: remove the blanks before the table is made."
    )
    yield Finding(
        id="data.blanks-around-values", title="Values with blanks around them", status=Status.WARN,
        sentence=f"There are blanks before or after values of {listed}.{rest if twice else ''}",
        values={"values": sum(padded for padded, _ in found.values()), "differ_by_blanks_only": twice},
        tables=(
            Table(
                title="Values with blanks around them", columns=("column", "values", "differ by blanks only"),
                rows=tuple((name, *counts) for name, counts in found.items()),
            ),
        ),
        does_not_prove="That values which look alike in another way, such as in capitals, mean different things.",
    )  # fmt: skip


def _padded_and_alike(values: Texts) -> tuple[int, int]:
    """How many values have blanks around them, and by how many the values shrink once the blanks are gone."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, PackedTexts) and not values.may_end_blank:
        return 0, 0
    texts: Any = values.as_arrow() if isinstance(values, PackedTexts) else pa.array(values, pa.string())
    trimmed = pc.utf8_trim_whitespace(texts)
    padded = pc.sum(pc.not_equal(texts, trimmed)).as_py() or 0
    return padded, len(texts) - len(trimmed.unique()) if padded else 0
