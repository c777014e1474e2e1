"""Explorations of area estimates: whole findings for every one, and figures that show what they say."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.products.area_estimates import hand_made
from workbench.core.errors import UserProblem
from workbench.core.figures import Kind
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.explorations.contract import Scene
from workbench.products.area_estimates.explorations import (
    area_map,
    envelope,
    single_cell,
    tails_by_epsilon,
    two_areas,
)
from workbench.products.area_estimates.mechanisms import fractional_table, mos
from workbench.products.area_estimates.product import SPEC
from workbench.products.area_estimates.same_total import at_total
from workbench.products.area_estimates.twin.in_memory import twin_cells


def scene(prepared: Any, mechanism: Any = fractional_table.SPEC) -> Scene:
    params = mechanism.params()
    release = mechanism.release(prepared, params, ReleaseRandom(), QUIET)
    table = SPEC.public_table(prepared, release)
    return Scene(prepared=prepared, mechanism=mechanism, params=params, table=table)


@pytest.fixture(scope="module")
def simulated() -> Scene:
    return scene(twin_cells(120, 60, seed=4).prepared)


@pytest.mark.parametrize("exploration", SPEC.explorations, ids=[each.id for each in SPEC.explorations])
@pytest.mark.parametrize("mechanism", [fractional_table.SPEC, mos.SPEC], ids=["table", "mos"])
def test_that_every_exploration_shows_something_whole(exploration: Any, mechanism: Any) -> None:
    _shows_something_whole(exploration, scene(hand_made.prepared(), mechanism))


@pytest.mark.parametrize("exploration", SPEC.explorations, ids=[each.id for each in SPEC.explorations])
def test_that_every_exploration_shows_simulated_areas_whole(exploration: Any, simulated: Scene) -> None:
    _shows_something_whole(exploration, simulated)


def _shows_something_whole(exploration: Any, shown: Scene) -> None:
    judge_findings(exploration.show(shown, exploration.params(), QUIET), (hand_made.SECRET_NAME,))
    for setting, choices in exploration.choices(shown).items():
        if choices:
            chosen = dataclasses.replace(exploration.params(), **{setting: choices[-1]})
            judge_findings(exploration.show(shown, chosen, QUIET))


def test_that_the_added_person_moves_the_line_by_what_is_said(simulated: Scene) -> None:
    (found,) = single_cell.SPEC.show(simulated, single_cell.SingleCellParams(), QUIET)
    (figure,) = found.figures
    before, after = (
        next(series for series in figure.series if series.name == name)
        for name in ("line of the cell", "line with the added person")
    )
    rank = before.x.index(0.25)
    assert abs(after.y[rank] - before.y[rank]) == pytest.approx(float(str(found.values["local_sensitivity"])))


@pytest.mark.parametrize("exploration", [single_cell.SPEC, envelope.SPEC], ids=["single cell", "envelope"])
def test_that_sensitivities_are_told_in_the_unit_of_the_outcome(exploration: Any, simulated: Scene) -> None:
    prepared = simulated.prepared
    wide = dataclasses.replace(prepared, outcomes=(dataclasses.replace(prepared.outcomes[0], lower=0.0, upper=200.0),))
    (share,), (found,) = (
        exploration.show(dataclasses.replace(simulated, prepared=each), exploration.params(), QUIET)
        for each in (prepared, wide)
    )
    name = "chi" if exploration is envelope.SPEC else "local_sensitivity"
    assert found.values[name] == pytest.approx(200 * float(str(share.values[name])))
    moves, small = (figure.series[1].y for (figure,) in (found.figures, share.figures))
    assert moves == pytest.approx([200 * each for each in small])


def test_that_a_click_on_the_map_opens_the_cell_and_a_strip_does_without_places(simulated: Scene) -> None:
    (found,) = area_map.SPEC.show(simulated, area_map.AreaMapParams(), QUIET)
    (figure,) = found.figures
    assert figure.kind is Kind.MAP
    assert figure.picks == "cell"
    clicked = figure.series[0].keys[7]
    (opened,) = area_map.SPEC.show(simulated, area_map.AreaMapParams(cell=clicked), QUIET)
    assert clicked in opened.sentence
    (strip,) = area_map.SPEC.show(scene(hand_made.prepared()), area_map.AreaMapParams(), QUIET)
    assert strip.figures[0].kind is Kind.SCATTER
    with pytest.raises(UserProblem):
        area_map.SPEC.show(simulated, area_map.AreaMapParams(cell="nowhere"), QUIET)


def test_that_a_public_number_of_the_areas_file_can_be_laid_over(simulated: Scene) -> None:
    prepared = simulated.prepared
    census = np.arange(1.0, 121.0)
    laid = dataclasses.replace(prepared, places=dataclasses.replace(prepared.places, overlays=(("census", census),)))
    shown = dataclasses.replace(simulated, prepared=laid)
    (found,) = area_map.SPEC.show(shown, area_map.AreaMapParams(overlay="census"), QUIET)
    assert found.figures[0].series[0].high == tuple(census.tolist())


def test_that_two_areas_are_compared_with_both_margins(simulated: Scene) -> None:
    (found,) = two_areas.SPEC.show(simulated, two_areas.TwoAreasParams(), QUIET)
    table = simulated.table
    assert table is not None
    names = list(simulated.prepared.places.cell_names())
    pair = [names.index(name) for name in found.figures[0].x.categories]
    margins = table.units("p25_margin_of_error").numbers()[pair]
    assert found.values["difference_margin"] == pytest.approx(float(np.hypot(*margins)))


def test_that_every_method_is_compared_at_the_same_total(simulated: Scene) -> None:
    for _, mechanism, _ in tails_by_epsilon._METHODS:
        at = at_total(mechanism, mechanism.params(), simulated.prepared, Decimal(6))
        assert float(mechanism.claim(simulated.prepared, at).epsilon) == pytest.approx(6, rel=1e-6)


def test_that_the_tail_curve_marks_the_cap_of_the_policy() -> None:
    shown = scene(hand_made.prepared(), mos.SPEC)
    for cap in (None, Decimal("4.5")):
        capped = dataclasses.replace(shown, cap=cap)
        (found,) = tails_by_epsilon.SPEC.show(capped, tails_by_epsilon.TailsByEpsilonParams(), QUIET)
        marks = {mark.name: mark.value for mark in found.figures[0].marks}
        assert marks.get("cap of the policy") == (None if cap is None else 4.5)
