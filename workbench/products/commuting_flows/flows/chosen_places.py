"""Several places chosen at once: codes of any level, beginnings of block codes such as block groups, or a polygon."""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Bools
from workbench.core.errors import UserProblem
from workbench.core.outlines import inside, outline_of
from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes
from workbench.products.commuting_flows.flows.structures import Geography, Level, Populations

_GROUP_DIGITS = 3  # a block group's code is the block's without its last three characters
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
    """Workplace areas in these blocks: a block itself, or a tract with most of its blocks among them."""
    geography = prepared.geography
    block = find_codes(prepared.work_area, geography.blocks)
    found = np.where(block == UNKNOWN, False, blocks[block])
    tract = find_codes(prepared.work_area, geography.areas[Level.TRACT])
    of_tract = np.bincount(geography.area_of[Level.TRACT], weights=blocks) > 0.5 * np.bincount(
        geography.area_of[Level.TRACT]
    )
    return np.where(block == UNKNOWN, of_tract[tract], found)


def block_groups(geography: Geography) -> tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Codes of block groups and the one of each block."""
    codes = [code[: max(len(code) - _GROUP_DIGITS, 1)] for code in geography.blocks]
    names, of = np.unique(np.asarray(codes, dtype=np.str_), return_inverse=True)
    return tuple(names.tolist()), of.astype(np.int64)
