"""What every plug-in is judged on. A new product adds one line to SAMPLES; nothing else here changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.products.area_estimates import hand_made as hand_made_areas
from tests.products.commuting_flows import hand_made_flows
from tests.products.employment_tables import hand_made
from tests.products.model_fits import hand_made as hand_made_fits
from tests.products.outcome_reports import hand_made as hand_made_outcomes
from tests.products.survey_microdata import hand_made as hand_made_survey
from workbench.baselines.alternatives import ProtectedFile, Rival
from workbench.baselines.contract import AnyBaseline
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.core.side_by_side import Side
from workbench.core.words import Words
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata.inputs import Inputs
from workbench.products.contract import AnyProduct
from workbench.products.employment_tables.params import DomainKind, EmploymentTablesParams
from workbench.utility.contract import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Data of one product: how to make them, their true values, and words that must never leak."""

    source: Callable[[], tuple[Inputs, Any]]  # with params of the product that have no problem
    prepared: Callable[[], Any]
    truth: Callable[[Any], NDArray[np.int64]]
    first_case: Callable[[Any, Any], tuple[Any, dict[str, float]]]  # data and params → params, case of the first cell
    secrets: tuple[str, ...]
    settings: Callable[[Any], Any] = lambda mechanism: mechanism.params()  # what its mechanisms are judged with
    rivals: Callable[[Any], Any] = lambda baseline: baseline.params()  # what its baselines are judged with
    decimals: tuple[int, ...] = (0,)  # of its published columns: draws and truth are in units of the last one


WORDS = Words(record=("record", "records"), row=("row", "rows"), unit="units")  # where no product is at hand
SAMPLES: dict[str, Sample] = {
    "employment_tables": Sample(
        source=lambda: (
            Inputs(microdata=hand_made.microdata(), roles=hand_made.ROLES),
            EmploymentTablesParams(workplace=("place", "sector"), worker=("sex",), domain=DomainKind.ALL),
        ),
        prepared=cache(hand_made.cells),
        truth=lambda cells: cells.count.reveal(),
        first_case=lambda cells, params: _first_cell(cells, params),
        secrets=(str(hand_made.SECRET_COUNT), f"{hand_made.SECRET_COUNT:,}", hand_made.SECRET_NAME),
    ),
    "commuting_flows": Sample(
        source=lambda: (hand_made_flows.listed_inputs(), hand_made_flows.listed_params()),
        prepared=cache(hand_made_flows.listed),
        truth=lambda flows: flows.flows.reveal().workers,
        first_case=lambda flows, params: (params, {"count": float(flows.size[0]), "largest": 1.0}),
        secrets=(
            str(hand_made_flows.SECRET_COUNT),
            f"{hand_made_flows.SECRET_COUNT:,}",
            hand_made_flows.SECRET_HOME,
        ),
        settings=hand_made_flows.settings,
    ),
    "model_fits": Sample(
        source=lambda: (hand_made_fits.inputs(), hand_made_fits.params()),
        prepared=cache(hand_made_fits.prepared),
        truth=hand_made_fits.truth,
        first_case=lambda _data, params: (params, {}),
        secrets=(hand_made_fits.SECRET_NAME,),
        settings=hand_made_fits.settings,
        decimals=(4, 4, 4, 0, 4),
    ),
    "area_estimates": Sample(
        source=lambda: (hand_made_areas.inputs(), hand_made_areas.params()),
        prepared=cache(hand_made_areas.prepared),
        truth=hand_made_areas.truth,
        first_case=hand_made_areas.first_case,
        secrets=(hand_made_areas.SECRET_NAME,),
        rivals=lambda baseline: _small_below(baseline, 10),
        decimals=(*[4] * 14, 0, 4),
    ),
    "survey_microdata": Sample(
        source=lambda: (hand_made_survey.inputs(), hand_made_survey.params()),
        prepared=cache(hand_made_survey.prepared),
        truth=hand_made_survey.truth,
        first_case=hand_made_survey.first_case,
        secrets=(hand_made_survey.SECRET_NAME,),
        settings=hand_made_survey.settings,
    ),
    "outcome_reports": Sample(
        source=lambda: (hand_made_outcomes.inputs(), hand_made_outcomes.params()),
        prepared=cache(hand_made_outcomes.prepared),
        truth=lambda outcomes: outcomes.truth.reveal(),
        first_case=lambda outcomes, params: (
            params,
            {"years": outcomes.layout.years, "sectors": outcomes.layout.places},
        ),
        secrets=hand_made_outcomes.SECRETS,
        settings=hand_made_outcomes.settings,
        rivals=lambda baseline: _small_below(baseline, 10),
        decimals=(0,) * 10,
    ),
}


def _small_below(baseline: AnyBaseline, threshold: int) -> Any:
    """Hand-made data have few cells and none of one or two people: a threshold at which some are small."""
    return baseline.params(threshold=threshold) if baseline.id == "cell-suppression" else baseline.params()


def _first_cell(cells: Any, params: Any) -> tuple[Any, dict[str, float]]:
    """Who divides ε or draws blocks is told how many worker cells there are; a block mechanism takes total sizes."""
    count = float(cells.count.reveal()[0])
    if not hasattr(params, "worker_cells"):
        return params, {"count": count, "largest": float(cells.largest.reveal()[0])}
    planned = dataclasses.replace(params, worker_cells=cells.domain.worker_combinations)
    by_cell = not hasattr(params, "post_processing")  # noise for one cell at a time, scaled by what is in that cell
    largest = cells.largest if by_cell else cells.workplace_largest
    return planned, {"count": count, "largest": float(largest.reveal()[0])}


def by_column(values: Any, place: int) -> Any:
    """One column of what may be a number or several for each row."""
    return values if values.ndim == 1 else values[:, place]


def sample_of(product: AnyProduct) -> Sample:
    assert product.id in SAMPLES, f"add prepared sample data of {product.id} to tests/contract/samples.py"
    return SAMPLES[product.id]


def today(baseline: AnyBaseline, prepared: Any, params: Any = None) -> Rival:
    """What a baseline gives, as a comparison takes it."""
    given = baseline.protect(prepared, params or baseline.params(), StudyRandom(2), QUIET)
    return Rival(id=baseline.id, title=baseline.title, side=Side.SDL, gives=given)


def studied(product: AnyProduct, mechanism: AnyMechanism, prepared: Any) -> Rival:
    """Another mechanism's study draw, laid out as the product would publish it."""
    drawn = mechanism.study(prepared, mechanism.params(), StudyRandom(4), QUIET)
    return Rival(
        id=mechanism.id,
        title=mechanism.title,
        side=Side.SOURCE if mechanism.traits.of_the_source else Side.OTHER,
        gives=ProtectedFile(published=Confidential(product.public_table(prepared, drawn.reveal()))),
    )


def compared(product: AnyProduct, mechanism: AnyMechanism) -> Comparison:
    """A whole comparison of a mechanism with the product's first baseline, if it has one, all at their defaults."""
    prepared = sample_of(product).prepared()
    params = mechanism.params()
    return Comparison(
        prepared=prepared,
        mechanism=mechanism,
        mechanism_params=params,
        mechanisms=product.mechanisms,
        rivals=tuple(today(baseline, prepared) for baseline in product.baselines[:1]),
        release=mechanism.release(prepared, params, ReleaseRandom(), QUIET),
        words=product.words,
        seed=3,
        trials=12,
    )
