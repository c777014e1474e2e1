"""What a baseline is: today's statistical disclosure limitation, for comparison. It makes no formal promise."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from workbench.baselines.alternatives import Alternative
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.core.specs import Spec

PreparedT_contra = TypeVar("PreparedT_contra", contravariant=True)
ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


class Baseline(Spec, Protocol[PreparedT_contra, ParamsT_contra]):
    """Protects the prepared data the way the agency does today. The result stays confidential: it is only compared."""

    def protect(
        self, prepared: PreparedT_contra, params: ParamsT_contra, rng: StudyRandom, context: Context
    ) -> Alternative:
        """Values for every cell, a pattern of suppression with what an attacker finds out, or a protected file."""


AnyBaseline = Baseline[Any, Any]
