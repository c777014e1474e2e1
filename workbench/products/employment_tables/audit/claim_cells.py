"""Made-up neighbours as prepared tables: what `Cells.claim_grid` gives the audit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.audit.claim_grid import ClaimGrid
from workbench.core.arrays import Integers
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.products.employment_tables.audit.claim_pairs import WORDS, pairs_of
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Contributions, Domain, Selected

_CLASSES = 4  # of sizes, made up as public: so many values has the second attribute of the grid as a table
Establishments = tuple[Integers, Integers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the made-up tables show: `hidden` worker cells are in none, `listed` says who is in which cell."""

    worker: tuple[Attribute, ...]
    selected: tuple[Selected, ...]
    hidden: int
    listed: bool  # for noise that depends on more than the largest establishment


def claim_grid(prepared: Cells, claim: Claim, *, of_data: bool = True) -> ClaimGrid | None:
    """The grid of the claim's definition; with `of_data` the sizes of this table are among its sizes."""
    worker = prepared.domain.worker
    strong = claim.definition is Definition.STRONG
    seen = Seen(
        worker=worker,
        selected=prepared.domain.selected,
        hidden=int(strong and prepared.domain.leaves_out_workers),
        listed=claim.definition is Definition.NODE,
    )
    present = prepared.workplace_largest.reveal() if of_data else np.zeros(0, dtype=np.int64)
    pairs = pairs_of(claim, worker, present, hidden=seen.hidden)
    if pairs is None:
        return None

    def sides(rows: Integers, copies: int) -> tuple[Confidential[Cells], Confidential[Cells]]:
        some = pairs.taken(np.tile(rows, copies))
        return _cells(some.before, seen), _cells(some.after, seen)

    def table(rows: Integers, copies: int) -> Confidential[Cells]:
        some = pairs.taken(np.tile(rows, copies))
        return _cells(some.before, seen, np.stack([some.form, some.size % _CLASSES], axis=1))

    return ClaimGrid(
        before=_cells(pairs.before, seen),
        after=_cells(pairs.after, seen),
        kind=pairs.kind,
        size=pairs.size,
        form=pairs.form,
        words=WORDS,
        width=pairs.before[0].shape[1] - seen.hidden,
        chosen=sides,
        table=table,
    )


def _cells(establishments: Establishments, seen: Seen, codes: Integers | None = None) -> Confidential[Cells]:
    """As workplace cells of their own; with codes of two attributes as cells of one table.

    Workers that the table leaves out count towards an establishment's whole size and nowhere else.
    """
    totals = establishments[0].sum(axis=1), establishments[1].sum(axis=1)
    shown = establishments[0].shape[1] - seen.hidden
    first, second = (np.ascontiguousarray(one[:, :shown]) for one in establishments)
    codes = np.zeros((len(first), 1), dtype=np.int64) if codes is None else codes
    largest = np.maximum(first, second)
    total_of_largest = np.where(first >= second, totals[0][:, None], totals[1][:, None])
    count = (first + second).ravel()
    return Confidential(
        Cells(
            domain=Domain(
                workplace=tuple(
                    Attribute(name=f"made up {place}", values=tuple(map(str, range(int(column.max(initial=0)) + 1))))
                    for place, column in enumerate(codes.T)
                ),
                worker=seen.worker,
                workplace_cells=codes.astype(np.int32),
                selected=seen.selected,
            ),
            count=Confidential(count),
            establishments=Confidential(((first > 0).astype(np.int64) + (second > 0)).ravel()),
            largest=Confidential(largest.ravel()),
            largest_total=Confidential(np.where(largest > 0, total_of_largest, 0).ravel()),
            workplace_largest=Confidential(np.maximum(*totals)),
            jobs=int(count.sum()),
            establishments_total=int((totals[0] > 0).sum() + (totals[1] > 0).sum()),
            sizes=Confidential(np.concatenate(totals)),
            contributions=Confidential(_contributions((first, second))) if seen.listed else None,
        )
    )


def _contributions(establishments: Establishments) -> Contributions:
    cells, owners, jobs = [], [], []
    rows = len(establishments[0])
    for number, sizes in enumerate(establishments):
        flat = np.flatnonzero(sizes.ravel())
        cells.append(flat)
        owners.append(flat // sizes.shape[1] + number * rows)
        jobs.append(sizes.ravel()[flat])
    return Contributions(
        cell=np.concatenate(cells).astype(np.int64),
        establishment=np.concatenate(owners).astype(np.int32),
        jobs=np.concatenate(jobs),
        identifiers=np.arange(2 * rows).astype(np.str_),
    )
