"""Jobs by workplace, residence and characteristics as the rows are asked for them: one entry per combination there is.

Where the file counts jobs, a row is such a combination already; where it lists jobs, those of one combination are put
together. Nothing here says which row a job came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET
from workbench.microdata.table import Microdata, Texts
from workbench.products.commuting_flows.flows.columns import UNKNOWN
from workbench.products.commuting_flows.flows.structures import Indices
from workbench.products.commuting_flows.params import CommutingFlowsParams
from workbench.products.commuting_flows.segments import totals_of
from workbench.tabulation.aggregates import Aggregate, Count, Sum
from workbench.tabulation.door import rows_of
from workbench.tabulation.keys import Beyond, Key, Scale

MOST_JOBS = 1_000_000_000  # of one row; larger numbers are no counts of jobs, and not exact as they are read
_HUNDREDTHS = 2  # totals are not checked to be whole: they are compared to this many decimals


def counting(name: str) -> Scale:
    """A column that counts jobs. What is no count is a problem of its own and adds nothing here."""
    return Scale(column=name, lower=0, upper=MOST_JOBS, beyond=Beyond.OWN)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pairs:
    """One entry per combination of workplace, residence and characteristics; confidential like the rows.

    `codes` are positions in `texts`, UNKNOWN where a cell is missing. `counts` are the jobs by column that counts
    them, `totals` those of the columns that count every job once, `rows` the rows themselves.
    """

    codes: Mapping[str, Indices]
    texts: Mapping[str, Texts]
    rows: Integers
    counts: Mapping[str, Integers]
    totals: Mapping[str, Floats]

    def spread(self, name: str, of_text: Indices) -> Indices:
        """What stands for each text of a column, for every entry; UNKNOWN where the cell is missing."""
        return np.take(np.append(of_text, np.int32(UNKNOWN)), self.codes[name], mode="wrap")


def ask_pairs(microdata: Microdata, params: CommutingFlowsParams) -> Pairs:
    """One question for everything that is read of the jobs."""
    names = (params.work, params.home, *params.characteristics)
    counted = params.segments or params.job_counts or ((params.jobs,) if params.jobs else ())
    totals = totals_of(microdata, params.jobs) if params.segments else ()
    asked: dict[str, Aggregate] = {"rows": Count()}
    asked |= {f"count {name}": Sum(counting(name)) for name in counted}
    asked |= {f"total {name}": Sum(_total(name)) for name in totals}
    answer = rows_of(microdata).grouped([Key.met(name, Beyond.OWN) for name in names], asked, QUIET)
    keys = answer.keys.reveal()
    return Pairs(
        codes={name: np.ascontiguousarray(keys[:, place]) for place, name in enumerate(names)},
        texts={name: answer.met[name].reveal() for name in names},
        rows=answer.column("rows"),
        counts={name: answer.column(f"count {name}") for name in counted},
        totals={name: answer.column(f"total {name}") / 10.0**_HUNDREDTHS for name in totals},
    )


def _total(name: str) -> Scale:
    most = MOST_JOBS * 10**_HUNDREDTHS
    return Scale(column=name, lower=-1, upper=most, decimals=_HUNDREDTHS, beyond=Beyond.OWN)
