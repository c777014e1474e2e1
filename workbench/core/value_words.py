"""The numbers of a finding in words: a name and a unit for every key that a person reads.

`Finding.values` is for scripts: its keys never change and its numbers are not rounded. A window shows them only where
this table has words for them. Some are deliberately left out: they say in digits what the sentence or a table of the
finding says already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from workbench.core.findings import Value
from workbench.core.quantities import show


@dataclass(frozen=True, slots=True)
class Words:
    """A name, and a unit after the number. A share is shown as a percentage."""

    name: str
    unit: str = ""
    share: bool = False


def _share(name: str) -> Words:
    return Words(name, share=True)


_DATA = {
    "rows": Words("Rows"),
    "repeated": Words("Rows that repeat another"),
    "columns": Words("Columns found"),
    "codes": Words("Codes outside the dictionary"),
    "establishments": Words("Establishments"),
    "in_two_places": Words("Establishments in two places"),
    "groups": Words("Groups of columns"),
    "groups_wrong": Words("Groups that do not add up"),
    "rows_wrong_at_most": Words("Rows that do not add up, at most"),
    "negative": Words("Negative numbers"),
    "fractional": Words("Numbers that are not whole"),
    "zero": Words("Zeros"),
    "missing": Words("Missing"),
}
_TABLE = {
    "cells": Words("Cells"),
    "empty_cells": Words("Empty cells"),
    "empty_share": _share("Share of empty cells"),
    "small_cells": Words("Cells of one or two jobs"),
    "jobs": Words("Jobs"),
    "dominated_share": _share("Cells that one establishment dominates"),
    "single_establishment_cells": Words("Cells with a single establishment"),
    "single_establishment_share": _share("Share of cells with a single establishment"),
    "attributes_from_data": Words("Attributes whose values come from the data"),
    "attributes_listed_inside": Words("Attributes listed inside the program"),
    "listed_workplace_cells": Words("Workplace cells listed"),
    "possible_workplace_cells": Words("Workplace cells possible"),
    "values": Words("Values published"),
    "expected": Words("Values expected"),
    "not_integers": Words("Values that are not whole"),
    "complete": Words("Every cell has a value"),
}
_FLOWS = {
    "populations": Words("Populations"),
    "populations_looked_at": Words("Populations looked at"),
    "small_populations": Words("Populations of fewer than 10 workers"),
    "one_worker_populations": Words("Populations of one worker"),
    "workers": Words("Workers"),
    "flows": Words("Flows"),
    "single_worker_flows": Words("Flows of a single worker"),
    "work_tracts": Words("Work tracts"),
    "points": Words("Support points"),
    "points_kept": Words("Support points kept"),
    "mean_points": Words("Support points of a work tract, on average"),
    "mean_share_before": _share("Points with prior support, before"),
    "mean_share_after": _share("Points with prior support, after"),
    "prior_outside_share": _share("Prior outside the region"),
    "blocks": Words("Blocks"),
    "population_known": Words("Population of the blocks is known"),
    "split_tracts": Words("Tracts that are split"),
    "split_pumas": Words("PUMAs that are split"),
    "unpeopled_tracts": Words("Tracts without people"),
    "sizes_are_true": Words("Published sizes are the true ones"),
    "minimum_size": Words("Smallest population published", "workers"),
    "jobs_outside": Words("Jobs outside the region"),
    "populations_too_small": Words("Populations too small to publish"),
    "workers_too_small": Words("Workers in populations too small"),
    "workers_dropped": Words("Workers left out"),
    "dropped_share": _share("Share of workers left out"),
}
_LOSS = {
    "claimed_epsilon": Words("Claimed ε"),
    "claimed_delta": Words("Claimed δ"),
    "spent_epsilon": Words("Spent ε, exactly"),
    "spent_delta": Words("Spent δ, exactly"),
    "worst_cell": Words("Cell that spends most"),
    "worst_pair": Words("Neighbours that spend most"),
    "epsilon": Words("ε"),
    "alpha": Words("Size window α"),
    "lower_bound": Words("Lower bound on ε"),
    "confidence": _share("Confidence"),
    "draws": Words("Draws"),
    "tests": Words("Events tested"),
    "worker_cells": Words("Cells one worker is counted in"),
    "hold": Words("Requirements that hold"),
    "holds": Words("Requirements that hold"),
    "requirements": Words("Requirements"),
    "population": Words("Population"),
    "max_log_ratio": Words("Largest log ratio, all draws"),
    "max_log_ratio_one_draw": Words("Largest log ratio, one draw"),
    "pure_epsilon": Words("Pure ε"),
    "pure_epsilon_one_draw": Words("Pure ε of one draw"),
    "outcome": Words("Outcome that tells most"),
    "row_a": Words("Residence it speaks for"),
    "row_b": Words("Residence it speaks against"),
    "points_without_prior": Words("Points without prior"),
    "infinite": Words("Populations without a bound"),
    "largest_epsilon": Words("Largest ε, with pruning"),
    "median_epsilon": Words("Median ε, with pruning"),
    "largest_pure_epsilon": Words("Largest pure ε"),
    "largest_nominal_epsilon": Words("Largest nominal ε"),
    "largest_headline_epsilon": Words("Largest ε by the headline bound"),
    "largest_delta_bound": Words("Largest bound on δ"),
    "least_prior": Words("Least prior of a point"),
    "total_epsilon": Words("ε of the release"),
    "total_delta": Words("δ of the release"),
    "populations_of_a_worker": Words("Populations one worker is in"),
    "delta_anywhere": Words("δ that it happens in any population"),
    "composed_epsilon": Words("ε of all together"),
}
_DIFFERENCING = {
    "tables": Words("Tables"),
    "tables_with_exact_relations": Words("Tables related exactly"),
    "tables_with_the_same_cells": Words("Tables with the same cells"),
    "same_cells": Words("Cells in common, at most"),
    "withheld_cells": Words("Withheld cells"),
    "derived_exactly": Words("Cells derived exactly"),
    "small_groups_derived": Words("Small groups derived"),
    "derivable_without_this_release": Words("Derivable without this release"),
    "not_examined": Words("Cells not examined"),
    "contradictions": Words("Contradictions between tables"),
    "bounded": Words("Withheld cells with bounds"),
    "narrow": Words("Withheld cells with narrow bounds"),
    "smallest_half_width": Words("Narrowest bound", "either way"),
}
_USE = {
    "ratio": Words("Expected error, against today's", "times"),
    "expected_error": Words("Expected error over all cells", "jobs"),
    "sampled_error": Words("Error over all cells, mean of trials", "jobs"),
    "baseline_error": Words("Today's error over all cells", "jobs"),
    "released_error": Words("Error of this release over all cells", "jobs"),
    "formula_and_sampling_agree": Words("Formula and trials agree"),
    "suppressed_cells": Words("Cells suppressed today"),
    "trials": Words("Trials"),
    "release_to_truth": Words("Rank correlation, release and truth"),
    "baseline_to_truth": Words("Rank correlation, today and truth"),
    "release_to_baseline": Words("Rank correlation, release and today"),
    "ranked": Words("Totals ranked"),
    "share": _share("Cells within reach of today's error"),
    "margin": Words("How far beyond today's still counts", "points"),
    "contenders": Words("Mechanisms compared"),
    "kl_all": Words("Divergence, all populations", "nats"),
    "kl_small": Words("Divergence, fewer than 10 workers", "nats"),
    "kl_drawn_all": Words("Divergence of the draw, all populations", "nats"),
    "kl_drawn_small": Words("Divergence of the draw, fewer than 10 workers", "nats"),
    "unreached_all": _share("True residences that no draw can reach"),
    "mean_true": Words("Mean distance, true", "miles"),
    "mean_synthetic": Words("Mean distance, synthetic", "miles"),
    "median_true": Words("Median distance, true", "miles"),
    "median_synthetic": Words("Median distance, synthetic", "miles"),
    "largest_gap": _share("Largest difference of the shares"),
    "flows_suppressed_share": _share("Flows that suppression leaves out"),
    "workers_suppressed_share": _share("Workers that suppression leaves out"),
    "flows_suppressed_share_synthetic": _share("Flows that the release leaves out"),
    "true_flows_met_share": _share("True flows that the release has"),
    "synthetic_workers_on_true_flows_share": _share("Synthetic workers on true flows"),
    "best_value": Words("Setting with the smallest divergence"),
    "best_kl_all": Words("Smallest divergence", "nats"),
    "highest_before": _share("Highest chance before"),
    "highest_after": _share("Highest chance after"),
    "highest_permitted": _share("Highest chance permitted"),
    "setting": Words("Setting"),
    "share_of_prior": _share("Share of the prior"),
    "workplace": Words("Workplace"),
    "true_workers": Words("True workers"),
    "synthetic_workers": Words("Synthetic workers"),
    "true_mean_miles": Words("Mean distance, true", "miles"),
    "synthetic_mean_miles": Words("Mean distance, synthetic", "miles"),
    "share_in_right_tracts": _share("Synthetic workers in the right tracts"),
    "true_beyond": Words("True workers farther away"),
    "synthetic_beyond": Words("Synthetic workers farther away"),
}
WORDS: dict[str, Words] = {**_DATA, **_TABLE, **_FLOWS, **_LOSS, **_DIFFERENCING, **_USE}

_LEFT_OUT = (
    r"headline|closed_form|sampler|integers|examined|smallest_noise|slide_kl_.+",  # for scripts; the sentence says it
    r"ratio_.+",  # by stratum or mechanism: a table of the finding has them by name
    r"(shape|size)_(weak|informed|ceiling)|worker_(attribute|moves|present)",  # the matrix of requirements
    r"(shape|size_known|size_read|size_unknown|workers)_(exact|rounded|release)_(establishments|workers|reliable)",
)
_MISSING = "missing_"


def left_out(key: str) -> bool:
    """Whether a key is deliberately not shown."""
    return any(re.fullmatch(pattern, key) for pattern in _LEFT_OUT)


def words_of(key: str) -> Words | None:
    """What a person calls a value; None where it is not for people."""
    if key.startswith(_MISSING):
        return Words(f"Rows without {key.removeprefix(_MISSING).replace('_', ' ')}")
    return None if left_out(key) else WORDS.get(key)


def readable(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """The values that a person reads, by name, each with its unit."""
    named = ((words_of(key), value) for key, value in values.items())
    return tuple((words.name, _text(words, value)) for words, value in named if words is not None)


def _text(words: Words, value: Value) -> str:
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
    return f"{show(value)} {words.unit}".strip()
