"""What a measure of usefulness is: the release against the truth and against the baseline, as findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.specs import Spec
from workbench.core.words import JOBS, Words
from workbench.mechanisms.contract import AnyMechanism, Release

ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is compared: true cells, the baseline's values, the mechanism, and the release drawn."""

    prepared: Any
    mechanism: AnyMechanism
    mechanism_params: Any
    mechanisms: tuple[AnyMechanism, ...]  # all that the product offers, this one among them
    baseline: Confidential[NDArray[np.float64]]
    baseline_title: str
    release: Release
    seed: int
    trials: int
    words: Words = JOBS


class Measure(Spec, Protocol[ParamsT_contra]):
    def run(self, comparison: Comparison, params: ParamsT_contra, context: Context) -> tuple[Finding, ...]: ...


AnyMeasure = Measure[Any]
