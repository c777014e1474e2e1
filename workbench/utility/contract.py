"""What a measure of usefulness is: the release against the truth and against the baseline, as findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from workbench.baselines.alternatives import Rival, cells_of
from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.side_by_side import Side
from workbench.core.specs import Spec
from workbench.core.words import Words
from workbench.mechanisms.contract import AnyMechanism, Release

ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is compared: true cells, the mechanism, the release drawn, and what it is laid beside.

    `rivals` are the plan's baselines and then its other mechanisms, drawn for study. A product without any has none.
    """

    prepared: Any
    mechanism: AnyMechanism
    mechanism_params: Any
    mechanisms: tuple[AnyMechanism, ...]  # all that the product offers, this one among them
    release: Release
    seed: int
    trials: int
    rivals: tuple[Rival, ...] = ()
    words: Words

    @property
    def today(self) -> Rival:
        """The first of the plan's baselines: today's disclosure limitation."""
        first = next((rival for rival in self.rivals if rival.side is Side.SDL), None)
        if first is None:
            raise Defect("a measure asks for today's disclosure limitation, and the product has none")
        return first

    @property
    def baseline(self) -> Confidential[Floats]:
        """What today's disclosure limitation gives, cell by cell; not-a-number where it suppresses."""
        return cells_of(self.today.gives)

    @property
    def baseline_title(self) -> str:
        return self.today.title


class Measure(Spec, Protocol[ParamsT_contra]):
    def run(self, comparison: Comparison, params: ParamsT_contra, context: Context) -> tuple[Finding, ...]: ...


AnyMeasure = Measure[Any]
