"""A file of records made from noisy tables of all pairs, by post-processing only; the tables are published beside it.

Formula: the tables of `pairs-gaussian`; model-based tables from them, by factors and their known noise
(`model_tables.py`); a mixture of products fitted to these (`mixture.py`); as many records as the noisy total says,
drawn in strata and swapped towards the model-based tables (`records.py`); numbers inside a class by public heaping
weights, tilted to the noisy mean of the class.
Guarantee: that of the tables. Everything after the measurement sees the plan and the noisy integers only.
Rounding: see `pairs-gaussian`; records are categories and whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Coded, Column, ColumnRole, Columns, Units
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.contract import Declared
from workbench.products.survey_microdata import mixture, model_tables, records
from workbench.products.survey_microdata.central import params as shared
from workbench.products.survey_microdata.central.heaped import numbers_in_classes
from workbench.products.survey_microdata.central.measurement import Drawn, laws, measure
from workbench.products.survey_microdata.central.params import PairsCase, PairsParams
from workbench.products.survey_microdata.central.tables import class_means, noisy_tables
from workbench.products.survey_microdata.layout import number_places
from workbench.products.survey_microdata.survey_data import SurveyData


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsFileParams(PairsParams):
    components: int = param(
        mixture.COMPONENTS, "Components", "Of the model of records; more hardly make it better.", ge=2, le=2000,
        advanced=True,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PairsFile:
    """See the module's docstring."""

    id: str = "pairs-file"
    version: int = 2
    title: str = "File made from noisy tables"
    summary: str = "Noisy tables of all pairs, and a file of records made from nothing else."
    params: type[PairsFileParams] = PairsFileParams
    case: type[PairsCase] = PairsCase
    traits: Traits = Traits(slow=True, records=True, own_rows=True, bound=True, no_closed_form=True)

    def problems(self, prepared: SurveyData, params: PairsFileParams) -> tuple[Problem, ...]:
        return shared.pairs_problems(prepared, params)

    def claim(self, prepared: SurveyData | None, params: PairsFileParams) -> Claim:
        return shared.pairs_claim(prepared, params)

    def release(self, prepared: SurveyData, params: PairsFileParams, rng: ReleaseRandom, context: Context) -> Release:
        asked: list[Answer] = []
        return Release.of(_drawn(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def laws(self, prepared: SurveyData, params: PairsFileParams) -> Mapping[str, Declared]:
        return laws(prepared, shared.measurement(prepared, params))

    def study(
        self, prepared: SurveyData, params: PairsFileParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: SurveyData, params: PairsFileParams) -> None:
        """None: no record of the file is anybody's."""

    def exact_loss(self, prepared: SurveyData, params: PairsFileParams, context: Context) -> ExactLoss:
        context.step(0.0, "adding up what every table spends")
        return shared.pairs_loss(prepared, params)

    def neighbours(
        self, prepared: SurveyData, params: PairsFileParams, copies: int  # noqa: ARG002 - all data go into one release
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return shared.one_more(prepared, params)

    def calibrate(self, params: PairsFileParams, case: PairsCase) -> Calibration:
        return shared.pairs_calibration(params, case)


def _drawn(
    prepared: SurveyData,
    params: PairsFileParams,
    rng: UniformWords,
    context: Context,
    asked: list[Answer] | None = None,
) -> Columns:
    drawn = measure(prepared, shared.measurement(prepared, params), rng, Part(context, 0.0, 0.1), asked)
    seed = [int(word) for word in rng.words(4)]
    return made_from(drawn, params.components, seed, Part(context, 0.1, 1.0))


def made_from(drawn: Drawn, components: int, seed: list[int], context: Context) -> Columns:
    """The file and its tables: of the plan, the noisy integers and fresh randomness, with no data in reach."""
    random = np.random.Generator(np.random.PCG64(seed))
    noisy = drawn.tables()
    tables = replace(noisy, pair=model_tables.model_based(noisy, Part(context, 0.0, 0.05)))
    chances = mixture.fit(tables, random, Part(context, 0.05, 0.2), components)
    size, categories = tables.size(), tables.categories
    context.step(0.2, "drawing records from the model")
    raw = records.drawn(chances, categories, size, random)
    classed = records.polished(raw, model_tables.counts(tables), categories, random, Part(context, 0.25, 0.95))
    context.step(0.95, "filling in numbers")
    columns = _columns(drawn, classed, random)
    context.step(1.0, "file made")
    return Columns(columns=columns, records=True, beside=noisy_tables(drawn))


def _columns(drawn: Drawn, classed: Integers, random: np.random.Generator) -> tuple[Column, ...]:
    order = {place: at for at, place in enumerate(number_places(drawn.measured.variables))}
    columns: list[Column] = []
    for place, variable in enumerate(drawn.measured.variables):
        if variable.number:
            _, above = class_means(drawn, place, order[place])
            numbers = numbers_in_classes(variable, classed[:, place], above, random)
            columns.append(Units(name=variable.name, integers=numbers, additive=False))
        else:
            codes = classed[:, place].astype(np.int32)
            columns.append(Coded(name=variable.name, codes=codes, role=ColumnRole.VALUE))
    return tuple(columns)


SPEC = PairsFile()
