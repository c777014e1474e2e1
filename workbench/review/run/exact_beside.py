"""What a release tells without noise beside what it protects: as an exact table, and against every claim it breaks.

An exact quantity makes ε infinite for every neighbour that changes it. So it counts as a table of true values in
differencing, and whoever reviews either release is told under which definitions nothing holds any more for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.accounting.ledger import together, together_words
from workbench.audit.differencing.tables import Protection, PublishedTable
from workbench.core.claims import Claim, ExactTable
from workbench.core.findings import Finding, Status
from workbench.core.published import Coded, Published, Units

_LIMITS = (
    "Exact quantities that were published elsewhere, or that follow from several releases, are not looked at here."
)


def exact_tables(
    table: Published, claim: Claim, *, name: str, population: str, content: str
) -> tuple[PublishedTable, ...]:
    """The tables of true values that readers get by adding up the rows of a release."""
    found = (_added_up(table, exact, name=name, population=population) for exact in claim.exact)
    return tuple(replace(each, content=content) for each in found if each is not None)


def _added_up(table: Published, exact: ExactTable, *, name: str, population: str) -> PublishedTable | None:
    keys = [column for column in table.keys if column.name in exact.keys]
    values = [column for column in table.value_columns if isinstance(column, Units) and column.name == exact.value]
    if len(keys) != len(exact.keys) or not values:
        return None
    group = _groups(keys)
    first, place = np.unique(group, return_index=True, return_inverse=True)[1:]
    sums = np.zeros(len(first), dtype=np.int64)
    np.add.at(sums, place, values[0].integers)
    texts = [column.texts() for column in keys]
    return PublishedTable(
        name=f"{name} ({exact.what.lower()})",
        columns=tuple(column.name for column in keys),
        keys=tuple(tuple(column[row] for row in first.tolist()) for column in texts),
        value_name=values[0].name,
        values=sums,
        decimals=values[0].decimals,
        protection=Protection.EXACT,
        population=population,
    )


def _groups(keys: Sequence[Coded]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One number per row, the same for rows with the same keys."""
    group = np.zeros(len(keys[0]) if keys else 0, dtype=np.int64)
    for column in keys:
        codes = np.asarray(column.codes, dtype=np.int64) + 1
        group = np.unique(group * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1].astype(np.int64)
    return group


def exact_findings(own: Claim, others: Sequence[tuple[str, Claim]]) -> tuple[Finding, ...]:
    """What the exact quantities of this release end, and what those of others end of its claim."""
    return (*_own(own), *_beside(own, others))


def _own(own: Claim) -> tuple[Finding, ...]:
    if not own.exact:
        return ()
    ended = together_words([each for each in together([own]) if each.total is None])
    return (
        Finding(
            id="differencing.exact",
            title="Quantities published exactly",
            status=Status.INFO,
            sentence=f"{' '.join(ended)} What is promised is {own.definition.value} alone.",
            does_not_prove=_LIMITS,
        ),
    )


def _beside(own: Claim, others: Sequence[tuple[str, Claim]]) -> tuple[Finding, ...]:
    broken = [
        f"{table.what} is published exactly by {name}, so no bound under {own.definition.value} is left for this "
        "release and that one together."
        for name, claim in others
        for table in claim.exact
        if own.formal and table.ends(own.definition)
    ]
    broken += [
        f"{table.what} is published exactly by this release, so no bound under {claim.definition.value} is left for "
        f"{name} and this one together."
        for name, claim in others
        for table in own.exact
        if claim.formal and table.ends(claim.definition)
    ]
    if not broken:
        return ()
    return (
        Finding(
            id="differencing.claims",
            title="Claims that exact quantities end",
            status=Status.WARN,
            sentence=" ".join(dict.fromkeys(broken)),
            does_not_prove=_LIMITS,
        ),
    )
