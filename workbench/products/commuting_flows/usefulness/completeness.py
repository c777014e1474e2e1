"""Completeness: how much of the flows a release shows, against the suppression of OnTheMap's beta version.

Share of flows (workplace × characteristic × home block) and of workers that suppression leaves out, at the threshold of
the baseline and at others; a synthetic release suppresses nothing. Beside it, how many true flows have a synthetic
worker, and how many synthetic workers are at a place where a true one lives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import declare, share_of
from workbench.products.commuting_flows.flows.structures import BlockFlows, Populations
from workbench.products.commuting_flows.usefulness.draws import drawn_flows
from workbench.utility.contract import Comparison

declare(
    {
        "flows_suppressed_share": share_of("Flows that suppression leaves out"),
        "workers_suppressed_share": share_of("Workers that suppression leaves out"),
        "flows_suppressed_share_synthetic": share_of("Flows that the release leaves out"),
        "true_flows_met_share": share_of("True flows that the release has"),
        "synthetic_workers_on_true_flows_share": share_of("Released workers on true flows"),
    }
)

_THRESHOLDS = (2, 3, 5, 10, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletenessParams:
    """Nothing to set: the threshold in force is the baseline's."""


@dataclass(frozen=True, slots=True)
class Completeness:
    """See the module's docstring."""

    id: str = "completeness"
    version: int = 1
    title: str = "Completeness"
    summary: str = "Flows and workers that suppression leaves out and the release shows."
    params: type[CompletenessParams] = CompletenessParams

    def run(self, comparison: Comparison, params: CompletenessParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: Populations = comparison.prepared
        context.step(0.0, "Counting what suppression leaves out")
        flows = prepared.flows.reveal()
        gone = np.isnan(comparison.baseline.reveal())
        workers = int(flows.workers.sum())
        flows_gone = float(np.count_nonzero(gone)) / max(len(gone), 1)
        workers_gone = float(flows.workers[gone].sum()) / max(workers, 1)
        context.step(0.5, "Counting what the release shows")
        met, right = _overlap(flows, drawn_flows(comparison.release), len(prepared.geography.blocks))
        found = _finding(comparison, flows, (flows_gone, workers_gone), (met, right))
        context.step(1.0, "Completeness measured")
        return (found,)


def _overlap(true: BlockFlows, drawn: BlockFlows, blocks: int) -> tuple[float, float]:
    """The share of true flows that have a synthetic worker, and of synthetic workers who are on a true flow."""
    keys = [part.population.astype(np.int64) * blocks + part.block for part in (true, drawn)]
    met, right = _among(keys[0], keys[1]), _among(keys[1], keys[0])
    return (
        float(np.count_nonzero(met)) / max(len(met), 1),
        float(drawn.workers[right].sum()) / max(int(drawn.workers.sum()), 1),
    )


def _among(wanted: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the wanted are among the keys; both name every flow once, in order."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=bool)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.asarray(keys[place] == wanted)


def _finding(
    comparison: Comparison, flows: BlockFlows, gone: tuple[float, float], overlap: tuple[float, float]
) -> Finding:
    by_threshold = [
        (limit, float(np.mean(flows.workers < limit)), float(flows.workers[flows.workers < limit].sum()))
        for limit in _THRESHOLDS
    ]
    total = max(int(flows.workers.sum()), 1)
    limits = tuple(float(limit) for limit, _, _ in by_threshold)
    return Finding(
        id="completeness",
        title="Completeness",
        status=Status.INFO,
        sentence=(
            f"{comparison.baseline_title} leaves out {show(100 * gone[0], 3)} % of the flows and "
            f"{show(100 * gone[1], 3)} % of the workers; the release leaves out none. "
            f"{show(100 * overlap[0], 3)} % of the true flows have a released worker, and "
            f"{show(100 * overlap[1], 3)} % of the released workers are on a flow that exists."
        ),
        values={
            "flows_suppressed_share": gone[0],
            "workers_suppressed_share": gone[1],
            "flows_suppressed_share_synthetic": 0.0,
            "true_flows_met_share": overlap[0],
            "synthetic_workers_on_true_flows_share": overlap[1],
        },
        tables=(
            Table(
                title="Suppressed at other thresholds, homes by block",
                columns=("threshold", "share of flows", "share of workers"),
                rows=tuple((limit, share, lost / total) for limit, share, lost in by_threshold),
            ),
        ),
        figures=(
            Figure(
                kind=Kind.LINES,
                title="What suppression leaves out",
                subtitle="Homes by block; the release leaves out nothing",
                x=Axis(label="Threshold", unit="workers"),
                y=Axis(label="Share suppressed"),
                series=(
                    Series(name="flows", x=limits, y=tuple(share for _, share, _ in by_threshold)),
                    Series(name="workers", x=limits, y=tuple(lost / total for _, _, lost in by_threshold)),
                ),
            ),
        ),
        does_not_prove="A released worker on a flow that exists is no true worker; a complete table can be wrong.",
    )


SPEC = Completeness()
