"""Coarser tables of the same jobs: their cells as sums of the finest ones.

The finest table is drawn once with the whole ε, and its drawn values are added up: a function of what was drawn, so
the margins cost nothing and agree with each other. One establishment is in one workplace cell of the finest table, so
its step moves every margin above that cell by the same; noise of their own would have to share ε. It pays only where
√(ΣS²)/S_c > e(ε_c)/e(ε): S the scales of the finest cells of a coarse cell, S_c the scale of the coarse cell itself, e
the error of one count at an ε. The scales are confidential, so this is told and never decided here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.published import Coded, Units
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Domain
from workbench.products.employment_tables.tabulation.margin_names import Margin, title_of
from workbench.products.employment_tables.tabulation.selection import added_up

_LARGEST = 2**40  # summands are cut off here, on both sides; the same for all data, so post-processing
_EVERYTHING = ("all", "(all)", "all values")


def cells_in(domain: Domain, margin: Margin) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """For every cell of the table its cell in the margin, and the codes that name each of those."""
    kept = [place for place, name in enumerate(domain.names) if name in margin]
    codes = domain.codes(np.arange(domain.cells, dtype=np.int64))[:, kept]
    number = np.zeros(len(codes), dtype=np.int64)
    for column, place in enumerate(kept):
        number = number * len(_attributes(domain)[place].values) + codes[:, column]
    _, first, where = np.unique(number, return_index=True, return_inverse=True)
    return where.ravel().astype(np.int64), codes[first]


def sums(values: Integers, where: NDArray[np.int64], cells: int) -> Integers:
    """Σ of whole numbers, exact."""
    found = np.zeros(cells, dtype=np.int64)
    np.add.at(found, where, np.clip(values, -_LARGEST, _LARGEST))
    return found


def cells_behind(domain: Domain, margins: Sequence[Margin]) -> NDArray[np.int64]:
    """Of how many cells each row of `margin_columns` is the sum."""
    each = [cells_in(domain, margin) for margin in margins]
    return np.concatenate([np.bincount(where, minlength=len(named)) for where, named in each]).astype(np.int64)


def margin_columns(
    domain: Domain, margins: Sequence[Margin], values: Integers, *, name: str, printed: Integers | None = None
) -> tuple[Coded | Units, ...]:
    """All margins as one table: which margin, the attributes (“all” where it is added up over one), and the sums.

    `printed` are the cells as they are published, where that is something else than what was drawn: their sums stand
    beside, so that everybody sees by how much they differ.
    """
    codes: list[NDArray[np.int32]] = []
    added: list[Integers] = []
    beside: list[Integers] = []
    which: list[NDArray[np.int32]] = []
    attributes = _attributes(domain)
    for number, margin in enumerate(margins):
        where, named = cells_in(domain, margin)
        full = np.stack(
            [
                named[:, margin.index(each.name)] if each.name in margin else np.full(len(named), len(each.values))
                for each in attributes
            ],
            axis=1,
        )
        codes.append(full.astype(np.int32))
        which.append(np.full(len(named), number, dtype=np.int32))
        added.append(sums(values, where, len(named)))
        if printed is not None:
            beside.append(sums(printed, where, len(named)))
    stacked = np.concatenate(codes)
    return (
        Coded(name="margin", codes=np.concatenate(which), values=tuple(map(title_of, margins))),
        *(_keyed(each, np.ascontiguousarray(stacked[:, place])) for place, each in enumerate(attributes)),
        Units(name=name, integers=np.concatenate(added), unit="jobs"),
        *((Units(name="sum_of_cells", integers=np.concatenate(beside), unit="jobs"),) if printed is not None else ()),
    )


def _keyed(attribute: Attribute, codes: NDArray[np.int32]) -> Coded:
    every = next(word for word in _EVERYTHING if word not in attribute.values)
    return Coded(
        name=attribute.name if attribute.name != "margin" else "margin (attribute)",
        codes=codes,
        values=(*attribute.values, every),
        labels=(*attribute.labels, every) if attribute.labels else (),
        title=attribute.title,
    ).used()


def _attributes(domain: Domain) -> tuple[Attribute, ...]:
    return (*domain.workplace, *domain.worker)


def margin_cells(cells: Cells, margin: Margin) -> Cells:
    """The margin as a table of its own, counted as if it had been asked for: for measures and tests."""
    domain = cells.domain
    here = [place for place, each in enumerate(domain.workplace) if each.name in margin]
    listed, place = np.unique(domain.workplace_cells[:, here], axis=0, return_inverse=True)
    who = [number for number, each in enumerate(domain.worker) if each.name in margin]
    sizes = [len(each.values) for each in domain.worker]
    codes = np.unravel_index(np.arange(domain.worker_combinations), sizes) if sizes else ()
    person = np.zeros(domain.worker_combinations, dtype=np.int64)
    for number in who:
        person = person * sizes[number] + codes[number]
    made = Domain(
        workplace=tuple(domain.workplace[number] for number in here),
        worker=tuple(domain.worker[number] for number in who),
        workplace_cells=listed.reshape(len(listed), len(here)).astype(np.int32),
        from_data=domain.from_data,
        listed_inside=domain.listed_inside,
        listing=domain.listing,
        register=domain.register,
        declared_public=domain.declared_public,
        selected=domain.selected,
    )
    return added_up(cells, made, place.ravel().astype(np.int64), person)
