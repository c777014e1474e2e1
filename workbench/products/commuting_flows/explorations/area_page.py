"""An area's page, as OnTheMap's reports have it: who works there and lives where, or who lives there and works where.

Areas are several workplaces or homes at once, by codes of any level or by a polygon drawn on the map. Jobs by
characteristic, by distance and by area of the other side stand beside each other: true, suppressed, synthetic, noisy.
The plan's method is shown by its release, the other one by a draw for study with its defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import UserProblem
from workbench.core.findings import Finding
from workbench.core.progress import QUIET, Context
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.commuting_flows import noisy_flows, synthetic_residences
from workbench.products.commuting_flows.explorations.area_tables import (
    SUPPRESSED,
    TRUE,
    AreaPageParams,
    Page,
    Side,
    page_finding,
)
from workbench.products.commuting_flows.flows.chosen_places import chosen_blocks, chosen_workplaces
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.flows.structures import BlockFlows
from workbench.products.commuting_flows.tables import flows_in
from workbench.products.commuting_flows.usefulness.draws import drawn_flows

_MOST_STUDIED = 2_000_000  # jobs up to which the other method is drawn while somebody waits


@dataclass(frozen=True, slots=True)
class AreaPage:
    """See the module's docstring."""

    id: str = "area-page"
    version: int = 1
    title: str = "Area page"
    summary: str = "Jobs of one or several areas by characteristic, distance and place: true, suppressed and released."
    params: type[AreaPageParams] = AreaPageParams
    stage: str = "compare"
    needs_release: bool = True

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        """Nothing to choose from: any code of the geography can be typed."""
        del scene
        return {}

    def show(self, scene: Scene, params: AreaPageParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "finding the area")
        if scene.table is None:
            raise UserProblem("Nothing has been drawn yet", "area-page", "Draw the release first")
        prepared: PreparedFlows = scene.prepared
        area = _area(prepared, params)
        files = _files(scene, prepared, context)
        context.step(0.8, "adding up the jobs of the area")
        within = {name: _within(prepared, file, area, params) for name, file in files.items()}
        page = Page(area.name, prepared, params, within)
        context.step(1.0, "page of the area is there")
        return (page_finding(page, scene.mechanism.title),)


@dataclass(frozen=True, slots=True)
class _Area:
    name: str
    workplaces: NDArray[np.bool_]
    blocks: NDArray[np.bool_]


def _area(prepared: PreparedFlows, params: AreaPageParams) -> _Area:
    if not params.areas.strip() and not params.polygon.strip():
        sizes = totals(prepared.area_of, prepared.size, len(prepared.work_area))
        name = prepared.work_area[int(np.argmax(sizes))]
        blocks = chosen_blocks(prepared.geography, name, "")
    else:
        name = " and ".join([*([params.areas.strip()[:60]] if params.areas.strip() else []), *_polygon(params)])
        blocks = chosen_blocks(prepared.geography, params.areas, params.polygon)
    where = "polygon" if params.polygon.strip() else "areas"
    workplaces = chosen_workplaces(prepared, blocks)
    if params.side is Side.WORK and not workplaces.any():
        said = "The polygon holds no workplace" if where == "polygon" else "No workplace lies in these areas"
        raise UserProblem(said, where, "Choose a larger area, or look at the people who live there")
    if not blocks.any():
        raise UserProblem("The polygon holds no block of the geography", where, "Draw it around some homes")
    return _Area(name[:1].upper() + name[1:], workplaces, blocks)


def _polygon(params: AreaPageParams) -> list[str]:
    return ["the polygon"] if params.polygon.strip() else []


def _files(scene: Scene, prepared: PreparedFlows, context: Context) -> dict[str, BlockFlows]:
    """True flows, what suppression shows of them, and both methods; the method of the plan by its release."""
    true = prepared.flows.reveal()
    found = {TRUE: true}
    if scene.baseline is not None:
        shown = np.nan_to_num(scene.baseline(QUIET).reveal()).astype(np.int64)
        found[SUPPRESSED] = BlockFlows(population=true.population, block=true.block, workers=shown)
    both: tuple[AnyMechanism, ...] = (synthetic_residences.SPEC, noisy_flows.SPEC)
    for mechanism in both:
        if mechanism.id == scene.mechanism.id:
            continue
        context.step(0.2, f"drawing {mechanism.title.lower()} for comparison")
        settings = mechanism.params()
        if int(true.workers.sum()) <= _MOST_STUDIED and not mechanism.problems(prepared, settings):
            drawn = mechanism.study(prepared, settings, StudyRandom(1), QUIET).reveal()
            found[_short(mechanism.title)] = drawn_flows(drawn)
    assert scene.table is not None
    found[_short(scene.mechanism.title)] = flows_in(prepared, scene.table)
    return found


def _short(title: str) -> str:
    return title.split()[0].lower()


def _within(prepared: PreparedFlows, file: BlockFlows, area: _Area, params: AreaPageParams) -> BlockFlows:
    there = (
        area.workplaces[prepared.area_of[file.population]]
        if params.side is Side.WORK
        else (file.block >= 0) & area.blocks[file.block]
    )
    return BlockFlows(population=file.population[there], block=file.block[there], workers=file.workers[there])


SPEC = AreaPage()
