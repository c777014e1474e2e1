"""The twin as prepared cells, with the true values behind it: what public studies are made on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.products.area_estimates.area_data import AreaData, Bounded, RowFacts, lines_by_outcome, table_of
from workbench.products.area_estimates.people import FINE, People
from workbench.products.area_estimates.places import Places
from workbench.products.area_estimates.twin.areas import make_areas
from workbench.products.area_estimates.twin.children import children_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinCells:
    """Simulated cells and the expected outcome at every rank, cells × ranks."""

    prepared: AreaData
    truth: Floats


def twin_cells(cells: int, people: int, *, seed: int = 1, ranks: tuple[float, ...] = (0.25, 0.75)) -> TwinCells:
    """Income rank by parents' rank in simulated areas."""
    random = np.random.Generator(np.random.PCG64(seed))
    areas = make_areas(cells, people, random)
    rows = list(children_of(areas, random))
    everybody = People(
        cell=np.concatenate([each.area for each in rows]).astype(np.int32),
        x=_fine(np.concatenate([each.parents for each in rows])),
        y=(_fine(np.concatenate([each.income for each in rows])),),
    )
    states = int(areas.state.max()) + 1
    places = Places(
        area_column="tract",
        areas=tuple(areas.names()),
        larger=tuple(f"S{place:02d}" for place in range(states)),
        larger_of=areas.state,
        group_columns=(),
        groups=((),),
        latitude=areas.latitude,
        longitude=areas.longitude,
    )
    prepared = AreaData(
        places=places,
        predictor=Bounded(name="parent_rank", lower=0.0, upper=1.0),
        outcomes=(Bounded(name="income_rank", lower=0.0, upper=1.0),),
        ranks=tuple(f"{rank:g}" for rank in ranks),
        people=Confidential(everybody),
        lines=Confidential(lines_by_outcome(everybody, cells)),
        table=Confidential(table_of(everybody, places)),
        facts=Confidential(RowFacts(rows=len(everybody), unlisted=0, outside=0, repeated=0)),
        bounded=True,
    )
    own = areas.truth()
    weights = np.array([[1.5 - 2.0 * rank, 2.0 * rank - 0.5] for rank in ranks])
    return TwinCells(prepared=prepared, truth=own @ weights.T)


def _fine(values: Floats) -> np.ndarray:
    return np.rint(values * FINE).astype(np.int32)
