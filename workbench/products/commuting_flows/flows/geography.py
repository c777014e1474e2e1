"""The public geography: a file of blocks with their areas, coordinates and, if known, population.

Support points are made of whole tracts, so tracts must lie in one PUMA and PUMAs in one Super-PUMA. Where a file has
them cross (wards cut tracts), an area goes as a whole to where most of its people live, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.quantities import agreeing, counted
from workbench.microdata.table import CodedColumn, Microdata, numbers_of
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level, Numbers

_SHOWN = 3
_LEVEL_NAMES = ("tract", "PUMA", "Super-PUMA")


@dataclass(frozen=True, slots=True, kw_only=True)
class GeographyColumns:
    """Which column of the geography file holds what; an empty population means that none is known."""

    block: str
    tract: str
    puma: str
    super_puma: str
    latitude: str
    longitude: str
    population: str = ""

    @property
    def areas(self) -> tuple[str, str, str]:
        return self.tract, self.puma, self.super_puma


@dataclass(frozen=True, slots=True, kw_only=True)
class GeographyFacts:
    """What was done to make the file usable; public."""

    split: tuple[int, int]  # tracts that lay in several PUMAs, PUMAs that lay in several Super-PUMAs
    population_known: bool
    unpeopled_tracts: int  # tracts without population: their blocks weigh alike


def column_problems(table: Microdata, columns: GeographyColumns) -> tuple[Problem, ...]:
    """Columns that the file lacks."""
    named = (*([columns.population] if columns.population else []), columns.block, *columns.areas,
             columns.latitude, columns.longitude)  # fmt: skip
    return tuple(
        Problem(
            f"The geography has no column “{name}”",
            table.name,
            "Name the right column in the product's settings; the file has "
            f"{', '.join(tuple(table.columns)[:12])}{' …' if len(table.columns) > 12 else ''}",
        )
        for name in dict.fromkeys(named)
        if name not in table.columns
    )


def read_geography(table: Microdata, columns: GeographyColumns) -> tuple[Geography, GeographyFacts]:
    """Blocks sorted by code with nested areas. Every problem of the file is raised at once."""
    raise_if(column_problems(table, columns))
    block = table.coded(columns.block)
    order = _order(table, block)
    latitude, longitude = (numbers_of(table.columns[name])[order] for name in (columns.latitude, columns.longitude))
    listed = [table.coded(name) for name in columns.areas]
    codes = [column.codes.reveal()[order].astype(np.int32) for column in listed]
    population = _population(table, columns, order)
    blocks = tuple(str(value) for value in block.values)
    wrong = [*_coordinate_problems(table, blocks, latitude, longitude)]
    wrong += [
        _area_problem(table, blocks, _LEVEL_NAMES[level], codes[level]) for level in Level if codes[level].min() < 0
    ]
    raise_if(wrong)
    weights = population if population is not None else np.ones(len(blocks), dtype=np.int64)
    nested, split = _nested(codes, weights)
    weights, unpeopled = _peopled(weights, nested[Level.TRACT])
    geography = Geography(
        blocks=blocks,
        areas=tuple(tuple(str(value) for value in column.values) for column in listed),
        area_of=nested,
        latitude=latitude,
        longitude=longitude,
        population=weights,
    )
    return geography, GeographyFacts(split=split, population_known=population is not None, unpeopled_tracts=unpeopled)


def _order(table: Microdata, block: CodedColumn) -> Indices:
    """The rows in the order of the block codes. A block without a code or with two rows is a problem."""
    codes = block.codes.reveal()
    if block.missing:
        raise UserProblem("Some rows of the geography have no block code", table.name, "Remove those rows")
    if len(codes) != len(block.values):
        twice = np.flatnonzero(np.bincount(codes, minlength=len(block.values)) > 1)
        shown = ", ".join(str(block.values[i]) for i in twice[:_SHOWN]) + (" …" if len(twice) > _SHOWN else "")
        raise UserProblem(
            f"{counted(len(twice), 'block')} of the geography {agreeing(len(twice), 'has', 'have')} more than one row "
            f"({shown})",
            table.name,
            "Keep one row per block",
        )
    order = np.empty(len(codes), dtype=np.int32)
    order[codes] = np.arange(len(codes), dtype=np.int32)
    return order


def _named(blocks: tuple[str, ...], wrong: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    places = np.flatnonzero(wrong)
    shown = ", ".join(blocks[i] for i in places[:_SHOWN].tolist())
    return f"{shown} …" if len(places) > _SHOWN else shown


def _coordinate_problems(
    table: Microdata, blocks: tuple[str, ...], latitude: Numbers, longitude: Numbers
) -> tuple[Problem, ...]:
    without = np.isnan(latitude) | np.isnan(longitude)
    off = ~without & ((np.abs(latitude) > 90.0) | (np.abs(longitude) > 180.0))
    found = []
    if without.any():
        many = counted(int(np.count_nonzero(without)), "block")
        what = f"{many} of the geography without coordinates ({_named(blocks, without)})"
        found.append(Problem(what, table.name, "Fill in their latitude and longitude, or remove the blocks"))
    if off.any():
        many = counted(int(np.count_nonzero(off)), "block")
        what = f"{many} with coordinates that are not degrees ({_named(blocks, off)})"
        found.append(Problem(what, table.name, "Give latitudes from −90 to 90 and longitudes from −180 to 180"))
    return tuple(found)


def _area_problem(table: Microdata, blocks: tuple[str, ...], level: str, codes: Indices) -> Problem:
    wrong = codes < 0
    many = counted(int(np.count_nonzero(wrong)), "block")
    what = f"{many} of the geography without a {level} ({_named(blocks, wrong)})"
    return Problem(what, table.name, "Fill in the area of every block")


def _population(table: Microdata, columns: GeographyColumns, order: Indices) -> Integers | None:
    if not columns.population:
        return None
    people = numbers_of(table.columns[columns.population])[order]
    if np.isnan(people).any() or (people < 0).any() or (people != np.floor(people)).any():
        raise UserProblem(
            f"The population “{columns.population}” is not a whole number from zero up for every block",
            table.name,
            "Correct the column, or name no population column: blocks of an area then weigh alike",
        )
    return people.astype(np.int64)


def _nested(codes: list[Indices], weights: Integers) -> tuple[tuple[Indices, ...], tuple[int, int]]:
    """Every area within one area of the next level: the one that holds most of its people."""
    tract = codes[Level.TRACT]
    puma_of_tract, split_tracts = _home_of(tract, codes[Level.PUMA], weights)
    puma = puma_of_tract[tract]
    super_of_puma, split_pumas = _home_of(puma, codes[Level.SUPER_PUMA], weights)
    return (tract, puma, super_of_puma[puma]), (split_tracts, split_pumas)


def _home_of(inner: Indices, outer: Indices, weights: Integers) -> tuple[Indices, int]:
    """For each inner area the outer area with most people (blocks where nobody lives), and how many were split."""
    count = int(outer.max()) + 1
    pairs, place = np.unique(inner.astype(np.int64) * count + outer, return_inverse=True)
    people = np.bincount(place, weights=weights + 1e-6, minlength=len(pairs))
    of_pair, outer_of_pair = np.divmod(pairs, count)
    best = np.lexsort((-outer_of_pair, people, of_pair))  # the last of each inner area has the most, lowest code first
    home = np.zeros(int(inner.max()) + 1, dtype=np.int32)
    home[of_pair[best]] = outer_of_pair[best]
    return home, int(np.count_nonzero(np.bincount(of_pair) > 1))


def _peopled(weights: Integers, tract: Indices) -> tuple[Integers, int]:
    """Weights with which a block can be drawn in every tract: where nobody lives, all its blocks weigh one."""
    people = np.bincount(tract, weights=weights)
    present = np.bincount(tract)
    empty = (people == 0) & (present > 0)
    return np.where(empty[tract], 1, weights).astype(np.int64), int(np.count_nonzero(empty))


def centroids(geography: Geography, level: Level) -> tuple[Numbers, Numbers]:
    """Latitude and longitude of every area of a level: the middle of its people."""
    from workbench.products.commuting_flows.flows.distances import degrees_of, sums_of, unit_vectors

    area = geography.area_of[level]
    vectors = unit_vectors(geography.latitude, geography.longitude)
    return degrees_of(sums_of(vectors, area, len(geography.areas[level]), geography.population.astype(np.float64)))
