"""What a mechanism hands on: the values to publish, and beside them those it drew, where margins are sums of them."""

from __future__ import annotations

from workbench.core.arrays import Integers
from workbench.core.published import Columns, Units
from workbench.mechanisms.contract import one_value
from workbench.products.employment_tables.tabulation.cells import Cells


def drawn_values(prepared: Cells, values: Integers, noisy: Integers) -> Columns:
    """Clipped or smoothed cells do not add up to what is right on average: margins take the values before that."""
    if not prepared.margins or values is noisy:
        return one_value(values)
    return Columns(columns=(Units(name="value", integers=values),), beside=one_value(noisy))
