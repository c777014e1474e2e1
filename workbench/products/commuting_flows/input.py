"""Reading jobs or counts of jobs by workplace and residence, with everything that can be wrong with them in words.

One row is one job, or one count of jobs in the LODES layout (w_geocode, h_geocode, S000 and segments of it). No message
holds a code or a count of the file: both are confidential.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Problem, raise_if
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.microdata import columns as column_choices
from workbench.microdata.inputs import Inputs
from workbench.microdata.lodes import check_margins
from workbench.microdata.roles import Role
from workbench.microdata.table import Microdata
from workbench.products.commuting_flows.flows import geography as geography_file
from workbench.products.commuting_flows.flows import prior as prior_file
from workbench.products.commuting_flows.flows.columns import UNKNOWN, find_codes
from workbench.products.commuting_flows.flows.populations import JobCounts
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Listed
from workbench.products.commuting_flows.homes import judge
from workbench.products.commuting_flows.job_counts import CLASSES, classes_of, nesting_problems
from workbench.products.commuting_flows.listing import (
    areas_of,
    by_dictionary,
    how_listed,
    listed_workplaces,
    listing_problems,
    unknown_block,
    unlisted,
    workplace_numbers,
)
from workbench.products.commuting_flows.own_prior import own_prior
from workbench.products.commuting_flows.pairs import MOST_JOBS, Pairs, ask_pairs
from workbench.products.commuting_flows.params import CommutingFlowsParams, Outside, WorkLevel
from workbench.products.commuting_flows.segments import sets_of
from workbench.products.commuting_flows.totals import above_total
from workbench.products.commuting_flows.workers import many_jobs, several_homes, worker_columns
from workbench.tabulation.door import rows_of

GEOGRAPHY, PRIOR = "geography", "prior"
_COUNT = re.compile(r"[A-Z]000")
_SIDES = (("w_geocode", "WAC (jobs by workplace)", "home"), ("h_geocode", "RAC (jobs by residence)", "work"))


_REFUSED = {  # another role would not make a count of it
    Role.WEIGHT: (
        "one respondent would count as many workers who live at one place",
        "Choose a column that counts jobs, or none where every row is one job",
    )
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReadJobs:
    """Jobs ready to be gathered. `keys` are the texts of each characteristic, one per column that divides workers."""

    jobs: JobCounts
    keys: tuple[tuple[str, ...], ...]
    outside: int
    unjudged: tuple[str, ...]  # columns that divide workers and of which too few jobs share a home to judge them
    listed: Listed
    unknown_home: int  # the block of unknown homes, UNKNOWN where there is none
    sets: int  # how many characteristics each job is counted under: one, or one per set of segments


def input_problems(inputs: Inputs, params: CommutingFlowsParams) -> tuple[Problem, ...]:
    """Why these files cannot be read, without going through their rows."""
    return (
        *params.check(),
        *_wrong_kind(inputs.microdata, params),
        *column_choices.problems_of(inputs, params, refused=_REFUSED),
        *worker_columns(inputs),
        *listing_problems(inputs, params),
        *_companion_problems(inputs, params),
    )


def _wrong_kind(microdata: Microdata, params: CommutingFlowsParams) -> list[Problem]:
    """Files of totals look like flows but have one area only. Small enough to be added up here."""
    names = set(microdata.columns)
    for side, kind, lacking in _SIDES:
        if side in names and "C000" in names and not {"w_geocode", "h_geocode"} <= names:
            what = f"The file has the layout of LODES {kind}: it has no {lacking} block, so it holds no flows"
            do = "Load the origin-destination file of the same state and year (…_od_main_…)"
            return [Problem(what, microdata.name, do), *margin_problems(microdata)]
    counts = sorted(name for name in names if _COUNT.fullmatch(name))
    if counts and not params.jobs and not params.segments and not params.job_counts:
        what = f"The file holds counts of jobs (“{counts[0]}”), but every row would count as one job"
        return [Problem(what, "jobs", f"Choose “{counts[0]}” as the count of jobs")]
    return []


def margin_problems(microdata: Microdata) -> list[Problem]:
    """Segments that contradict their total make every number of the file doubtful."""
    return [
        Problem(
            "The counts are impossible: "
            + ", ".join(str(row[0]) for row in finding.tables[0].rows if row[1])
            + " do not add up to it in every row",
            microdata.name,
            "Get the file again from its producer",
        )
        for finding in check_margins(microdata, {}, QUIET)
        if finding.status is Status.FAIL
    ]


def _companion_problems(inputs: Inputs, params: CommutingFlowsParams) -> list[Problem]:
    found: list[Problem] = []
    if GEOGRAPHY not in inputs.companions:
        do = "Name the file of blocks under [data.companions], geography = …"
        found.append(Problem("No geography is loaded", "[data.companions]", do))
    else:
        found += geography_file.column_problems(inputs.companions[GEOGRAPHY], params.geography_columns)
    if PRIOR in inputs.companions:
        public, own = inputs.companions[PRIOR].fingerprint, inputs.microdata.fingerprint
        if public.file == own.file or public.content == own.content:
            what = "The prior is the confidential file itself, so the guarantee would mean nothing"
            found.append(Problem(what, "[data.companions] prior", "Use flows that have been published"))
        found += prior_file.column_problems(inputs.companions[PRIOR], params.prior_columns)
    return found


def read_jobs(inputs: Inputs, params: CommutingFlowsParams, geography: Geography) -> ReadJobs:
    """Every problem with the rows is raised at once."""
    microdata = inputs.microdata
    pairs, from_data, problems = by_dictionary(ask_pairs(microdata, params), microdata, params)
    unknown, wrong = unknown_block(params, geography, inputs.companions[GEOGRAPHY].name)
    workplaces, unlistable = listed_workplaces(inputs, params, geography, unknown=unknown)
    raise_if([*problems, *wrong, *unlistable])
    characteristic, keys, problems = _divided(pairs, microdata, params)
    problems += margin_problems(microdata) if pairs.counts else []
    problems += _repeated(microdata, pairs) if not params.job_counts else []
    counts = list(pairs.counts.values()) or [pairs.rows]
    problems += nesting_problems(counts, params.job_counts, microdata.name) if params.job_counts else []
    raise_if(problems)
    counts = classes_of(counts) if params.job_counts else counts
    work = pairs.spread(params.work, workplace_numbers(pairs.texts[params.work], params, geography))
    home = pairs.spread(params.home, find_codes(pairs.texts[params.home], geography.blocks))
    problems += above_total(microdata, pairs, params.segments)
    problems += many_jobs(inputs, params)
    problems += several_homes(inputs, params)
    judged = judge(pairs, params, geography, home=home)
    problems += judged.problems
    problems += own_prior(pairs, inputs.companions.get(PRIOR), params, geography)
    total = np.sum(counts, axis=0)
    problems += _place_problems(inputs, params, work=work[total > 0], home=home[total > 0])
    problems += unlisted(work[total > 0], workplaces)
    raise_if(problems)
    home = np.where(home == UNKNOWN, np.int32(unknown), home)
    inside = home != UNKNOWN
    sets = len(sets_of(params.segments)) or 1
    return ReadJobs(
        jobs=JobCounts(
            work=np.concatenate([work[inside]] * len(counts)),
            characteristic=np.concatenate([part[inside] for part in characteristic]),
            home=np.concatenate([home[inside]] * len(counts)),
            workers=np.concatenate([workers[inside] for workers in counts]),
            areas=areas_of(params, geography),
            workplaces=workplaces,
        ),
        listed=how_listed(inputs, params, from_data),
        unknown_home=unknown,
        keys=keys,
        outside=int(total[~inside].sum()) // sets,
        sets=sets,
        unjudged=judged.unjudged,
    )


def _divided(
    pairs: Pairs, microdata: Microdata, params: CommutingFlowsParams
) -> tuple[list[Indices], tuple[tuple[str, ...], ...], list[Problem]]:
    """The characteristic of each entry, once or once a segment; the characteristics' texts; what is wrong."""
    problems = [problem for name in pairs.counts if (problem := _count_problem(microdata, name)) is not None]
    if params.segments:
        entries = len(pairs.rows)
        of = [np.full(entries, number, np.int32) for number in range(len(params.segments))]
        return of, tuple((name,) for name in params.segments), problems
    characteristic, keys, wrong = _characteristics(pairs, microdata.name, params.characteristics)
    if params.job_counts:
        of = [(characteristic * len(CLASSES) + number).astype(np.int32) for number in range(len(CLASSES))]
        return of, tuple((*texts, name) for texts in keys for name in CLASSES), problems + wrong
    return [characteristic], keys, problems + wrong


def _count_problem(microdata: Microdata, name: str) -> Problem | None:
    found = rows_of(microdata).numbers(name, most=MOST_JOBS, context=QUIET)
    wrong = (
        ("is missing or no number", found.missing),
        ("is negative", found.negative),
        ("is a fraction", found.fractional),
        ("is above a billion", found.above),
    )
    said = [words for words, rows in wrong if rows.reveal()]
    if not said:
        return None
    what = f"In some rows “{name}” {' and in some it '.join(said)}"
    return Problem(what, microdata.name, "Counts of jobs are whole numbers from zero up: correct or remove those rows")


def _characteristics(
    pairs: Pairs, file: str, names: Sequence[str]
) -> tuple[Indices, tuple[tuple[str, ...], ...], list[Problem]]:
    """The combination of values of each entry, and the texts of every combination."""
    entries = len(pairs.rows)
    missing = [
        Problem(f"Some rows have no value of “{name}”", file, "Give them a code of their own")
        for name in names
        if np.any(pairs.codes[name] == UNKNOWN)
    ]
    lengths = [len(pairs.texts[name]) for name in names]
    if math.prod(lengths) > 100_000:
        many = Problem("The characteristics have too many combinations", "characteristics", "Choose fewer or coarser")
        return np.zeros(entries, np.int32), ((),), [*missing, many]
    combined = np.zeros(entries, np.int32)
    for name, length in zip(names, lengths, strict=True):
        combined = (combined * length + np.maximum(pairs.codes[name], 0)).astype(np.int32)
    if not names:
        return combined, ((),), []
    texts = np.meshgrid(*(np.asarray(pairs.texts[name], dtype=np.str_) for name in names), indexing="ij")
    keys = tuple(zip(*(text.ravel().tolist() for text in texts), strict=True))
    return combined, keys, missing


def _repeated(microdata: Microdata, pairs: Pairs) -> list[Problem]:
    """A pair of places counted in two rows: is it one flow twice, or two parts of a flow? Nobody but a person knows."""
    if not pairs.counts or not np.any(pairs.rows > 1):
        return []
    what = "Some pairs of workplace and residence have more than one row"
    return [Problem(what, microdata.name, "Add those rows up, or remove the ones that are there twice")]


def _place_problems(
    inputs: Inputs, params: CommutingFlowsParams, *, work: NDArray[np.int32], home: NDArray[np.int32]
) -> list[Problem]:
    beside = inputs.companions[GEOGRAPHY].name
    found = []
    if not len(work):
        found.append(Problem("The file holds no job", inputs.microdata.name, "Check that it is the right one"))
    if np.any(work == UNKNOWN):
        kind = "block" if params.work_level is WorkLevel.BLOCK else f"block or {params.work_level.value}"
        what = f"Some workplaces are not a {kind} of the geography {beside}"
        found.append(Problem(what, params.work, "Use the geography of the same region and year, codes as text"))
    if np.any(home == UNKNOWN) and params.outside is Outside.REFUSE:
        what = f"Some homes are missing or not a block of the geography {beside}"
        do = "Use a geography that covers them, or set “Homes outside the geography” to leave those jobs out"
        found.append(Problem(what, params.home, do))
    return found
