"""Which cells a table has, before anything is counted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.params import unknown_key
from workbench.products.employment_tables.params import DomainKind
from workbench.products.employment_tables.tabulation.cells import Attribute, Domain
from workbench.products.employment_tables.tabulation.index import JobIndex

MOST_CELLS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Placed:
    """A domain, and for every group of establishments of an index its workplace cell."""

    domain: Domain
    cell_of_group: Integers


def place_groups(index: JobIndex, *, workplace: tuple[str, ...], worker: tuple[str, ...], domain: DomainKind) -> Placed:
    """Lay out the table: workplace cells in the order of their values, the first attribute slowest."""
    here, who = _chosen(index, workplace, worker)
    cells = count_cells(index, workplace, worker, domain)
    if cells > MOST_CELLS:
        do = f"Choose fewer attributes or coarser ones: at most {MOST_CELLS:,} cells can be reviewed at once"
        raise UserProblem(f"The table would have {cells:,} cells", ", ".join((*workplace, *worker)), do)
    key = _keys(index, here)
    if domain == DomainKind.ALL:
        cell_of_group, positions = key, _product_positions(here)
    else:
        _, first, cell_of_group = np.unique(key, return_index=True, return_inverse=True)
        positions = _positions_at(index, here, first)
    made = Domain(
        workplace=here,
        worker=who,
        workplace_cells=positions,
        from_data=tuple(name for name in (*workplace, *worker) if name in index.from_data),
        listed_inside=tuple(name for name in (*workplace, *worker) if name in index.listed_inside),
        declared_public=domain == DomainKind.REGISTERED,
    )
    return Placed(domain=made, cell_of_group=cell_of_group.astype(np.int64))


def count_cells(index: JobIndex, workplace: tuple[str, ...], worker: tuple[str, ...], domain: DomainKind) -> int:
    """How many cells the table would have, empty ones included: the live count beside the form."""
    here, who = _chosen(index, workplace, worker)
    if domain == DomainKind.ALL:
        return _product(here) * _product(who)
    return len(np.unique(_keys(index, here))) * _product(who)


def _chosen(
    index: JobIndex, workplace: tuple[str, ...], worker: tuple[str, ...]
) -> tuple[tuple[Attribute, ...], tuple[Attribute, ...]]:
    raise_if([*_choice_problems(workplace, index.workplace, "workplace attribute"),
              *_choice_problems(worker, index.worker, "worker attribute")])  # fmt: skip
    return tuple(index.workplace[name] for name in workplace), tuple(index.worker[name] for name in worker)


def _choice_problems(names: tuple[str, ...], known: Mapping[str, Attribute], role: str) -> list[Problem]:
    unknown = [
        Problem(f"“{name}” does not have the role “{role}”", do=unknown_key(name, known).do)
        for name in names
        if name not in known
    ]
    twice = sorted({name for name in names if names.count(name) > 1})
    return unknown + [Problem(f"“{name}” is chosen twice as {role}", do="Choose it once") for name in twice]


def _product(attributes: tuple[Attribute, ...]) -> int:
    return math.prod(len(attribute.values) for attribute in attributes)


def _keys(index: JobIndex, attributes: tuple[Attribute, ...]) -> Integers:
    """One number per group that orders and tells apart its combination of the chosen attributes.

    Where the product is too large for 64 bits, combinations so far are renumbered; the order stays.
    """
    contents = index.contents.reveal()
    key = np.zeros(len(contents.group_start), dtype=np.int64)
    for attribute in attributes:
        size = len(attribute.values)
        if int(key.max(initial=0)) >= 2**62 // max(size, 1):
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key = key * size + contents.group_position[attribute.name]
    return key


def _positions_at(index: JobIndex, attributes: tuple[Attribute, ...], groups: Integers) -> NDArray[np.int32]:
    made = np.empty((len(groups), len(attributes)), dtype=np.int32)
    for column, attribute in enumerate(attributes):
        made[:, column] = index.contents.reveal().group_position[attribute.name][groups]
    return made


def _product_positions(attributes: tuple[Attribute, ...]) -> NDArray[np.int32]:
    sizes = [len(attribute.values) for attribute in attributes]
    made = np.empty((math.prod(sizes), len(sizes)), dtype=np.int32)
    for column, size in enumerate(sizes):
        inner = math.prod(sizes[column + 1 :])
        made[:, column] = np.tile(np.repeat(np.arange(size, dtype=np.int32), inner), math.prod(sizes[:column]))
    return made
