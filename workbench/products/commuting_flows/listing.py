"""Which populations are listed: workplaces of a public register or of the whole geography, with declared values.

A list that follows from public files alone stays the same whoever works there; one that follows from the jobs loses a
population with its last worker, which no noise hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.core.errors import Problem
from workbench.microdata.inputs import Inputs
from workbench.microdata.table import CodedColumn, Microdata, Texts
from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Listed, PopulationList
from workbench.products.commuting_flows.flows.work_areas import (
    WorkAreas,
    block_groups,
    blocks_themselves,
    found_areas,
    whole_tracts,
)
from workbench.products.commuting_flows.pairs import Pairs
from workbench.products.commuting_flows.params import CommutingFlowsParams, Outside, WorkLevel

REGISTER = "workplaces"


def listing_problems(inputs: Inputs, params: CommutingFlowsParams) -> list[Problem]:
    """What the lists lack, without going through rows."""
    found = []
    register = inputs.companions.get(REGISTER)
    if params.populations is PopulationList.REGISTER:
        if register is None:
            do = f"Name the public list of workplaces under [data.companions], {REGISTER} = …"
            found.append(Problem("No register of workplaces is loaded", "populations", do))
        elif not isinstance(register.columns.get(params.work), CodedColumn):
            what = f"The register has no column “{params.work}” with the codes of workplaces"
            found.append(Problem(what, register.name, f"Its columns: {', '.join(tuple(register.columns)[:12])}"))
    if params.outside is Outside.UNKNOWN and not params.unknown_home:
        what = "The geography has no point for unknown homes"
        do = "Add a block for them to the geography file and name its code here"
        found.append(Problem(what, "unknown_home", do))
    return found


def unknown_block(params: CommutingFlowsParams, geography: Geography, name: str) -> tuple[int, list[Problem]]:
    """The block of unknown homes, UNKNOWN where none is wanted, and what is wrong with it."""
    if params.outside is not Outside.UNKNOWN:
        return UNKNOWN, []
    block = int(find_codes((params.unknown_home,), geography.blocks)[0])
    if block != UNKNOWN:
        return block, []
    what = f"The geography {name} has no block “{params.unknown_home[:40]}” for unknown homes"
    return UNKNOWN, [Problem(what, "unknown_home", "Add it to the file, in a tract of its own, or correct the code")]


def workplace_numbers(texts: Texts, params: CommutingFlowsParams, geography: Geography) -> Indices:
    """For each text its workplace area; UNKNOWN where it is neither an area nor a block."""
    return found_areas(texts, geography, areas_of(params, geography))


def areas_of(params: CommutingFlowsParams, geography: Geography) -> WorkAreas:
    made = {WorkLevel.BLOCK: blocks_themselves, WorkLevel.BLOCK_GROUP: block_groups, WorkLevel.TRACT: whole_tracts}
    return made[params.work_level](geography)


def listed_workplaces(
    inputs: Inputs, params: CommutingFlowsParams, geography: Geography, *, unknown: int
) -> tuple[Indices | None, list[Problem]]:
    """The workplaces of the public list in order, None where the jobs list them; and what is wrong with it."""
    if params.populations is PopulationList.DATA:
        return None, []
    if params.populations is PopulationList.ALL:
        blocks = np.delete(np.arange(len(geography.blocks), dtype=np.int32), [unknown] if unknown >= 0 else [])
        return np.unique(areas_of(params, geography).of_block[blocks]), []
    register = inputs.companions[REGISTER]
    column = register.coded(params.work)
    numbers = workplace_numbers(column.values, params, geography)[np.unique(column.codes.reveal())]
    if column.missing or np.any(numbers == UNKNOWN):
        what = f"Some workplaces of the register {register.name} are missing or not in the geography"
        return None, [Problem(what, register.name, "Use the register and the geography of the same region and year")]
    return np.unique(numbers), []


def unlisted(work: Indices, listed: Indices | None) -> list[Problem]:
    """Jobs at workplaces that a public list lacks: a stop before any draw."""
    if listed is None or np.isin(work[work != UNKNOWN], listed).all():
        return []
    do = "Use a register that has every workplace, or list all workplace areas"
    return [Problem("Some jobs are at workplaces that the list does not have", "populations", do)]


def by_dictionary(
    pairs: Pairs, microdata: Microdata, params: CommutingFlowsParams
) -> tuple[Pairs, tuple[str, ...], list[Problem]]:
    """Characteristics with the values that a dictionary declares; those that none declares; what is wrong.

    Where the jobs list the populations anyway, values stay those that were met.
    """
    if params.populations is PopulationList.DATA:
        return pairs, (), []
    from_data, problems = [], []
    codes, texts = dict(pairs.codes), dict(pairs.texts)
    for name in params.characteristics:
        column = microdata.columns.get(name)
        declared = column.declared_values if isinstance(column, CodedColumn) else ()
        if not declared:
            from_data.append(name)
            continue
        place = find_codes(pairs.texts[name], declared)
        if np.any(place == UNKNOWN):
            do = "Add the missing codes to the dictionary or correct the data"
            problems.append(Problem(f"Some values of “{name}” are not in the data dictionary", "characteristics", do))
            continue
        codes[name], texts[name] = pairs.spread(name, place), declared
    return replace(pairs, codes=codes, texts=texts), tuple(from_data), problems


def how_listed(inputs: Inputs, params: CommutingFlowsParams, from_data: Sequence[str]) -> Listed:
    register = inputs.companions[REGISTER].name if params.populations is PopulationList.REGISTER else ""
    return Listed(by=params.populations, register=register, values_from_data=tuple(from_data))
