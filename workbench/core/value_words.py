"""The numbers of a finding in words: a name and a unit for every key that a person reads.

    readable(finding.values)                                 (("Claimed ε", "1"), …), in the order of the finding
    declare({"gap": ValueName("Largest gap", "people")})     a product's own keys, beside the code that makes them

`Finding.values` is for scripts: its keys never change and its numbers are not rounded. A window shows them only where
this table has words for them. Some are deliberately left out: they say in digits what the sentence or a table of the
finding says already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from workbench.core.errors import Defect
from workbench.core.findings import Value
from workbench.core.quantities import show


@dataclass(frozen=True, slots=True)
class ValueName:
    """A name, and a unit after the number. A share is shown as a percentage."""

    name: str
    unit: str = ""
    share: bool = False


def _share(name: str) -> ValueName:
    return ValueName(name, share=True)


_DATA = {
    "rows": ValueName("Rows"),
    "repeated": ValueName("Rows that repeat another"),
    "columns": ValueName("Columns found"),
    "codes": ValueName("Codes outside the dictionary"),
    "establishments": ValueName("Establishments"),
    "in_two_places": ValueName("Establishments in two places"),
    "groups": ValueName("Groups of columns"),
    "groups_wrong": ValueName("Groups that do not add up"),
    "rows_wrong_at_most": ValueName("Rows that do not add up, at most"),
    "negative": ValueName("Negative numbers"),
    "fractional": ValueName("Numbers that are not whole"),
    "zero": ValueName("Zeros"),
    "missing": ValueName("Missing"),
}
_TABLE = {
    "cells": ValueName("Cells"),
    "empty_cells": ValueName("Empty cells"),
    "empty_share": _share("Share of empty cells"),
    "small_cells": ValueName("Cells of one or two jobs"),
    "jobs": ValueName("Jobs"),
    "dominated_share": _share("Cells that one establishment dominates"),
    "single_establishment_cells": ValueName("Cells with a single establishment"),
    "single_establishment_share": _share("Share of cells with a single establishment"),
    "attributes_from_data": ValueName("Attributes whose values come from the data"),
    "attributes_listed_inside": ValueName("Attributes whose values the data file itself lists"),
    "listed_workplace_cells": ValueName("Workplace cells listed"),
    "possible_workplace_cells": ValueName("Workplace cells possible"),
    "values": ValueName("Values published"),
    "expected": ValueName("Values expected"),
    "not_integers": ValueName("Values that are not whole"),
    "complete": ValueName("Every cell has a value"),
}
_FLOWS = {
    "populations": ValueName("Populations"),
    "populations_looked_at": ValueName("Populations looked at"),
    "small_populations": ValueName("Populations of fewer than 10 workers"),
    "one_worker_populations": ValueName("Populations of one worker"),
    "workers": ValueName("Workers"),
    "flows": ValueName("Flows"),
    "single_worker_flows": ValueName("Flows of a single worker"),
    "work_tracts": ValueName("Work tracts"),
    "points": ValueName("Support points"),
    "points_kept": ValueName("Support points kept"),
    "mean_points": ValueName("Support points of a work tract, on average"),
    "mean_share_before": _share("Points with prior support, before"),
    "mean_share_after": _share("Points with prior support, after"),
    "prior_outside_share": _share("Prior outside the region"),
    "blocks": ValueName("Blocks"),
    "population_known": ValueName("Population of the blocks is known"),
    "split_tracts": ValueName("Tracts that are split"),
    "split_pumas": ValueName("PUMAs that are split"),
    "unpeopled_tracts": ValueName("Tracts without people"),
    "sizes_are_true": ValueName("Published sizes are the true ones"),
    "minimum_size": ValueName("Smallest population published", "workers"),
    "jobs_outside": ValueName("Jobs outside the region"),
    "populations_too_small": ValueName("Populations too small to publish"),
    "workers_too_small": ValueName("Workers in populations too small"),
    "workers_dropped": ValueName("Workers left out"),
    "dropped_share": _share("Share of workers left out"),
}
_LOSS = {
    "claimed_epsilon": ValueName("Claimed ε"),
    "claimed_delta": ValueName("Claimed δ"),
    "spent_epsilon": ValueName("Spent ε"),
    "spent_delta": ValueName("Spent δ"),
    "worst_cell": ValueName("Cell that spends most"),
    "condition": ValueName("Holds on condition"),
    "worst_pair": ValueName("Neighbours that spend most"),
    "epsilon": ValueName("ε"),
    "alpha": ValueName("Size window α"),
    "lower_bound": ValueName("Lower bound on ε"),
    "confidence": _share("Confidence"),
    "draws": ValueName("Draws"),
    "tests": ValueName("Events tested"),
    "worker_cells": ValueName("Cells one worker is counted in"),
    "hold": ValueName("Requirements that hold"),
    "holds": ValueName("Requirements that hold"),
    "requirements": ValueName("Requirements"),
    "population": ValueName("Population"),
    "max_log_ratio": ValueName("Largest log ratio, all draws"),
    "max_log_ratio_one_draw": ValueName("Largest log ratio, one draw"),
    "pure_epsilon": ValueName("Pure ε"),
    "pure_epsilon_one_draw": ValueName("Pure ε of one draw"),
    "outcome": ValueName("Outcome that tells most"),
    "row_a": ValueName("Residence it speaks for"),
    "row_b": ValueName("Residence it speaks against"),
    "points_without_prior": ValueName("Points without prior"),
    "infinite": ValueName("Populations without a bound"),
    "largest_epsilon": ValueName("Largest ε, with pruning"),
    "median_epsilon": ValueName("Median ε, with pruning"),
    "largest_pure_epsilon": ValueName("Largest pure ε"),
    "largest_nominal_epsilon": ValueName("Largest nominal ε"),
    "largest_headline_epsilon": ValueName("Largest ε by the headline bound"),
    "largest_delta_bound": ValueName("Largest bound on δ"),
    "least_prior": ValueName("Least prior of a point"),
    "total_epsilon": ValueName("ε of the release"),
    "total_delta": ValueName("δ of the release"),
    "populations_of_a_worker": ValueName("Populations one worker is in"),
    "delta_anywhere": ValueName("δ that it happens in any population"),
    "composed_epsilon": ValueName("ε of all together"),
}
_DIFFERENCING = {
    "tables": ValueName("Tables"),
    "tables_with_exact_relations": ValueName("Tables related exactly"),
    "tables_with_the_same_cells": ValueName("Tables with the same cells"),
    "same_cells": ValueName("Cells in common, at most"),
    "withheld_cells": ValueName("Withheld cells"),
    "derived_exactly": ValueName("Cells derived exactly"),
    "small_groups_derived": ValueName("Small groups derived"),
    "derivable_without_this_release": ValueName("Derivable without this release"),
    "not_examined": ValueName("Cells not examined"),
    "contradictions": ValueName("Contradictions between tables"),
    "bounded": ValueName("Withheld cells with bounds"),
    "narrow": ValueName("Withheld cells with narrow bounds"),
    "smallest_half_width": ValueName("Narrowest bound", "either way"),
}
_USE = {
    "ratio": ValueName("Expected error, against today's", "times"),
    "expected_error": ValueName("Expected error, summed"),
    "sampled_error": ValueName("Error summed, mean of trials"),
    "baseline_error": ValueName("Today's error, summed"),
    "released_error": ValueName("Error of this release, summed"),
    "formula_and_sampling_agree": ValueName("Formula and trials agree"),
    "suppressed_cells": ValueName("Cells suppressed today"),
    "trials": ValueName("Trials"),
    "release_to_truth": ValueName("Rank correlation, release and truth"),
    "baseline_to_truth": ValueName("Rank correlation, today and truth"),
    "release_to_baseline": ValueName("Rank correlation, release and today"),
    "ranked": ValueName("Totals ranked"),
    "share": _share("Cells within reach of today's error"),
    "margin": ValueName("How far beyond today's still counts", "points"),
    "contenders": ValueName("Mechanisms compared"),
    "kl_all": ValueName("Divergence, all populations", "nats"),
    "kl_small": ValueName("Divergence, fewer than 10 workers", "nats"),
    "kl_drawn_all": ValueName("Divergence of the draw, all populations", "nats"),
    "kl_drawn_small": ValueName("Divergence of the draw, fewer than 10 workers", "nats"),
    "unreached_all": _share("True residences that no draw can reach"),
    "mean_true": ValueName("Mean distance, true", "miles"),
    "mean_synthetic": ValueName("Mean distance, synthetic", "miles"),
    "median_true": ValueName("Median distance, true", "miles"),
    "median_synthetic": ValueName("Median distance, synthetic", "miles"),
    "largest_gap": _share("Largest difference of the shares"),
    "flows_suppressed_share": _share("Flows that suppression leaves out"),
    "workers_suppressed_share": _share("Workers that suppression leaves out"),
    "flows_suppressed_share_synthetic": _share("Flows that the release leaves out"),
    "true_flows_met_share": _share("True flows that the release has"),
    "synthetic_workers_on_true_flows_share": _share("Synthetic workers on true flows"),
    "best_value": ValueName("Setting with the smallest divergence"),
    "best_kl_all": ValueName("Smallest divergence", "nats"),
    "highest_before": _share("Highest chance before"),
    "highest_after": _share("Highest chance after"),
    "highest_permitted": _share("Highest chance permitted"),
    "setting": ValueName("Setting"),
    "share_of_prior": _share("Share of the prior"),
    "workplace": ValueName("Workplace"),
    "true_workers": ValueName("True workers"),
    "synthetic_workers": ValueName("Synthetic workers"),
    "true_mean_miles": ValueName("Mean distance, true", "miles"),
    "synthetic_mean_miles": ValueName("Mean distance, synthetic", "miles"),
    "share_in_right_tracts": _share("Synthetic workers in the right tracts"),
    "true_beyond": ValueName("True workers farther away"),
    "synthetic_beyond": ValueName("Synthetic workers farther away"),
}
WORDS: dict[str, ValueName] = {**_DATA, **_TABLE, **_FLOWS, **_LOSS, **_DIFFERENCING, **_USE}

_LEFT_OUT = (
    r"headline|closed_form|bound|sampler|integers|examined|smallest_noise|slide_kl_.+",  # the sentence says it
    r"ratio_.+",  # by stratum or mechanism: a table of the finding has them by name
    r"(shape|size)_(weak|informed|ceiling)|worker_(attribute|moves|present)",  # the matrix of requirements
    r"(shape|size_known|size_read|size_unknown|workers)_(exact|rounded|release)_(establishments|workers|reliable)",
)
_MISSING = "missing_"
_DECLARED: dict[str, ValueName] = {}


def declare(words: Mapping[str, ValueName]) -> None:
    """Words for keys of one's own, so that a new product needs no change here. One key has one meaning everywhere."""
    for key, name in words.items():
        known = WORDS.get(key) or _DECLARED.setdefault(key, name)
        if known != name or left_out(key):
            raise Defect(f"the value {key} has another meaning already")


def left_out(key: str) -> bool:
    """Whether a key is deliberately not shown."""
    return any(re.fullmatch(pattern, key) for pattern in _LEFT_OUT)


def words_of(key: str) -> ValueName | None:
    """What a person calls a value; None where it is not for people."""
    if key.startswith(_MISSING):
        return ValueName(f"Rows without {key.removeprefix(_MISSING).replace('_', ' ')}")
    return None if left_out(key) else WORDS.get(key) or _DECLARED.get(key)


def readable(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """The values that a person reads, by name, each with its unit."""
    named = ((words_of(key), value) for key, value in values.items())
    return tuple((words.name, _text(words, value)) for words, value in named if words is not None)


def _text(words: ValueName, value: Value) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float | Decimal):
        return str(value) or "none"
    if value != value:
        return "not defined"
    if words.share:
        return f"{show(float(value) * 100, 3)} %"
    unit = words.unit.removesuffix("s") if value == 1 else words.unit  # units are plurals: workers, jobs, miles
    return f"{show(value)} {unit}".strip()
