"""All one- and two-way tables of the declared variables with exact Gaussian noise, in the residual basis.

Formula: see `central/measurement.py`; the variances are the best for the mean cell variance of pairs, with one-way
tables weighted by 10, and 5 % of ρ for means of numbers.
Guarantee: ρ = Σ Πk(k − 1)/(2γ²) for a record added or removed; the set formula of `residual_plan.py` for a record
replaced; (ε, δ) by the conversion of Canonne, Kamath and Steinke (2020).
Rounding: the noisy integers are exact; published cells are rounded to hundredths of a respondent afterwards.
Source: Xiao, He, Zhang and Kifer (2023) for the basis; the integer form and its proof are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.contract import Declared
from workbench.products.survey_microdata.central import params as shared
from workbench.products.survey_microdata.central.measurement import laws, measure
from workbench.products.survey_microdata.central.params import PairsCase, PairsParams
from workbench.products.survey_microdata.central.tables import noisy_tables
from workbench.products.survey_microdata.survey_data import SurveyData


@dataclass(frozen=True, slots=True)
class PairsGaussian:
    """See the module's docstring."""

    id: str = "pairs-gaussian"
    version: int = 1
    title: str = "Noisy tables of all pairs"
    summary: str = "Every one- and two-way table with exact Gaussian noise; no records."
    params: type[PairsParams] = PairsParams
    case: type[PairsCase] = PairsCase
    traits: Traits = Traits(slow=True, own_rows=True, bound=True, no_closed_form=True)

    def problems(self, prepared: SurveyData, params: PairsParams) -> tuple[Problem, ...]:
        return shared.pairs_problems(prepared, params)

    def claim(self, prepared: SurveyData | None, params: PairsParams) -> Claim:
        return shared.pairs_claim(prepared, params)

    def release(self, prepared: SurveyData, params: PairsParams, rng: ReleaseRandom, context: Context) -> Release:
        asked: list[Answer] = []
        return Release.of(_drawn(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def laws(self, prepared: SurveyData, params: PairsParams) -> Mapping[str, Declared]:
        return laws(prepared, shared.measurement(prepared, params))

    def study(
        self, prepared: SurveyData, params: PairsParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: SurveyData, params: PairsParams) -> None:
        """None: the prepared rows are respondents. The error of every cell stands beside it in the release."""

    def exact_loss(self, prepared: SurveyData, params: PairsParams, context: Context) -> ExactLoss:
        context.step(0.0, "adding up what every table spends")
        return shared.pairs_loss(prepared, params)

    def neighbours(
        self, prepared: SurveyData, params: PairsParams, copies: int  # noqa: ARG002 - all data go into one release
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return shared.one_more(prepared, params)

    def calibrate(self, params: PairsParams, case: PairsCase) -> Calibration:
        return shared.pairs_calibration(params, case)


def _drawn(
    prepared: SurveyData,
    params: PairsParams,
    rng: UniformWords,
    context: Context,
    asked: list[Answer] | None = None,
) -> Columns:
    drawn = measure(prepared, shared.measurement(prepared, params), rng, Part(context, 0.0, 0.9), asked)
    context.step(0.9, "putting the tables together")
    tables = noisy_tables(drawn)
    context.step(1.0, "tables put together")
    return tables


SPEC = PairsGaussian()
