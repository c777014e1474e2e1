"""From microdata to people in public cells, through the door to the rows.

One row of each person is kept, the one with the first area in the order of names: that depends on the person's own
rows alone, whatever else is read. A row whose cell, group, predictor, outcome or weight is missing or not listed
contributes nothing. A value outside its bounds is clipped or its row left out, as the plan says.
"""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET, Context, Part
from workbench.microdata.elsewhere import WithheldRows
from workbench.microdata.inputs import Inputs
from workbench.products.area_estimates.area_data import (
    WEIGHT_GRID,
    AreaData,
    Bounded,
    RowFacts,
    lines_by_outcome,
    sides_by_outcome,
    table_from,
    table_of,
)
from workbench.products.area_estimates.dollars import dollars_of
from workbench.products.area_estimates.estimators.chosen import comparisons, estimator_of, side_of
from workbench.products.area_estimates.estimators.contract import Estimator, Sides
from workbench.products.area_estimates.estimators.discontinuity import Discontinuity
from workbench.products.area_estimates.params import AreaEstimatesParams, Outside
from workbench.products.area_estimates.people import FINE, People
from workbench.products.area_estimates.places import Places, places_of
from workbench.products.area_estimates.sums_elsewhere import Measures, sums_elsewhere
from workbench.tabulation.answers import Records
from workbench.tabulation.contract import First, Rows
from workbench.tabulation.door import rows_of
from workbench.tabulation.keys import Beyond, Key, Scale

_DECIMALS = 6  # a number is read to so many decimals before it goes onto the grid
_FEWER_DECIMALS = 2  # where its bounds are wide
_WIDE = 100_000


def area_data(inputs: Inputs, params: AreaEstimatesParams, context: Context) -> AreaData:
    context.step(0.0, "reading the list of areas")
    places = places_of(inputs, params)
    rows = rows_of(inputs.microdata)
    whole = rows.count.reveal()
    if params.person:
        context.step(0.05, "keeping one row of each person")
        rows = rows.bounded((params.person,), First(by=(params.cell, *params.groups)), Part(context, 0.05, 0.3))
    kept = rows.count.reveal()
    context.step(0.3, "reading people, predictor and outcomes")
    scales = scales_of(params)
    keys = (
        Key.listed(params.cell, places.areas, Beyond.LEAVE_OUT),
        *(
            Key.listed(name, _values(places.groups, place), Beyond.LEAVE_OUT)
            for place, name in enumerate(params.groups)
        ),
    )
    estimator = estimator_of(params)
    people: Confidential[People]
    sides: Confidential[tuple[Sides, ...]] | None = None
    if rows.gives_records:
        records = rows.records(keys, scales, Part(context, 0.3, 0.6)).reveal()
        found, inside = _people(records, params, scales, places)
        outside = int(np.count_nonzero(~inside))
        unlisted, people = records.left_out, Confidential(found)
        context.step(0.6, "adding up every cell")
        table = table_of(found, places)
        context.step(0.85, "fitting the line of every cell")
        lines, sides = lines_by_outcome(found, places.cells), sides_by_outcome(found, places.cells, estimator)
    else:
        leave_out = params.outside is Outside.LEAVE_OUT
        measures = _measures(params, scales, estimator)
        sums = sums_elsewhere(rows, keys, measures, leave_out=leave_out, context=Part(context, 0.3, 1.0))
        table, lines, unlisted, outside = table_from(sums.power, places), sums.lines, sums.unlisted, sums.outside
        sides = Confidential(sums.sides) if sums.sides is not None else None
        people = WithheldRows(inputs.microdata.elsewhere.title if inputs.microdata.elsewhere else "the engine")
    context.step(1.0, "cells ready")
    lower, upper = params.bounds
    return AreaData(
        places=places,
        predictor=Bounded(name=params.predictor, lower=float(lower), upper=float(upper)),
        outcomes=tuple(
            Bounded(name=name, lower=float(row.bounds[0]), upper=float(row.bounds[1]))
            for name, row in params.outcomes.items()
        ),
        ranks=params.ranks,
        people=people,
        lines=Confidential(lines),
        table=Confidential(table),
        facts=Confidential(RowFacts(rows=whole, unlisted=unlisted, outside=outside, repeated=whole - kept)),
        which=partial(_which, rows, keys, params, scales, places) if rows.gives_records else None,
        bounded=bool(params.person),
        estimator=estimator,
        sides=sides,
        dollars=dollars_of(inputs, params),
        most_weight=params.most_weight * WEIGHT_GRID if params.weight else 1,
        weight_grid=WEIGHT_GRID if params.weight else 1,
        typical_weight=float(params.typical_weight or 1) if params.weight else 1.0,
    )


def _measures(params: AreaEstimatesParams, scales: tuple[Scale, ...], estimator: Estimator | None) -> Measures:
    """The scales by what they are for."""
    outcomes = 1 + len(params.outcomes)
    weights = 1 if params.weight else 0
    return Measures(
        of_line=scales[:outcomes],
        weight=scales[outcomes] if params.weight else None,
        comparisons=scales[outcomes + weights :],
        cutoff=estimator.cutoff if isinstance(estimator, Discontinuity) else None,
        sides=estimator.sides if estimator is not None else 1,
    )


def _values(groups: tuple[tuple[str, ...], ...], place: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(group[place] for group in groups))


def scales_of(params: AreaEstimatesParams) -> tuple[Scale, ...]:
    """Predictor, outcomes and weight on their declared grids, one step wider so that values outside can be told."""
    lower, upper = params.bounds
    listed = [_scale(params.predictor, lower, upper)]
    listed += [_scale(name, *row.bounds) for name, row in params.outcomes.items()]
    if params.weight:
        most = params.most_weight * WEIGHT_GRID
        listed.append(Scale(column=params.weight, lower=-1, upper=most, decimals=2, beyond=Beyond.LEAVE_OUT))
    listed += [Scale(column=name, lower=-1, upper=2, beyond=Beyond.LEAVE_OUT) for name in comparisons(params)]
    return tuple(listed)


def _scale(name: str, lower: Decimal, upper: Decimal) -> Scale:
    decimals = _FEWER_DECIMALS if max(abs(lower), abs(upper)) > _WIDE else _DECIMALS
    unit = Decimal(10) ** decimals
    low, high = (int((bound * unit).to_integral_value()) for bound in (lower, upper))
    return Scale(column=name, lower=low - 1, upper=high + 1, decimals=decimals, beyond=Beyond.LEAVE_OUT)


def _cells(records: Records, params: AreaEstimatesParams, places: Places) -> NDArray[np.int32]:
    """Groups × areas, the group slowest."""
    group = np.zeros(1, np.int64)
    for place, name in enumerate(params.groups):
        group = group * len(_values(places.groups, place)) + records.positions[name]
    cell: NDArray[np.int32] = (group * len(places.areas) + records.positions[params.cell]).astype(np.int32)
    return cell


def _people(
    records: Records, params: AreaEstimatesParams, scales: tuple[Scale, ...], areas: Places
) -> tuple[People, Bools]:
    """Everybody whose values count, and which of the records those are."""
    cell = _cells(records, params, areas)
    numbers = records.numbers
    inside: Bools = np.ones(len(cell), np.bool_)
    values = {}
    measured = scales[: 1 + len(params.outcomes)]
    for scale in measured:
        value, low, high = numbers[scale.column], scale.lower + 1, scale.upper - 1
        if params.outside is Outside.LEAVE_OUT:
            inside &= (value >= low) & (value <= high)
        values[scale.column] = _fine(np.clip(value, low, high), low, high)
    weight = numbers[params.weight] if params.weight else None
    if weight is not None:
        inside &= weight >= 0  # a negative weight is no weight: the row contributes nothing
    for name in comparisons(params):
        inside &= (numbers[name] == 0) | (numbers[name] == 1)
    side = side_of(params, values[params.predictor], numbers)
    if not inside.all():
        cell = cell[inside]
        values = {name: value[inside] for name, value in values.items()}
        weight = weight[inside] if weight is not None else None
        side = side[inside] if side is not None else None
    people = People(
        cell=cell,
        x=values[params.predictor],
        y=tuple(values[name] for name in params.outcomes),
        weight=weight,
        side=side,
    )
    return people, inside


def _which(
    rows: Rows, keys: tuple[Key, ...], params: AreaEstimatesParams, scales: tuple[Scale, ...], areas: Places
) -> Confidential[Integers] | None:
    """Where the people who count stand among the rows that were loaded."""
    at = rows.places(keys, scales)
    if at is None:
        return None
    _, inside = _people(rows.records(keys, scales, QUIET).reveal(), params, scales, areas)
    return Confidential(at.reveal()[inside])


def _fine(value: Integers, low: int, high: int) -> NDArray[np.int32]:
    """Millionths between the bounds, the nearest, halves up."""
    width = high - low
    fine: NDArray[np.int32] = ((2 * FINE * (value - low) + width) // (2 * width)).astype(np.int32)
    return fine
