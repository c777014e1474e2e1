"""The settings of cell suppression in a plan."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, runtime_checkable

from workbench.baselines.suppression.rules import Rules
from workbench.core.errors import Problem
from workbench.core.params import group, param


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackerParams:
    """What attackers are taken to know beyond the published cells."""

    zeros: bool = param(
        True,
        "Zeros are printed",
        "Cells of zero are always published, so a suppressed count is known to be at least 1.",
    )
    holders: bool = param(
        True,
        "Contributors attack",
        "Each contributor knows its own share in every cell, and a cell completely where it is alone.",
    )
    pairs: bool = param(
        False, "Pairs attack together", "The two contributors of a cell that has only two share what they know."
    )
    whole_numbers: bool = param(
        True, "Whole numbers", "Counts are known to be whole numbers, which can rule out more tables than sums do."
    )
    unions: bool = param(
        True,
        "Sums of suppressed cells",
        "The suppressed cells of a line together must pass the primary rules, because their sum can be derived.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionParams:
    threshold: int = param(
        3, "Threshold", "Cells with fewer contributors are suppressed; 0 turns the rule off. Can be published.", ge=0
    )
    dominant: int = param(
        1, "Dominant contributors n", "How many of the largest the (n, k) rule adds up.", ge=1, le=20, internal=True
    )
    dominance: Decimal = param(
        Decimal(0),
        "Dominance k",
        "Cells whose n largest contributors hold more than this share are suppressed; 0 turns the rule off. Keep it "
        "secret.",
        unit="%",
        ge=0,
        lt=100,
        internal=True,
    )
    p: Decimal = param(
        Decimal(10),
        "Precision p",
        "Cells whose largest contribution others can estimate within p percent are suppressed; 0 turns the rule off. "
        "Keep it secret.",
        unit="%",
        ge=0,
        le=100,
        internal=True,
    )
    q: Decimal = param(
        Decimal(100),
        "Prior knowledge q",
        "Others know each contribution within q percent beforehand; 100 is the p % rule. Keep it secret.",
        unit="%",
        gt=0,
        le=100,
        advanced=True,
        internal=True,
    )
    least: Decimal = param(
        Decimal(1),
        "Minimum level",
        "By how much the value of a primary cell must stay uncertain above and below.",
        ge=0,
        internal=True,
    )
    share: Decimal = param(
        Decimal(0),
        "Level as a share",
        "The same as a percentage of the cell's largest contribution.",
        unit="%",
        ge=0,
        advanced=True,
        internal=True,
    )
    margins: bool = param(
        True, "Publish margins", "Totals are published beside the cells. Without them nothing can be subtracted."
    )
    attackers: AttackerParams = group(
        AttackerParams,
        "Attackers",
        "Intervals hold for attackers who do not replay the rule; replay recovered 37 % of the primary cells of very "
        "small tables.",
    )
    exact_cells: int = param(
        3000,
        "Exact up to",
        "Larger tables, margins included, are suppressed by a heuristic without a proof of the optimum.",
        unit="cells",
        ge=0,
        advanced=True,
    )
    gap: Decimal = param(
        Decimal(1),
        "Stop within",
        "How far the pattern may be from the proven bound when the search stops.",
        unit="%",
        ge=0,
        le=100,
        advanced=True,
    )
    seconds: int = param(
        30,
        "Time for the optimum",
        "After this much processor time the best safe pattern found is used.",
        unit="seconds",
        ge=1,
        le=86_400,
        advanced=True,
    )

    def check(self) -> tuple[Problem, ...]:
        return self.rules().problems()

    def asked(self) -> SuppressionParams:
        return self

    def rules(self) -> Rules:
        return Rules(
            threshold=self.threshold,
            dominant=self.dominant,
            dominance=float(self.dominance) / 100,
            p=float(self.p),
            q=float(self.q),
            least=float(self.least),
            share=float(self.share) / 100,
        )


@runtime_checkable
class AsksForSuppression(Protocol):
    """Settings of any baseline that suppresses tables."""

    def asked(self) -> SuppressionParams: ...
