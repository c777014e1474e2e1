"""Facts of a table worth seeing before any noise: sparsity, dominance, and where its list of cells comes from."""

from __future__ import annotations

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Audience, Finding, Status
from workbench.core.quantities import counted, percent, show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.employment_tables.tabulation.cells import Cells, Listing

declare(
    {
        "empty_cells": ValueName("Empty cells"),
        "empty_share": share_of("Share of empty cells"),
        "small_cells": ValueName("Cells of one or two jobs"),
        "jobs": ValueName("Jobs"),
        "dominated_share": share_of("Cells that one establishment dominates"),
        "single_establishment_cells": ValueName("Cells with a single establishment"),
        "single_establishment_share": share_of("Share of cells with a single establishment"),
        "attributes_from_data": ValueName("Attributes whose values come from the data"),
        "attributes_listed_inside": ValueName("Attributes whose values the data file itself lists"),
        "listed_workplace_cells": ValueName("Workplace cells listed"),
        "possible_workplace_cells": ValueName("Workplace cells possible"),
    }
)

_POINTS = 101
_DECLARED = "The plan declares the list public, but no public file was read. "
_DOMINANT = 0.65  # the share of Figure 2 in Haney et al. that at least half of all cells exceed


def facts(cells: Cells) -> tuple[Finding, ...]:
    """The findings a reviewer reads beside the list of attributes."""
    return (_sparsity(cells), _dominance(cells), _domain(cells))


def _sparsity(cells: Cells) -> Finding:
    total = cells.domain.cells
    count = cells.count.reveal()
    filled = int(np.count_nonzero(count))
    small = int(np.count_nonzero((count > 0) & (count < 3)))
    empty_share = (total - filled) / total if total else 0.0
    return Finding(
        id="table-sparsity",
        title="Size and sparsity",
        status=Status.INFO,
        sentence=(
            f"{counted(total, 'cell')}, of which {show(100 * empty_share, 3)} % are empty and {show(small)} "
            f"{'holds' if small == 1 else 'hold'} one or two jobs; {counted(cells.jobs, 'job')} at "
            f"{counted(cells.establishments_total, 'establishment')}."
        ),
        values={
            "cells": total,
            "empty_cells": total - filled,
            "empty_share": empty_share,
            "small_cells": small,
            "jobs": cells.jobs,
            "establishments": cells.establishments_total,
        },
        does_not_prove="Sparse tables can be protected and dense ones exposed; the audit tells which.",
    )


def _dominance(cells: Cells) -> Finding:
    """Figure 2 of Haney et al.: the distribution over non-empty cells of x_v/n, the largest establishment's share."""
    count, largest = cells.count.reveal(), cells.largest.reveal()
    filled = count > 0
    share = largest[filled] / count[filled]
    cells_shown = max(len(share), 1)
    edges = np.linspace(0.0, 1.0, _POINTS)
    below = np.searchsorted(np.sort(share), edges, side="right") / cells_shown
    dominated = float(np.count_nonzero(share > _DOMINANT) / cells_shown)
    single = int(np.count_nonzero(cells.establishments.reveal()[filled] == 1))
    return Finding(
        id="table-dominance",
        title="Dominance of the largest establishment",
        status=Status.INFO,
        sentence=(
            f"In {show(100 * dominated, 3)} % of the cells that are not empty one establishment holds more than "
            f"{percent(_DOMINANT)} of the jobs; {counted(single, 'cell')} {'has' if single == 1 else 'have'} a single "
            "establishment."
        ),
        values={
            "dominated_share": dominated,
            "single_establishment_cells": single,
            "single_establishment_share": single / cells_shown,
        },
        figures=(
            Figure(
                kind=Kind.LINES,
                title="Share of the largest establishment in each cell",
                subtitle="Cells that are not empty, added up: how many have at most this share",
                x=Axis(label="Largest establishment's share of the jobs"),
                y=Axis(label="Share of cells up to it"),
                series=(Series(name="cells", x=tuple(edges.tolist()), y=tuple(below.tolist())),),
                marks=(Mark(name=percent(_DOMINANT), value=_DOMINANT, vertical=True),),
            ),
        ),
        does_not_prove="A cell with many establishments can still expose one of them to the others.",
    )


def _domain(cells: Cells) -> Finding:
    """Warns where the list of cells follows from the data: no noise covers that a row is there at all."""
    domain = cells.domain
    possible = domain.possible_workplace_cells
    sentences = []
    if domain.from_data:
        sentences.append(
            f"The values of {', '.join(domain.from_data)} were taken from the data, because no data dictionary lists "
            "them: that a value occurs at all is then published without protection. Load a dictionary."
        )
    if domain.listed_inside:
        sentences.append(
            f"The values of {', '.join(domain.listed_inside)} are listed inside the data file, or in a dictionary that "
            "was made from it: that a value occurs is then published without protection. Load a dictionary of its own, "
            "or declare the list public there."
        )
    if domain.listing is Listing.JOBS:
        sentences.append(
            f"{show(len(domain.workplace_cells))} of {show(possible)} workplace cells are listed: those where an "
            "establishment has jobs in these data. A listed cell then shows at least one job, and disappears with its "
            f"last worker. {_DECLARED if domain.declared_public else ''}Give the register as a public file, or publish "
            "all combinations."
        )
    elif domain.listing is Listing.PUBLIC_FILE:
        sentences.append(
            f"{show(len(domain.workplace_cells))} of {show(possible)} workplace cells are listed: those of the public "
            f"file {domain.register}, with jobs or without. Make sure that it was not made from these data."
        )
    if not sentences:
        sentences.append("Every combination of values is listed, and the values come from a public data dictionary.")
    return Finding(
        id="table-domain",
        title="Where the list of cells comes from",
        status=Status.PASS if domain.lists_everything else Status.WARN,
        sentence=" ".join(sentences),
        values={
            "attributes_from_data": ", ".join(domain.from_data),
            "attributes_listed_inside": ", ".join(domain.listed_inside),
            "listed_workplace_cells": len(domain.workplace_cells),
            "possible_workplace_cells": possible,
        },
        does_not_prove="That the dictionary or the register was made without looking at these data.",
        audience=Audience.PUBLIC,
    )


def weights_ignored(columns: tuple[str, ...]) -> tuple[Finding, ...]:
    """Warns where somebody may expect weighted counts: tables of jobs count every row once."""
    if not columns:
        return ()
    listed = ", ".join(f"“{name}”" for name in columns)
    return (
        Finding(
            id="table-weights",
            title="Weights are not used",
            status=Status.WARN,
            sentence=(
                f"{listed} {'has' if len(columns) == 1 else 'have'} the role weight, but every row counts as one job: "
                "where a row stands for more, counts are too small, and the noise covers one row, not what it stands "
                "for. Give the column another role, or load data with a row for each job."
            ),
            values={"columns": len(columns)},
            does_not_prove="That every row is one job.",
        ),
    )
