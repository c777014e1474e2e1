"""What all private fits share: how they are drawn for release and for study, and who their neighbours are.

A method says what it draws (`drawn`), what it claims and what that costs. The code that is released and the code that
is watched by a black box is the same: `FitData.copies` independent fits of the same rows are drawn at once.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Delta
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import NeighbourPair, Release
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms.fit_random import FitRandom, exact, study
from workbench.products.model_fits.mechanisms.neighbours import one_more
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits, published_fit

ParamsT = TypeVar("ParamsT")
LEAST_DELTA = "1e-30"


def delta_param(least: str = LEAST_DELTA) -> Delta:
    """δ as every method that needs one declares it."""
    made: Delta = param(
        Delta("0.000001"),
        "Added probability δ",
        "Beyond the factor of ε. Keep it far below 1 divided by the number of people.",
        ge=least,
        le="0.01",
    )
    return made


class FitMechanism(Generic[ParamsT]):
    """The part of a mechanism that is the same for every method."""

    __slots__ = ()
    id: str
    version: int

    def drawn(self, prepared: FitData, params: ParamsT, random: FitRandom, context: Context) -> DrawnFits:
        """One fit for each copy."""
        raise NotImplementedError

    def problems(self, prepared: FitData, params: ParamsT) -> tuple[Problem, ...]:  # noqa: ARG002 - most methods take any declared predictors
        return ()

    def release(self, prepared: FitData, params: ParamsT, rng: ReleaseRandom, context: Context) -> Release:
        source = exact(rng)
        drawn = self.drawn(prepared, params, source, context)
        return Release.of(published_fit(prepared, drawn), self, rng, tuple(source.asked or ()))

    def study(self, prepared: FitData, params: ParamsT, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        return Confidential(published_fit(prepared, self.drawn(prepared, params, study(rng), context)))

    def expected_error(self, prepared: FitData, params: ParamsT) -> None:
        """None: the error of a coefficient depends on the fit itself and is known by drawing only."""

    def neighbours(self, prepared: FitData, params: ParamsT, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - the same for every setting
        return one_more(prepared, copies)
