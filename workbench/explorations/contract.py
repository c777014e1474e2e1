"""What an exploration is: a finding that a reviewer turns and looks at from other sides, with a few settings.

A check is run once and kept; an exploration answers "what about this unit, this place, this ε?" while somebody
looks. Its findings are never stored and never published. Window and command line list what a product offers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.specs import Spec
from workbench.mechanisms.contract import AnyMechanism

ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is looked at: prepared data, the mechanism as the plan has it now, and the drawn table if there is one.

    `baseline` works out current SDL of the same data when somebody asks for it. `cap` is the total ε that the
    plan's policy allows, for curves over ε; None where it sets none.
    """

    prepared: Any
    mechanism: AnyMechanism
    params: Any
    table: Published | None = None
    baseline: Callable[[Context], Confidential[NDArray[np.float64]]] | None = None
    cap: Decimal | None = None


class Exploration(Spec, Protocol[ParamsT_contra]):
    @property
    def stage(self) -> str:
        """Where it belongs: mechanism, audit or compare."""

    @property
    def needs_release(self) -> bool:
        """True where there is nothing to see before values have been drawn."""

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        """What a text setting can be, by its name, where only the data tell: the places, the populations."""

    def show(self, scene: Scene, params: ParamsT_contra, context: Context) -> tuple[Finding, ...]:
        """The findings for these settings. Quick, as somebody is moving a handle, and seeded where it samples."""


AnyExploration = Exploration[Any]
