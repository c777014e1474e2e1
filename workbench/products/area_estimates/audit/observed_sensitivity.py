"""Maximum observed sensitivity under the glass: what sets χ, and what the published method loses on these data.

Profile: local sensitivity of every cell against its size, and the envelope χ/N that sets the noise. Then what the
removal of one person does to χ and what that tells through the noise of the other cells; and δ at the nominal ε with χ
held fixed. It is shown whatever method the plan has, as the reason for or against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import agreeing, counted, show
from workbench.core.value_words import ValueName, declare
from workbench.mechanisms.observed_sensitivity import losses
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.cell_statistics import Wanted, statistics_of
from workbench.products.area_estimates.claims import or_the_table
from workbench.products.area_estimates.columns import at_words
from workbench.products.area_estimates.effects import estimated_cells, local_moves
from workbench.products.area_estimates.left_out import cells_left_out
from workbench.products.area_estimates.observed_noise import MosParams, cut_off, published_cells
from workbench.products.area_estimates.removals import Removals, removals

declare(
    {
        "chi": ValueName("Observed sensitivity χ"),
        "setting_cell": ValueName("Cell that sets χ"),
        "people_who_change_chi": ValueName("People whose removal changes χ"),
        "rescaling_epsilon": ValueName("ε that the other cells' noise tells at δ = 10⁻⁶"),
        "conditional_delta": ValueName("δ at the nominal ε with χ fixed"),
        "least_delta": ValueName("Smallest such δ"),
        "cells_left_out": ValueName("Cells left out by rule"),
        "pools_of_one": ValueName("Pools with one published cell"),
    }
)
_DELTA = 1e-6
_SIZES = (6, 10, 20, 50, 100, 200)
_MOST_POINTS = 3000
_MOST_NAMED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedSensitivityParams:
    people: int = param(
        100_000, "People looked at", "Whose removal is tried, those of the most sensitive cells first.", ge=100
    )


@dataclass(frozen=True, slots=True)
class ObservedSensitivity:
    """See the module's docstring."""

    id: str = "observed-sensitivity"
    version: int = 1
    title: str = "Maximum observed sensitivity"
    summary: str = "What sets the noise of the published method, and what it reveals."
    params: type[ObservedSensitivityParams] = ObservedSensitivityParams
    of_loss: bool = False

    def run(self, subject: Subject, params: ObservedSensitivityParams, context: Context) -> tuple[Finding, ...]:
        prepared: AreaData = subject.prepared
        used = isinstance(subject.params, MosParams)
        settings = subject.params if used else MosParams()
        context.step(0.0, "looking for the most sensitive cells")
        rank, name = prepared.inner_rank(0), prepared.rank_names()[0]
        pool = _largest_pool(prepared, settings.minimum)
        found = removals(prepared, rank, pool, settings.minimum, params.people)
        context.step(0.8, "weighing what χ tells")
        if found is None:
            return (self._nothing(settings), *(_left_out(self, prepared, settings) if used else ()))
        told = _finding(self, prepared, found, settings, (rank, name), used)
        context.step(1.0, "observed sensitivity known")
        rest = (*_alone(self, prepared, settings), *_left_out(self, prepared, settings)) if used else ()
        return (told, _conditional(self, settings, used), *rest)

    def _nothing(self, settings: MosParams) -> Finding:
        return Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence=f"No cell has {settings.minimum} people, so that the published method would publish nothing.",
        )


def _largest_pool(prepared: AreaData, least: int) -> int:
    """The pool with the most published cells."""
    shown = estimated_cells(prepared, 0) & (prepared.lines.reveal()[0].size >= least)
    return int(np.argmax(np.bincount(prepared.places.pool[shown], minlength=prepared.places.pools)))


def _finding(
    check: ObservedSensitivity,
    prepared: AreaData,
    found: Removals,
    settings: MosParams,
    at: tuple[float | None, str],
    used: bool,
) -> Finding:
    cell = prepared.places.cell_names()[found.setting_cell]
    ratio = float(found.ratios[np.argmax(np.abs(np.log(np.maximum(found.ratios, 1e-9))))])
    worst = max(losses.rescaling_epsilon(cells=found.cells - 1, ratio=ratio, delta=_DELTA))
    at_least = "at least " if worst >= losses.MOST_TOLD else ""
    unused = "" if used else " This release does not use it."
    chi, where = found.chi * prepared.outcomes[0].width, f"At {at[1]} the" if prepared.estimator is None else "The"
    return Finding(
        id=check.id,
        title=check.title,
        status=Status.WARN if used else Status.INFO,
        sentence=(
            f"{where} cell “{cell}” alone sets χ = {show(chi, 4)} for {counted(found.cells, 'cell')} of "
            f"its pool. Removing any of {show(found.changing)} of {show(found.people)} people would change it; the "
            f"noise of the other cells then tells as much as {at_least}ε = {show(worst, 3)} at δ = 10⁻⁶.{unused}"
        ),
        values={
            "chi": chi,
            "setting_cell": cell,
            "people_who_change_chi": found.changing,
            "rescaling_epsilon": worst,
        },
        tables=(_sensitivities(prepared, at[0], found, settings),),
        figures=(profile(prepared, at[0], found, settings.minimum, at[1]),),
    )


def _sensitivities(prepared: AreaData, rank: float | None, found: Removals, settings: MosParams) -> Table:
    """Global, local and observed sensitivity beside each other, and χ with the most sensitive cells cut off.

    Cutting χ biases no estimate, as the noise has mean zero; it leaves the cells above the cut with too little noise.
    Cutting the estimates biases those at both ends and leaves χ as it is.
    """
    lines, width = prepared.lines.reveal()[0], prepared.outcomes[0].width
    moves, chi = width * local_moves(prepared, rank), width * found.chi
    inside = np.isfinite(moves) & (lines.size >= settings.minimum) & (prepared.places.pool == found.pool)
    cut, local = lines.chosen(inside), moves[inside]
    product = cut.size * local
    percentile = float(settings.percentile)
    limit = float(np.percentile(product, percentile))
    middle = float(np.median(cut.size))
    rows = (
        ("global sensitivity: the whole range", width if prepared.estimator is None else None),
        ("largest local sensitivity", float(local.max())),
        ("median local sensitivity", float(np.median(local))),
        ("χ, nothing cut off", chi),
        (f"χ cut at percentile {show(percentile)}", limit),
        ("cells above that cut, which then get too little noise", int((product > limit).sum())),
        ("χ/N in a cell of median size", chi / middle),
        ("the same with χ cut", limit / middle),
        *_estimates_cut(prepared, found, settings),
    )
    note = f"Sensitivities and biases in the unit of {prepared.outcomes[0].name}; χ is a sensitivity times people."
    return Table(title="Sensitivities of the estimate", columns=("quantity", "value"), rows=rows, note=note)


def _estimates_cut(prepared: AreaData, found: Removals, settings: MosParams) -> tuple[tuple[str, float], ...]:
    """What cutting off the estimates does to χ and to the estimates themselves, in the unit of the outcome."""
    cut = cut_off(prepared, statistics_of(prepared, Wanted())[0], settings)
    shown = published_cells(prepared, 0, settings) & (prepared.places.pool == found.pool)
    assert cut.bias is not None
    width = prepared.outcomes[0].width
    bias = width * cut.bias[shown]
    percentile = show(float(settings.percentile))
    return (
        (f"χ with estimates cut at percentile {percentile} and its opposite: the same", width * found.chi),
        ("estimates that this cut moves", int(np.count_nonzero(bias))),
        ("their bias by the cut, root mean square over cells", float(np.sqrt(np.mean(bias**2)))),
        ("largest bias by the cut", float(np.abs(bias).max())),
        ("bias without it", 0.0),
    )


def profile(prepared: AreaData, rank: float | None, found: Removals, least: int, name: str) -> Figure:
    """Local sensitivity against size on log axes, with the envelope and the cell that sets it."""
    lines, places, outcome = prepared.lines.reveal()[0], prepared.places, prepared.outcomes[0]
    moves, chi = outcome.width * local_moves(prepared, rank), outcome.width * found.chi
    inside = np.flatnonzero(np.isfinite(moves) & (lines.size >= least) & (places.pool == found.pool))
    cut, local = lines.chosen(inside), moves[inside]
    keep = np.argsort(-cut.size * local, kind="stable")[:_MOST_POINTS]
    smallest = float(cut.size.min())
    sizes = np.geomspace(smallest, max(float(cut.size.max()), 1.5 * smallest), 40)
    setting = lines.chosen(np.array([found.setting_cell]))
    names = places.cell_names()
    return Figure(
        kind=Kind.SCATTER,
        title=f"Local sensitivity {at_words(name)}",
        subtitle=f"Pool {places.pool_names[found.pool]}; noise follows the envelope χ/N",
        x=Axis(label="People in the cell", log=True),
        y=Axis(label="Move by one added person", unit=outcome.name, log=True),
        series=(
            Series(
                name="cells",
                x=tuple(cut.size[keep].astype(float).tolist()),
                y=tuple(local[keep].tolist()),
                keys=tuple(names[place] for place in inside[keep].tolist()),
                muted=True,
            ),
            Series(
                name="envelope χ/N",
                x=tuple(sizes.tolist()),
                y=tuple((chi / sizes).tolist()),
                keys=("envelope",) * 40,
            ),
            Series(
                name="sets χ",
                x=(float(setting.size[0]),),
                y=(chi / float(setting.size[0]),),
                keys=(names[found.setting_cell],),
            ),
        ),
    )


def _conditional(check: ObservedSensitivity, settings: MosParams, used: bool) -> Finding:
    each = float(settings.epsilon)
    rows = tuple(
        (size, losses.least_delta(size), losses.joining_delta(size, each), losses.joining_delta(size, 1.0))
        for size in _SIZES
    )
    least = settings.minimum
    largest = losses.joining_delta(least + 1, each)
    return Finding(
        id=f"{check.id}.conditional",
        title="Noise that follows the number of people",
        status=Status.WARN if used else Status.INFO,
        sentence=(
            f"Even with χ fixed, ε = {show(each)} fails with a probability of {show(largest, 2)} when somebody joins a "
            f"cell of {least}. It is at least {show(losses.least_delta(least), 2)} for any ε. Normal noise of the "
            f"same spread fails with {show(losses.normal_noise_delta(each), 2)}; one draw for both estimate and count "
            "hides nothing."
        ),
        values={"conditional_delta": largest, "least_delta": losses.least_delta(least)},
        tables=(
            Table(
                title="Probability that the nominal ε fails, χ fixed",
                columns=(
                    "people, whoever joins included",
                    "at least, any ε",
                    f"somebody joins, ε = {show(each)}",
                    "somebody joins, ε = 1",
                ),
                rows=rows,
            ),
        ),
    )


def _alone(check: ObservedSensitivity, prepared: AreaData, settings: MosParams) -> tuple[Finding, ...]:
    """Pools of which one cell is published: χ is its own N·LS. The plan cannot tell, as people decide who is large."""
    shown, places = published_cells(prepared, 0, settings), prepared.places
    single = np.flatnonzero(np.bincount(places.pool[shown], minlength=places.pools) == 1)
    if not len(single):
        return ()
    rows = tuple(
        (places.pool_names[pool], places.cell_names()[int(np.flatnonzero(shown & (places.pool == pool))[0])])
        for pool in single[:_MOST_NAMED].tolist()
    )
    return (
        Finding(
            id=f"{check.id}.alone",
            title="Pools with one published cell",
            status=Status.WARN,
            sentence=(
                f"{show(len(single))} of {counted(places.pools, 'pool')} {agreeing(len(single), 'has', 'have')} one "
                "published cell, whose own sensitivity then sets its noise. Choose larger areas as pools"
                f"{or_the_table(prepared)}."
            ),
            values={"pools_of_one": len(single)},
            tables=(Table(title="Pools with one published cell", columns=("pool", "cell"), rows=rows),),
        ),
    )


def _left_out(check: ObservedSensitivity, prepared: AreaData, settings: MosParams) -> tuple[Finding, ...]:
    """The cells that the plan's rule excludes, named for reviewers; none where every cell is published."""
    gone, named = cells_left_out(prepared, settings.minimum)
    if named is None:
        return ()
    return (
        Finding(
            id=f"{check.id}.left-out",
            title="Cells left out",
            status=Status.WARN,
            sentence=(
                f"{show(gone)} of {counted(prepared.places.cells, 'cell')} {agreeing(gone, 'has', 'have')} fewer than "
                f"{settings.minimum} people or no estimate, and {agreeing(gone, 'is', 'are')} left out by rule. Which "
                "ones is public then, and reveals that they are small."
            ),
            values={"cells_left_out": gone},
            tables=(named,),
        ),
    )


SPEC = ObservedSensitivity()
