"""The page of an area: several places at once, residents' workplaces, methods side by side, and polygons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.figures import Kind
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom
from workbench.explorations.contract import Scene
from workbench.products.commuting_flows import noisy_flows
from workbench.products.commuting_flows.explorations import area_page
from workbench.products.commuting_flows.explorations.area_tables import AreaPageParams, By, Side
from workbench.products.commuting_flows.noisy_flows import NoisyFlowsParams
from workbench.products.commuting_flows.product import SPEC as PRODUCT


@pytest.fixture(scope="module")
def scene() -> Scene:
    prepared = made.listed()
    settings = NoisyFlowsParams(epsilon=Epsilon(40))
    release = noisy_flows.SPEC.release(prepared, settings, ReleaseRandom(), QUIET)
    workers = prepared.flows.reveal().workers.astype(np.float64)
    return Scene(
        prepared=prepared,
        mechanism=noisy_flows.SPEC,
        params=settings,
        table=PRODUCT.public_table(prepared, release),
        baseline=lambda _: Confidential(np.where(workers >= 3, workers, np.nan)),
    )


def page(scene: Scene, **settings: Any) -> Any:
    (finding,) = area_page.SPEC.show(scene, AreaPageParams(**settings), QUIET)
    judge_findings((finding,))
    return finding


def test_that_several_workplaces_are_added_up_method_by_method(scene: Scene) -> None:
    found = page(scene, areas="0121, 0211")
    assert found.values["area_jobs"] == 10 + 3
    by_distance, by_place = found.tables
    assert by_distance.columns == ("jobs", "true", "suppressed", "synthetic", "noisy")
    assert by_distance.rows[-1][:3] == ("all", 13, 3 + 4)
    assert sum(int(row[1]) for row in by_distance.rows[:-1]) == 13
    assert by_place.rows[0][1] == max(int(row[1]) for row in by_place.rows[:-1])
    assert abs(int(found.values["released_jobs"]) - 13) <= 2


@pytest.mark.parametrize(
    ("codes", "jobs"), [("011", 4828), ("P1", 4838), ("S1", 4862), ("01", 4838), ("0101, 011", 4828)]
)
def test_that_areas_of_every_level_and_beginnings_of_codes_are_known(scene: Scene, codes: str, jobs: int) -> None:
    assert page(scene, areas=codes).values["area_jobs"] == jobs


def test_that_the_labour_shed_tells_where_residents_work(scene: Scene) -> None:
    found = page(scene, areas="011", side=Side.HOME, by=By.BLOCK_GROUP)
    assert found.values["area_jobs"] == made.SECRET_COUNT + 3 + 2 + 12
    assert {row[0]: row[1] for row in found.tables[-1].rows}["0"] == made.SECRET_COUNT + 3 + 2 + 12
    by_tract = {row[0]: row[1] for row in page(scene, areas="011", side=Side.HOME).tables[-1].rows}
    assert (by_tract["011"], by_tract["012"], by_tract["022"]) == (made.SECRET_COUNT, 5, 12)


def test_that_a_polygon_drawn_on_the_map_chooses_workplaces(scene: Scene) -> None:
    around = "-98.05 39.99, -97.99 39.99, -97.99 40.02, -98.05 40.02"
    assert page(scene, polygon=around).values["area_jobs"] == made.SECRET_COUNT + 7 + 1 + 1
    bars, residences = page(scene).figures
    assert bars.kind is Kind.BARS
    assert (residences.kind, residences.picks, residences.polygon) == (Kind.MAP, "areas", "polygon")
    assert all(series.keys for series in residences.series)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"polygon": "-90 30, -89 30, -89 31"}, "The polygon holds no workplace"),
        ({"polygon": "-90 30, -89 30, -89 31", "side": Side.HOME}, "The polygon holds no block"),
        ({"polygon": "-90 30"}, "at least three corners"),
        ({"areas": "77"}, "There is no area “77”"),
        ({"areas": "0411", "side": Side.WORK}, ": 0 true"),
    ],
)
def test_that_places_that_are_not_there_are_told(scene: Scene, settings: dict[str, Any], said: str) -> None:
    if said.startswith(":"):
        assert said in page(scene, **settings).sentence
        return
    with pytest.raises(UserProblem, match=said):
        page(scene, **settings)


def test_that_nothing_drawn_is_a_problem(scene: Scene) -> None:
    empty = Scene(prepared=scene.prepared, mechanism=scene.mechanism, params=scene.params)
    with pytest.raises(UserProblem, match="drawn"):
        area_page.SPEC.show(empty, AreaPageParams(), QUIET)


def test_that_one_far_home_does_not_shrink_the_map_to_a_spot(scene: Scene) -> None:
    found = page(scene, areas="0101")
    assert "031" not in found.figures[1].series[0].keys
    assert {row[0]: row[1] for row in found.tables[-1].rows}["031"] == 1
