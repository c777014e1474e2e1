"""Facts of prepared flows worth seeing before a draw: sizes, support points, prior support, what is left out.

Support points and prior support are laid out like the tables of the slides (section 5). They follow from public files,
a public seed and the list of work tracts, so anybody may read them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Audience, Finding, Status, Table, Value
from workbench.core.quantities import agreeing, counted, show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.flows.structures import Level, Numbers, Supports

declare(
    {
        "populations": ValueName("Populations"),
        "small_populations": ValueName("Populations of fewer than 10 workers"),
        "one_worker_populations": ValueName("Populations of one worker"),
        "workers": ValueName("Workers"),
        "flows": ValueName("Flows"),
        "single_worker_flows": ValueName("Flows of a single worker"),
        "work_tracts": ValueName("Work tracts"),
        "points": ValueName("Support points"),
        "points_kept": ValueName("Support points kept"),
        "mean_points": ValueName("Support points of a work tract, on average"),
        "mean_share_before": share_of("Points with prior support, before"),
        "mean_share_after": share_of("Points with prior support, after"),
        "prior_outside_share": share_of("Prior outside the region"),
        "blocks": ValueName("Blocks"),
        "population_known": ValueName("Population of the blocks is known"),
        "split_tracts": ValueName("Tracts that are split"),
        "split_pumas": ValueName("PUMAs that are split"),
        "unpeopled_tracts": ValueName("Tracts without people"),
        "sizes_are_true": ValueName("Published sizes are the true ones"),
        "jobs_outside": ValueName("Jobs outside the region"),
        "populations_too_small": ValueName("Populations too small to publish"),
        "workers_too_small": ValueName("Workers in populations too small"),
        "workers_dropped": ValueName("Workers left out"),  # of releases up to version 1 of the mechanism
        "dropped_share": share_of("Share of workers left out"),
        "workers_moved": ValueName("Workers counted elsewhere"),
        "moved_share": share_of("Share of workers counted elsewhere"),
    }
)

_EDGES = (10.0, 25.0, 100.0, 500.0)
_DISTANCES = ("below 10", "10–25", "25–100", "100–500", "500 and more")
_LEVELS = {Level.SUPER_PUMA: "Super-PUMA", Level.PUMA: "PUMA", Level.TRACT: "Tract"}
_SIZE_NAMES = ("1", "2–9", "10–99", "100–999", "1,000+")
_SIZE_EDGES = (2, 10, 100, 1000)


def facts(prepared: PreparedFlows) -> tuple[Finding, ...]:
    """The findings a reviewer reads beside the settings."""
    return (
        _populations(prepared),
        _support_points(prepared.supports),
        _prior_support(prepared),
        _geography(prepared),
        _left_out(prepared),
        *_unjudged(prepared),
    )


def _populations(prepared: PreparedFlows) -> Finding:
    size = prepared.size
    classes = np.bincount(np.searchsorted(_SIZE_EDGES, size, side="right"), minlength=len(_SIZE_NAMES))
    ones, small = int(np.count_nonzero(size == 1)), int(np.count_nonzero(size < 10))
    flows = prepared.flows.reveal()
    single = int(np.count_nonzero(flows.workers == 1))
    return Finding(
        id="flows-populations",
        title="Populations and their sizes",
        status=Status.INFO,
        sentence=(
            f"{counted(len(size), 'population')} with {counted(int(size.sum()), 'worker')}; "
            f"{counted(small, 'population')} {agreeing(small, 'has', 'have')} fewer than ten workers and {show(ones)} "
            f"a single one. {show(100 * single / max(len(flows.workers), 1), 3)} % "
            f"of {counted(len(flows.workers), 'flow')} are one worker."
        ),
        values={
            "populations": len(size),
            "workers": int(size.sum()),
            "small_populations": small,
            "one_worker_populations": ones,
            "flows": len(flows.workers),
            "single_worker_flows": single,
        },
        figures=(
            Figure(
                kind=Kind.BARS,
                title="Populations by size",
                x=Axis(label="Workers", categories=_SIZE_NAMES),
                y=Axis(label="Populations"),
                series=(Series(name="populations", x=tuple(map(float, range(5))), y=tuple(classes.astype(float))),),
            ),
        ),
        does_not_prove="Where the only worker of a population lives is protected by the prior alone: see the audit.",
    )


def _per_tract(supports: Supports, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of the chosen points each work tract has."""
    running = np.concatenate([[0], np.cumsum(chosen)])
    counts: NDArray[np.int64] = np.diff(running[supports.start])
    return counts


def _distance_of(supports: Supports) -> NDArray[np.int64]:
    return np.searchsorted(_EDGES, supports.miles, side="right")


def _support_points(supports: Supports) -> Finding:
    """Mean, least and most support points over work tracts, before elimination, and the mean after it."""
    classes = _distance_of(supports)
    everything = np.ones(supports.points, dtype=bool)
    groups: list[tuple[str, NDArray[np.bool_]]] = [("Total", everything)]
    groups += [(f"Level: {name}", supports.level == level) for level, name in _LEVELS.items()]
    groups += [(f"Miles: {name}", classes == i) for i, name in enumerate(_DISTANCES)]
    rows: list[tuple[Value, ...]] = []
    for name, chosen in groups:
        per_tract = _per_tract(supports, chosen)
        after = _per_tract(supports, chosen & supports.kept)
        rows.append((name, float(per_tract.mean()), int(per_tract.min()), int(per_tract.max()), float(after.mean())))
    total = _per_tract(supports, everything)
    kept = float(np.count_nonzero(supports.kept)) / max(supports.points, 1)
    return Finding(
        id="flows-support-points",
        title="Support points of the work tracts",
        status=Status.INFO,
        sentence=(
            f"For synthetic residences a work tract has {show(float(total.mean()), 4)} support points on average "
            f"({show(int(total.min()))} to {show(int(total.max()))}); {show(100 * kept, 3)} % of all points stay after "
            "elimination."
        ),
        values={
            "work_tracts": len(supports.work_tract),
            "points": supports.points,
            "points_kept": int(np.count_nonzero(supports.kept)),
            "mean_points": float(total.mean()),
        },
        tables=(
            Table(
                title="Support points over work tracts",
                columns=("points", "mean", "min", "max", "mean after elimination"),
                rows=tuple(rows),
                note="By level of coarsening, and by miles between the middles of work tract and point.",
            ),
        ),
        does_not_prove="More points near a workplace keep more detail, and need more prior in all.",
        audience=Audience.PUBLIC,
    )


def _prior_support(prepared: PreparedFlows) -> Finding:
    """The share of a work tract's points that the public prior supports, mean and SD over tracts, before and after."""
    supports = prepared.supports
    classes = _distance_of(supports)
    groups = [(name, classes == i) for i, name in enumerate(_DISTANCES)]
    groups.append(("All", np.ones(supports.points, dtype=bool)))
    rows: list[tuple[Value, ...]] = []
    for name, chosen in groups:
        before = _shares(supports, chosen)
        after = _shares(supports, chosen & supports.kept)
        if len(before):
            rows.append((name, *_mean_and_spread(before), *_mean_and_spread(after)))
    overall = [float(_shares(supports, chosen).mean()) for chosen in (groups[-1][1], supports.kept)]
    sentence = (
        f"{show(100 * overall[0], 3)} % of a work tract's points have support in the prior {prepared.prior_name}, on "
        f"average; {show(100 * overall[1], 3)} % after unlikely points are eliminated with a public seed."
        if prepared.prior_name
        else "No public prior is loaded: every support point starts with the least prior, and coarsening goes by where "
        "people live instead of where they commute from."
    )
    return Finding(
        id="flows-prior-support",
        title="Points with support in the public prior",
        status=Status.INFO,
        sentence=sentence,
        values={
            "mean_share_before": overall[0],
            "mean_share_after": overall[1],
            "prior_outside_share": prepared.facts.prior_unknown,
        },
        tables=(
            Table(
                title="Share of points with prior support",
                columns=("miles", "mean before", "SD before", "mean after", "SD after"),
                rows=tuple(rows),
                note="Over work tracts that have a point at that distance.",
            ),
        ),
        does_not_prove="That the prior is right: an informative prior that misleads costs accuracy, never privacy.",
        audience=Audience.PUBLIC,
    )


def _shares(supports: Supports, chosen: NDArray[np.bool_]) -> Numbers:
    points = _per_tract(supports, chosen)
    supported = _per_tract(supports, chosen & (supports.prior > 0))
    shares: Numbers = supported[points > 0] / points[points > 0]
    return shares


def _mean_and_spread(shares: Numbers) -> tuple[float | None, float | None]:
    return (float(shares.mean()), float(shares.std())) if len(shares) else (None, None)


def _geography(prepared: PreparedFlows) -> Finding:
    known = prepared.facts.geography
    geography = prepared.geography
    nouns = ("tract", "PUMA", "Super-PUMA")
    tracts, pumas, supers = (counted(len(codes), noun) for codes, noun in zip(geography.areas, nouns, strict=True))
    said = [f"{counted(len(geography.blocks), 'block')} in {tracts}, {pumas} and {supers}."]
    if not known.population_known:
        said.append("No population is known, so all blocks of an area are equally likely homes.")
    if known.unpeopled_tracts:
        said.append(f"In {counted(known.unpeopled_tracts, 'tract')} nobody lives: the blocks there weigh alike.")
    for split, inner, outer in zip(known.split, ("tracts", "PUMAs"), ("PUMA", "Super-PUMA"), strict=True):
        if split:
            said.append(f"{show(split)} {inner} lie in more than one {outer} and go where most of their people live.")
    return Finding(
        id="flows-geography",
        title="Geography",
        status=Status.INFO,
        sentence=" ".join(said),
        values={
            "blocks": len(geography.blocks),
            "population_known": known.population_known,
            "split_tracts": known.split[0],
            "split_pumas": known.split[1],
            "unpeopled_tracts": known.unpeopled_tracts,
        },
        does_not_prove="Equal weights send too many residences to blocks where few live; the guarantee is the same.",
        audience=Audience.PUBLIC,
    )


def _left_out(prepared: PreparedFlows) -> Finding:
    outside = prepared.facts.outside.reveal()
    small = prepared.facts.too_small.reveal()
    moved = int(prepared.moved.reveal().sum())
    size = int(prepared.size.sum())
    share = moved / max(size, 1)
    return Finding(
        id="flows-left-out",
        title="What is left out",
        status=Status.INFO,
        sentence=(
            f"{counted(outside, 'job')} {agreeing(outside, 'has', 'have')} a home outside the geography and "
            f"{counted(len(small), 'population')} with {counted(int(small.sum()), 'worker')} "
            f"{agreeing(len(small), 'is', 'are')} below the smallest size: neither is released. "
            f"Synthetic residences would count {counted(moved, 'worker')} ({show(100 * share, 3)} %) of eliminated "
            "points at the nearest point that was kept."
        ),
        values={
            "jobs_outside": outside,
            "populations_too_small": len(small),
            "workers_too_small": int(small.sum()),
            "workers_moved": moved,
            "moved_share": share,
        },
        does_not_prove="Leaving workers out by where they live tells, to who knows the sizes, that some live far away.",
    )


def _unjudged(prepared: PreparedFlows) -> tuple[Finding, ...]:
    """Columns that may tell where workers live, for all that the data show."""
    names = prepared.facts.unjudged.reveal()
    if not names:
        return ()
    named = ", ".join(f"“{name}”" for name in names)
    return (
        Finding(
            id="flows-told-by-home",
            title="Whether characteristics follow from the home",
            status=Status.WARN,
            sentence=(
                f"Too few jobs share a home, or workplace and home, to tell whether {named} "
                f"{agreeing(len(names), 'follows', 'follow')} from where workers live: populations are published as "
                "they are, so make sure of it yourself."
            ),
            values={"columns": len(names)},
            does_not_prove="That the column tells nothing about homes: a trait may go with the home without following.",
        ),
    )
