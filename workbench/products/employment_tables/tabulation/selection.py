"""Tables of chosen values only: some workplaces, some kinds of workers, or one query.

An attribute that the table also shows keeps its chosen values; one that it does not show is added up over them and
stands in the table as one value. What such a table may claim:
- Chosen workplaces. Workplace attributes are public and fixed for an establishment, so the table is that of the chosen
  establishments. A neighbour of any definition changes it as before, or not at all.
- Chosen workers, *edge*: a person's jobs in the table are at most the person's jobs. *Node*: an establishment that is
  kept has at most θ jobs in the table. Both cost what they cost.
- Chosen workers, *strong*: an establishment of x workers in all may gain max(αx, 1), every one of a chosen kind. So the
  scale follows the establishment's whole size, counted with the workers that the table leaves out, and also where it
  employs none of the chosen. The chosen cells then move by at most S together: block noise needs no more than that.
- Chosen workers, *weak*: each chosen cell is a group that attributes define (Haney et al. 2017, Definition 7.3: any
  property of a worker), so it grows by at most max(α·h, 1), h what the establishment contributes to it. Every chosen
  cell spends its part of ε; a single one spends all of it. It is never a strong guarantee, not even for one cell: ten
  women more at an employer of a hundred workers with ten women is one strong step, and doubles the cell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.products.employment_tables.tabulation.cells import (
    Attribute,
    Cells,
    Contributions,
    Domain,
    Listing,
    Selected,
)

Chosen = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """One attribute as the table shows it, and where each of its values goes; −1 where it is not chosen."""

    attribute: Attribute
    place: NDArray[np.int64]

    @classmethod
    def of(cls, attribute: Attribute, chosen: tuple[str, ...] | None, *, shown: bool) -> Narrowing:
        if chosen is None:
            return cls(attribute=attribute, place=np.arange(len(attribute.values), dtype=np.int64))
        kept = [value in chosen for value in attribute.values]
        if shown:
            place = np.where(kept, np.cumsum(kept) - 1, -1)
            return cls(attribute=_some(attribute, kept), place=place.astype(np.int64))
        return cls(attribute=_together(attribute, kept), place=np.where(kept, 0, -1).astype(np.int64))


def _some(attribute: Attribute, kept: Sequence[bool]) -> Attribute:
    def of(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text for text, wanted in zip(texts, kept, strict=True) if wanted) if texts else ()

    people = tuple(n for n, wanted in zip(attribute.populations, kept, strict=True) if wanted) if (
        attribute.populations
    ) else ()  # fmt: skip
    return replace(attribute, values=of(attribute.values), labels=of(attribute.labels), populations=people)


def _together(attribute: Attribute, kept: Sequence[bool]) -> Attribute:
    """All chosen values as one."""
    some = _some(attribute, kept)
    people = (sum(some.populations),) if some.populations else ()
    labels = ("; ".join(some.labels),) if some.labels else ()
    return replace(some, values=("; ".join(some.values),), labels=labels, populations=people)


def really(chosen: Chosen, attributes: Mapping[str, Attribute]) -> dict[str, tuple[str, ...]]:
    """What is restricted at all: whoever names every value of an attribute restricts nothing."""
    return {
        name: tuple(value for value in attributes[name].values if value in values)
        for name, values in chosen.items()
        if set(values) != set(attributes[name].values)
    }


def narrowed(fine: Cells, chosen: Chosen, *, shown: tuple[str, ...], listed: NDArray[np.int32] | None) -> Cells:
    """The table of the chosen values, from one that has all values of every attribute that is shown or chosen.

    `listed` are the workplace cells by public rule, in positions of the fine table's attributes; None lists all
    combinations. Where the list comes from the jobs, it is the fine table's own.
    """
    if fine.contributions is None:
        raise UserProblem(
            "A selection needs to know who is in which cell, which data read in place do not tell",
            "select",
            "Read the data into memory",
        )
    here = [Narrowing.of(each, chosen.get(each.name), shown=each.name in shown) for each in fine.domain.workplace]
    who = [Narrowing.of(each, chosen.get(each.name), shown=each.name in shown) for each in fine.domain.worker]
    cells_of_list = fine.domain.workplace_cells if fine.domain.listing is Listing.JOBS else listed
    workplace_cells = _listed(here, cells_of_list)
    domain = replace(
        fine.domain,
        workplace=tuple(one.attribute for one in here),
        worker=tuple(one.attribute for one in who),
        workplace_cells=workplace_cells,
        selected=_said(chosen, fine.domain),
    )
    place = _place_of(here, fine.domain.workplace_cells, workplace_cells)
    person = _person_of(who)
    return added_up(fine, domain, place, person)


def listed_cells(fine: Domain, chosen: Chosen, *, shown: tuple[str, ...], listed: NDArray[np.int32] | None) -> int:
    """How many cells the narrowed table has."""
    here, who = (
        [Narrowing.of(each, chosen.get(each.name), shown=each.name in shown) for each in attributes]
        for attributes in (fine.workplace, fine.worker)
    )
    kept = _listed(here, fine.workplace_cells if fine.listing is Listing.JOBS else listed)
    return len(kept) * math.prod(len(one.attribute.values) for one in who)


def _said(chosen: Chosen, domain: Domain) -> tuple[Selected, ...]:
    workers = {attribute.name for attribute in domain.worker}
    return tuple(Selected(name=name, values=values, worker=name in workers) for name, values in chosen.items())


def _moved(here: Sequence[Narrowing], cells: NDArray[np.int32]) -> NDArray[np.int64]:
    """Positions as the table shows them, a row each; −1 anywhere in it where it is not chosen."""
    columns = [one.place[cells[:, number]] for number, one in enumerate(here)]
    return np.stack(columns, axis=1) if columns else np.zeros((len(cells), 0), dtype=np.int64)


def _listed(here: Sequence[Narrowing], cells: NDArray[np.int32] | None) -> NDArray[np.int32]:
    """The workplace cells that are left, each once, the first attribute slowest."""
    if cells is None:
        sizes = [len(one.attribute.values) for one in here]
        grid = np.indices(sizes).reshape(len(sizes), -1).T if sizes else np.zeros((1, 0))
        return grid.astype(np.int32)
    moved = _moved(here, cells)
    kept = moved[(moved >= 0).all(axis=1)]
    if not len(kept):
        raise UserProblem(
            "The selection leaves no workplace cell", "select", "Choose values that some listed workplace has together"
        )
    return np.unique(kept, axis=0).astype(np.int32)


def _place_of(here: Sequence[Narrowing], fine: NDArray[np.int32], listed: NDArray[np.int32]) -> NDArray[np.int64]:
    """For every workplace cell of the fine table its row in the list, −1 where it is not chosen."""
    sizes = [len(one.attribute.values) for one in here]
    moved = _moved(here, fine)
    chosen = (moved >= 0).all(axis=1)
    wanted, known = _numbered(moved[chosen], sizes), _numbered(listed, sizes)
    order = np.argsort(known, kind="stable")
    found = order[np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)] if len(known) else wanted
    if len(wanted) and not np.array_equal(known[found], wanted):
        do = "Complete the list, or leave those rows out"
        raise UserProblem("Some establishments belong to a combination that is not listed", "select", do)
    place = np.full(len(fine), -1, dtype=np.int64)
    place[chosen] = found
    return place


def _numbered(cells: NDArray[np.integer], sizes: Sequence[int]) -> NDArray[np.int64]:
    number = np.zeros(len(cells), dtype=np.int64)
    for column, size in enumerate(sizes):
        number = number * size + cells[:, column]
    return number


def _person_of(who: Sequence[Narrowing]) -> NDArray[np.int64]:
    """For every worker combination of the fine table its own in the narrowed one, −1 where it is not chosen."""
    number = np.zeros(1, dtype=np.int64)
    for one in who:
        inner, size = one.place, len(one.attribute.values)
        number = np.where((number[:, None] < 0) | (inner < 0), -1, number[:, None] * size + inner).ravel()
    return number


def added_up(fine: Cells, domain: Domain, place: Integers, person: Integers) -> Cells:
    """A coarser table: `place` and `person` say where each workplace cell and worker combination goes, −1 nowhere."""
    assert fine.contributions is not None
    given = fine.contributions.reveal()
    who = given.establishment.astype(np.int64)
    total = np.bincount(who, weights=given.jobs, minlength=len(given.identifiers)).astype(np.int64)
    at, kind = np.divmod(given.cell.astype(np.int64), fine.domain.worker_combinations)
    wanted = (place[at] >= 0) & (person[kind] >= 0)
    cell = place[at[wanted]] * domain.worker_combinations + person[kind[wanted]]
    pair, where = np.unique(cell * len(given.identifiers) + who[wanted], return_inverse=True)
    jobs = np.bincount(where.ravel(), weights=given.jobs[wanted], minlength=len(pair)).astype(np.int64)
    cell, owner = np.divmod(pair, max(len(given.identifiers), 1))
    count = np.bincount(cell, weights=jobs, minlength=domain.cells).astype(np.int64)
    order = np.lexsort((total[owner], jobs, cell))  # within a cell the largest comes last, ties by total
    largest, largest_total = np.zeros(domain.cells, dtype=np.int64), np.zeros(domain.cells, dtype=np.int64)
    largest[cell[order]], largest_total[cell[order]] = jobs[order], total[owner[order]]
    whole = np.zeros(len(domain.workplace_cells), dtype=np.int64)
    inside = place >= 0
    np.maximum.at(whole, place[inside], fine.workplace_largest.reveal()[inside])
    return replace(
        fine,
        domain=domain,
        count=Confidential(count),
        establishments=Confidential(np.bincount(cell, minlength=domain.cells).astype(np.int64)),
        largest=Confidential(largest),
        largest_total=Confidential(largest_total),
        workplace_largest=Confidential(whole),
        jobs=int(count.sum()),
        establishments_total=len(np.unique(owner)),
        contributions=Confidential(
            Contributions(cell=cell, establishment=owner.astype(np.int32), jobs=jobs, identifiers=given.identifiers)
        ),
        sizes=fine.sizes if inside.all() else Confidential(total[np.unique(who[place[at] >= 0])]),
        distort=None,  # the contributions tell it
    )
