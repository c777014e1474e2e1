"""The dial: the one setting of a mechanism that is turned to spend more or less.

A mechanism declares it with `effect="dial"` at the field, be it called ε, ρ or “ε of each statistic”, in a group or in
a table of settings. One in a table is turned in all rows together and stands where the largest of them stands. The
claim says what that comes to: whatever is drawn over ε stands at the ε of the claim, which is what the ledger counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from workbench.core.errors import Defect
from workbench.core.params import Field, Rows, at_path, joined, leaves_of, outline_of, with_path
from workbench.mechanisms.contract import AnyMechanism

_ROW_DIGITS = Context(prec=4)


@dataclass(frozen=True, slots=True)
class Dial:
    """The field, and the path to it; in a table of settings the path to the table, and the field of its rows."""

    field: Field
    path: tuple[str, ...]
    in_rows: bool = False

    @property
    def name(self) -> str:
        return joined((*self.path, self.field.name) if self.in_rows else self.path)


def dial_of(mechanism: AnyMechanism) -> Dial | None:
    """None where the mechanism is not governed by one setting."""
    found = [
        *(Dial(field, path) for path, field in leaves_of(mechanism.params) if field.effect == "dial"),
        *(
            Dial(field, path, in_rows=True)
            for path, table in leaves_of(mechanism.params)
            if table.rows is not None
            for _, field in outline_of(table.rows)
            if field.effect == "dial"
        ),
    ]
    if len(found) > 1:
        raise Defect(f"{mechanism.id} declares {len(found)} dials")
    return found[0] if found else None


def turned(mechanism: AnyMechanism, params: Any, value: Decimal) -> Any:
    """The same params with the dial at `value`. A larger value never claims less.

    Rows of a table keep their proportions, to four digits.
    """
    dial = dial_of(mechanism)
    if dial is None:
        raise Defect(f"{mechanism.id} has no dial")
    if not dial.in_rows:
        return with_path(params, dial.path, dial.field.type(value))
    rows, largest = at_path(params, dial.path), setting(mechanism, params)
    if not largest or largest == value:
        return params
    share = Decimal(value) / largest
    held = {name: Decimal(getattr(row, dial.field.name)) for name, row in rows.items()}
    return with_path(
        params,
        dial.path,
        Rows(
            (name, with_path(row, (dial.field.name,), dial.field.type(_ROW_DIGITS.multiply(held[name], share))))
            for name, row in rows.items()
        ),
    )


def setting(mechanism: AnyMechanism, params: Any) -> Decimal | None:
    """Where the dial stands; None where there is none, or no row to turn."""
    dial = dial_of(mechanism)
    if dial is None:
        return None
    there = at_path(params, dial.path)
    if dial.in_rows:
        return max((Decimal(getattr(row, dial.field.name)) for row in there.values()), default=None)
    return Decimal(there)


def claimed(mechanism: AnyMechanism, params: Any, prepared: Any = None) -> Decimal:
    """The ε that the claim states at these params."""
    return Decimal(mechanism.claim(prepared, params).epsilon)


def moved_by(mechanism: AnyMechanism, params: Any, prepared: Any = None) -> str:
    """The setting that a line at the claimed ε stands for: the dial where it is that ε itself, otherwise none."""
    dial = dial_of(mechanism)
    if dial is None or dial.in_rows or setting(mechanism, params) != claimed(mechanism, params, prepared):
        return ""
    return dial.name
