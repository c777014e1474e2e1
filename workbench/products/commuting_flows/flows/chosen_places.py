"""Several places chosen at once: codes of any level, beginnings of block codes such as block groups, or a polygon."""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Bools
from workbench.core.errors import UserProblem
from workbench.core.outlines import inside, outline_of
from workbench.products.commuting_flows.flows.columns import find_codes
from workbench.products.commuting_flows.flows.structures import Geography, Level, Populations
from workbench.products.commuting_flows.flows.work_areas import work_areas_of

_SHORTEST = 2


def chosen_blocks(geography: Geography, codes: str, polygon: str) -> Bools:
    """Blocks in any of the named areas (separated by commas) or inside the polygon."""
    found = np.zeros(len(geography.blocks), dtype=np.bool_)
    for code in dict.fromkeys(part.strip() for part in codes.split(",") if part.strip()):
        found |= _named(geography, code)
    if polygon.strip():
        found |= inside((outline_of(polygon, "polygon"),), geography.longitude, geography.latitude)
    return found


def _named(geography: Geography, code: str) -> Bools:
    """The block, the areas or the beginning of block codes that this code stands for."""
    for level in Level:
        if code in geography.areas[level]:
            return np.asarray(geography.area_of[level] == geography.areas[level].index(code))
    blocks = np.asarray(geography.blocks, dtype=np.str_)
    found: Bools = np.char.startswith(blocks, code) if len(code) >= _SHORTEST else np.zeros(len(blocks), np.bool_)
    if not found.any():
        raise UserProblem(
            f"There is no area “{code[:40]}” in the geography",
            "areas",
            "Use codes of blocks, block groups, tracts, PUMAs or Super-PUMAs, with their leading zeros",
        )
    return found


def chosen_workplaces(prepared: Populations, blocks: Bools) -> Bools:
    """Workplace areas in these blocks: those with most of their blocks among them."""
    areas = work_areas_of(prepared.work_area, prepared.geography)
    most = np.bincount(areas.of_block, weights=blocks) > 0.5 * np.bincount(areas.of_block)
    return np.asarray(most[find_codes(prepared.work_area, areas.codes)])
