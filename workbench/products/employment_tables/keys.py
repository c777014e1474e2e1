"""The key columns that name each row of a table, without building a row at a time."""

from __future__ import annotations

import numpy as np

from workbench.core.published import Coded
from workbench.products.employment_tables.tabulation.cells import Attribute, Domain


def key_columns(domain: Domain, *, labelled: bool) -> tuple[tuple[str, ...], ...]:
    """One tuple of texts per attribute, all cells in order: the values, or their words where there are any."""
    codes = domain.codes(np.arange(domain.cells, dtype=np.int64))
    return tuple(
        tuple(_texts(attribute, labelled)[codes[:, position]].tolist())
        for position, attribute in enumerate((*domain.workplace, *domain.worker))
    )


def coded_keys(domain: Domain) -> tuple[Coded, ...]:
    """One column of codes per attribute, all cells in order; a value that names no cell is not told with them."""
    codes = domain.codes(np.arange(domain.cells, dtype=np.int64))
    return tuple(
        Coded(
            name=attribute.name,
            codes=np.ascontiguousarray(codes[:, position]),
            values=attribute.values,
            labels=attribute.labels,
            title=attribute.title,
        ).used()
        for position, attribute in enumerate((*domain.workplace, *domain.worker))
    )


def _texts(attribute: Attribute, labelled: bool) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    chosen = attribute.labels if labelled and attribute.labels else attribute.values
    texts = np.empty(len(chosen), dtype=object)
    texts[:] = chosen
    return texts


def key_titles(domain: Domain) -> tuple[str, ...]:
    """The attributes' titles, or their names where they have none."""
    return tuple(attribute.title or attribute.name for attribute in (*domain.workplace, *domain.worker))
