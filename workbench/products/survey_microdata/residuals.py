"""Tables as residuals in integers, and back: what is measured, and what is published from it.

u_A = ⊗(k_i·I − J)·m_A has integer entries; a record changes it by a column of squared norm Πk_i(k_i − 1). With discrete
Gaussian noise of standard deviation γ_A = σ_A·Πk_i its cost is Πk_i(k_i − 1)/(2γ_A²). From noisy u the pair table is
r_ij + r_i/k_j + r_j/k_i + ñ/(k_i·k_j), r = centred u/Πk: all tables agree on their margins and on n.
"""

from __future__ import annotations

from fractions import Fraction

from workbench.core.arrays import Floats, Integers


def of_margin(margin: Integers) -> Integers:
    """(kI − J)·m of a one-way table."""
    residual: Integers = len(margin) * margin - margin.sum()
    return residual


def of_table(table: Integers) -> Integers:
    """(k_i·I − J) ⊗ (k_j·I − J) of a two-way table."""
    rows, columns = table.shape
    by_row = rows * table - table.sum(axis=0, keepdims=True)
    residual: Integers = columns * by_row - by_row.sum(axis=1, keepdims=True)
    return residual


def squared_sensitivity(*categories: int) -> int:
    """Πk(k − 1): how far one record moves u, squared."""
    squared = 1
    for k in categories:
        squared *= k * (k - 1)
    return squared


def rho(gamma: float, *categories: int) -> Fraction:
    """The exact cost of the γ that is used."""
    return Fraction(squared_sensitivity(*categories)) / (2 * Fraction(gamma) ** 2)


def centred(noisy: Floats) -> Floats:
    """Residuals in respondents: line means taken out in every direction, divided by Πk."""
    return without_means(noisy / noisy.size)


def without_means(table: Floats) -> Floats:
    """A table with line means taken out in every direction."""
    left: Floats = table
    for axis in range(left.ndim):
        left = left - left.mean(axis=axis, keepdims=True)
    return left


def margin_from(residual: Floats, total: float) -> Floats:
    """A one-way table from its centred residual."""
    return residual + total / len(residual)


def table_from(pair: Floats, first: Floats, second: Floats, total: float) -> Floats:
    """A two-way table from the centred residuals of the pair and of both variables."""
    rows, columns = pair.shape
    table: Floats = pair + first[:, None] / columns + second[None, :] / rows + total / (rows * columns)
    return table
