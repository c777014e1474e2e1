"""The areas that workplaces are published by: blocks, block groups or tracts. Public facts only.

A block group is what blocks have in common whose codes differ in the last three characters alone, as the Census Bureau
numbers them. It lies in one tract, or the geography's codes name no block groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.errors import UserProblem
from workbench.microdata.table import Texts
from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes
from workbench.products.commuting_flows.flows.distances import degrees_of, sums_of, unit_vectors
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level, Numbers

_DIGITS = 3


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WorkAreas:
    codes: tuple[str, ...]
    of_block: Indices
    tract: Indices  # of each area


def blocks_themselves(geography: Geography) -> WorkAreas:
    every = np.arange(len(geography.blocks), dtype=np.int32)
    return WorkAreas(codes=geography.blocks, of_block=every, tract=geography.area_of[Level.TRACT])


def whole_tracts(geography: Geography) -> WorkAreas:
    tracts = np.arange(len(geography.areas[Level.TRACT]), dtype=np.int32)
    return WorkAreas(codes=geography.areas[Level.TRACT], of_block=geography.area_of[Level.TRACT], tract=tracts)


def block_groups(geography: Geography) -> WorkAreas:
    """Block groups with the tract of each; one in several tracts is a problem with the geography's codes."""
    codes, of = by_beginning(geography)
    tract = geography.area_of[Level.TRACT]
    first = np.zeros(len(codes), dtype=np.int64)
    first[of[::-1]] = np.arange(len(of))[::-1]
    if np.any(tract[first][of] != tract):
        raise UserProblem(
            "The codes of blocks name no block groups: some would lie in several tracts",
            "work_level",
            "Publish workplaces by block or by tract",
        )
    return WorkAreas(codes=codes, of_block=of, tract=tract[first])


def by_beginning(geography: Geography) -> tuple[tuple[str, ...], Indices]:
    """What blocks' codes begin with, without their last three characters, and which of them each block has."""
    codes = np.asarray([code[: max(len(code) - _DIGITS, 1)] for code in geography.blocks], dtype=np.str_)
    names, of = np.unique(codes, return_inverse=True)
    return tuple(names.tolist()), of.astype(np.int32)


def middles_of(geography: Geography, areas: WorkAreas) -> tuple[Numbers, Numbers]:
    """Latitude and longitude of the middle of the people of each area."""
    people = np.maximum(geography.population.astype(np.float64), 1e-9)
    vectors = unit_vectors(geography.latitude, geography.longitude)
    return degrees_of(sums_of(vectors, areas.of_block, len(areas.codes), people))


def found_areas(texts: Texts, geography: Geography, areas: WorkAreas) -> Indices:
    """For each text its area, by the area's own code or a block's; UNKNOWN where it is neither."""
    block, own = find_codes(texts, geography.blocks), find_codes(texts, areas.codes)
    return np.where(block == UNKNOWN, own, areas.of_block[block]).astype(np.int32)


def work_areas_of(codes: tuple[str, ...], geography: Geography) -> WorkAreas:
    """The areas that these codes of workplaces are: blocks, block groups, or else tracts."""
    if not np.any(find_codes(codes, geography.blocks) == UNKNOWN):
        return blocks_themselves(geography)
    tracts = whole_tracts(geography)
    grouped = not np.any(find_codes(codes, by_beginning(geography)[0]) == UNKNOWN)
    return block_groups(geography) if grouped and np.any(find_codes(codes, tracts.codes) == UNKNOWN) else tracts
