"""Which cells a table has, before anything is counted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Problem, raise_if
from workbench.core.params import unknown_key
from workbench.microdata.table import Microdata
from workbench.products.employment_tables.params import DomainKind
from workbench.products.employment_tables.tabulation.cells import Attribute, Domain, Listing
from workbench.products.employment_tables.tabulation.index import JobIndex
from workbench.products.employment_tables.tabulation.register import registered_cells
from workbench.products.employment_tables.tabulation.selection import Chosen, listed_cells, really

MOST_CELLS = 20_000_000


def domain_of(
    index: JobIndex,
    *,
    workplace: tuple[str, ...],
    worker: tuple[str, ...],
    domain: DomainKind,
    register: Microdata | None = None,
) -> Domain:
    """Lay out the table: workplace cells in the order of their values, the first attribute slowest.

    With a `register` and `REGISTERED` the public file alone lists them, whether they have jobs or not.
    """
    here, who = _chosen(index, workplace, worker)
    cells = count_cells(index, workplace, worker, domain, register)
    raise_if(_too_many(cells, (*workplace, *worker)))
    listing = _listing(domain, register)
    return Domain(
        workplace=here,
        worker=who,
        workplace_cells=_listed(index, here, listing, register),
        from_data=tuple(name for name in (*workplace, *worker) if name in index.from_data),
        listed_inside=tuple(name for name in (*workplace, *worker) if name in index.listed_inside),
        listing=listing,
        register=register.name if register is not None and listing is Listing.PUBLIC_FILE else "",
        declared_public=domain == DomainKind.REGISTERED,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedDomain:
    """All values of the attributes that are shown or chosen, as establishments have them, and the public list."""

    fine: Domain
    listed: NDArray[np.int32] | None  # by public rule, in positions of the fine attributes; None: all combinations


def selected_domain(
    index: JobIndex,
    workplace: tuple[str, ...],
    worker: tuple[str, ...],
    chosen: Chosen,
    *,
    domain: DomainKind,
    register: Microdata | None,
) -> SelectedDomain:
    """What is counted before the chosen values are kept: combinations that establishments have, so it stays small."""
    places = (*workplace, *(name for name in chosen if name in index.workplace and name not in workplace))
    people = (*worker, *(name for name in chosen if name in index.worker and name not in worker))
    here, who = _chosen(index, places, people)
    listing = _listing(domain, register)
    fine = Domain(
        workplace=here,
        worker=who,
        workplace_cells=index.arrangement.combinations(places).reveal(),
        from_data=tuple(name for name in (*places, *people) if name in index.from_data),
        listed_inside=tuple(name for name in (*places, *people) if name in index.listed_inside),
        listing=listing,
        register=register.name if register is not None and listing is Listing.PUBLIC_FILE else "",
        declared_public=domain == DomainKind.REGISTERED,
    )
    raise_if(_too_many(max(fine.cells, _selected_size(fine, chosen, shown=(*workplace, *worker))), (*places, *people)))
    public = registered_cells(register, here) if listing is Listing.PUBLIC_FILE and register is not None else None
    return SelectedDomain(fine=fine, listed=public)


def _selected_size(fine: Domain, chosen: Chosen, *, shown: tuple[str, ...]) -> int:
    """Cells of the narrowed table at most: every combination of what is left of each attribute."""
    if fine.listing is not Listing.EVERYTHING:
        return 0
    return math.prod(
        (len(chosen.get(each.name, each.values)) if each.name in shown else 1)
        for each in (*fine.workplace, *fine.worker)
    )


def _too_many(cells: int, attributes: tuple[str, ...]) -> tuple[Problem, ...]:
    if cells <= MOST_CELLS:
        return ()
    do = f"Choose fewer attributes or coarser ones: at most {MOST_CELLS:,} cells can be reviewed at once"
    return (Problem(f"The table would have {cells:,} cells", ", ".join(attributes), do),)


def _listing(domain: DomainKind, register: Microdata | None) -> Listing:
    if domain == DomainKind.ALL:
        return Listing.EVERYTHING
    return Listing.PUBLIC_FILE if domain == DomainKind.REGISTERED and register is not None else Listing.JOBS


def _listed(
    index: JobIndex, here: tuple[Attribute, ...], listing: Listing, register: Microdata | None
) -> NDArray[np.int32]:
    if listing is Listing.EVERYTHING:
        return _product_positions(here)
    if listing is Listing.PUBLIC_FILE and register is not None:
        return registered_cells(register, here)
    return index.arrangement.combinations([attribute.name for attribute in here]).reveal()


def count_cells(
    index: JobIndex,
    workplace: tuple[str, ...],
    worker: tuple[str, ...],
    domain: DomainKind,
    register: Microdata | None = None,
    select: Chosen | None = None,
) -> int:
    """How many cells the table would have, empty ones included: the live count beside the form."""
    chosen = really(select or {}, {**index.workplace, **index.worker})
    if chosen:
        plan = selected_domain(index, workplace, worker, chosen, domain=domain, register=register)
        return listed_cells(plan.fine, chosen, shown=(*workplace, *worker), listed=plan.listed)
    here, who = _chosen(index, workplace, worker)
    listing = _listing(domain, register)
    if listing is Listing.EVERYTHING:
        return _product(here) * _product(who)
    if listing is Listing.PUBLIC_FILE and register is not None:
        return len(registered_cells(register, here)) * _product(who)
    return index.arrangement.count_combinations(workplace).reveal() * _product(who)


def _chosen(
    index: JobIndex, workplace: tuple[str, ...], worker: tuple[str, ...]
) -> tuple[tuple[Attribute, ...], tuple[Attribute, ...]]:
    raise_if(index.problems_with((*workplace, *worker)))
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


def _product_positions(attributes: tuple[Attribute, ...]) -> NDArray[np.int32]:
    sizes = [len(attribute.values) for attribute in attributes]
    made = np.empty((math.prod(sizes), len(sizes)), dtype=np.int32)
    for column, size in enumerate(sizes):
        inner = math.prod(sizes[column + 1 :])
        made[:, column] = np.tile(np.repeat(np.arange(size, dtype=np.int32), inner), math.prod(sizes[:column]))
    return made
