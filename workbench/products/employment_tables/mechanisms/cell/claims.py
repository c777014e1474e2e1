"""What the mechanisms that noise one cell at a time share: params, how ε is divided, and the words of their claims.

A table without worker attributes is protected under the strong definition: an establishment is in one cell only. With
d worker cells per workplace cell, one establishment is in d cells and each gets ε/d (and δ/d), so that the *whole*
table costs the ε that was set, under the weak definition. The source's Theorem 7.5, which would give every worker cell
the whole ε, is false as stated and never used: of 100 workers 10 are men, α = 0.1; ten more men are one strong step of
the establishment but move the men's own count by 4.25 ε.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

from workbench.core.claims import Claim, Definition
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.quantities import Alpha, Delta, Epsilon, factor, show
from workbench.noise.epsilon_bounds import MOST_EPSILON
from workbench.products.employment_tables.mechanisms.large_establishments import LargeEstablishmentsParams
from workbench.products.employment_tables.mechanisms.listed_cells import (
    assumption,
    condition,
    proved,
    provided,
    proviso,
    remedy,
)
from workbench.products.employment_tables.mechanisms.witness import witness
from workbench.products.employment_tables.tabulation.cells import Cells

COUNTEREXAMPLE = (
    "Theorem 7.5 of Haney et al. (2017), which would not divide ε, is false and not used: of 100 workers 10 are men, "
    "α = 0.1; ten more men are one step of the establishment but move the men's own count by 4.25 ε."
)


class Shared(Protocol):
    """The params that every mechanism of this kind has."""

    @property
    def epsilon(self) -> Epsilon: ...
    @property
    def alpha(self) -> Alpha: ...
    @property
    def worker_cells(self) -> int: ...
    @property
    def large_establishments(self) -> LargeEstablishmentsParams: ...


def epsilon_param() -> Any:
    return param(
        Epsilon("2"),
        "Privacy loss ε",
        "Spent once for the whole table. With worker attributes it is divided by the number of worker cells.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )


def alpha_param(beside: str = "") -> Any:
    return param(
        Alpha("0.1"),
        "Size window α",
        f"Sizes of an establishment within this share of each other stay indistinguishable up to ε{beside}.",
        gt=0,
        lt=1,
    )


def delta_param() -> Any:
    return param(
        Delta("0.005"),
        "Added probability δ",
        "Beyond the factor of ε. The default is that of Haney et al. (2017); for millions of records choose it far "
        "smaller.",
        gt=0,
        lt=1,
    )


def worker_cells_param() -> Any:
    return param(
        0,
        "Worker cells",
        "How many combinations of worker attributes a workplace cell has (sex × education: 8). 0 takes it from the "
        "table; give it to plan without data.",
        ge=0,
        le=500,
        advanced=True,
    )


def cells_of(prepared: Cells | None, planned: int) -> int:
    """d: worker cells per workplace cell, from the table where there is one."""
    return prepared.domain.worker_combinations if prepared is not None else max(planned, 1)


def share(total: Decimal, cells: int) -> float:
    """What one worker cell gets of ε or δ."""
    return float(Fraction(total) / cells)


def wrong_width(cells: int, said: int) -> tuple[Problem, ...]:
    """A plan made for another table would draw the wrong noise."""
    if said in (0, cells):
        return ()
    do = f"Set it to {cells}, or to 0 to take it from the table"
    return (Problem(f"The table has {cells} worker cells per workplace cell, not {said}", "worker_cells", do),)


def over(cells: int) -> str:
    return "" if cells == 1 else f" over {cells} worker cells"


def times(cells: int) -> str:
    return "" if cells == 1 else f"{cells}·"


def claim_of(prepared: Cells | None, params: Shared, *, moves: str, delta: Decimal = Decimal(0)) -> Claim:
    """The promise of the whole table; `moves` says what a worker's move between two establishments costs."""
    epsilon, alpha, cells = params.epsilon, params.alpha, cells_of(prepared, params.worker_cells)
    weak = cells > 1 if prepared is None else prepared.domain.by_worker
    between, change = ("its probability under", "differs") if delta else ("the odds between", "change")
    odds = f"{change} by {factor(epsilon, delta)}"
    within = f"within {show(100 * alpha)} % of each other (or one worker apart)"
    if weak:
        sentence = (
            f"Whatever is published, {between} two workforces of an establishment in which every group of "
            f"workers that attributes define has sizes {within} {odds}. {_divided(cells)}Larger changes of a single "
            "group, within the size of the whole, are not covered."
        )
    else:
        sentence = f"Whatever is published, {between} two sizes of an establishment that lie {within} {odds}."
    return Claim(
        formal=proved(prepared),
        condition=condition(prepared),
        provided=provided(prepared),
        remedy=remedy(prepared),
        definition=Definition.WEAK if weak else Definition.STRONG,
        unit="every attribute-defined group of an establishment's workers" if weak else "one establishment's workforce",
        epsilon=Decimal(epsilon),
        delta=Decimal(delta),
        alpha=Decimal(alpha),
        sentence=sentence + proviso(prepared),
        assumptions=_assumptions(prepared, weak=weak, moves=moves),
        composition=_composition(cells),
        workings=_workings(cells, epsilon) if cells > 1 else "",
        coverage=witness(prepared),
    )


def _divided(cells: int) -> str:
    return "" if cells == 1 else f"ε is shared equally by the {cells} worker cells (ε/{cells} each). "


def _assumptions(prepared: Cells | None, *, weak: bool, moves: str) -> tuple[str, ...]:
    step = (
        "every attribute-defined group φ of its workers grows to at most max((1 + α)φ, φ + 1)"
        if weak
        else "E within E′, |E′| ≤ max((1 + α)|E|, |E| + 1)"
    )
    fixed = (
        "Which establishments exist, and their workplace attributes, are public.",
        assumption(prepared),
        "The values of every attribute are public, not taken from the data.",
        "Each establishment is in one workplace cell of the table.",
        f"Neighbouring data sets differ by one establishment's workforce: {step}.",
        moves,
    )
    if prepared is not None and prepared.domain.from_data:
        return (*fixed, "The values of some attributes were taken from the data, which this claim does not cover.")
    return fixed


def _workings(cells: int, epsilon: Decimal) -> str:
    return (
        f"The table has {cells} worker cells in every workplace cell; each spends ε/{cells}, and together they add up "
        f"to {show(epsilon)}."
    )


def _composition(cells: int) -> str:
    added = "Sequential: ε and δ add up over every release from the same data. Distinct establishments do not add up."
    return added if cells == 1 else f"{added} The {cells} worker cells add up to the ε claimed. {COUNTEREXAMPLE}"


TWO_STEPS = "A worker who moves from one establishment to another is two such steps and may change the odds twice (2ε)."
ONE_STEP = "A worker who moves from one establishment to another changes the odds by no more than one such step (ε)."
