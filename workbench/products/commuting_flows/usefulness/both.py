"""Both mechanisms side by side, and suppression: what each file gets wrong, at the ε that each claims.

The mechanism of the plan is measured by its release, the other one by a draw for study with its defaults. The expected
pattern is the posterior of synthetic residences and the estimate of noisy flows; the file is what readers receive.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.progress import QUIET, Context, Part
from workbench.core.quantities import rounded_up, show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare, only_for_scripts
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.commuting_flows.flows.structures import BlockFlows, Numbers, Populations
from workbench.products.commuting_flows.noisy_flows import NoisyFlowsParams
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams
from workbench.products.commuting_flows.usefulness.draws import drawn_flows
from workbench.products.commuting_flows.usefulness.errors import ROWS, Errors, Truth, errors_of
from workbench.products.commuting_flows.usefulness.noisy_grid import expected_shares, noisy_grid
from workbench.products.commuting_flows.usefulness.posterior import posterior_grid
from workbench.utility.contract import Comparison

declare({"methods": ValueName("Methods compared")})
only_for_scripts("*_synthetic_residences", "*_noisy_flows", "*_suppression")

_MOST = 1_000_000  # populations: all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowMethodsParams:
    """Nothing to set: the other mechanism has its defaults."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Method:
    """One method as a column: its title, what it claims, and its errors."""

    id: str
    title: str
    epsilon: Decimal | None
    errors: Errors


@dataclass(frozen=True, slots=True)
class FlowMethods:
    """See the module's docstring."""

    id: str = "flow-methods"
    version: int = 1
    title: str = "Methods side by side"
    summary: str = "Errors of suppression, synthetic residences and noisy flows: divergence, sheds, distances, sizes."
    params: type[FlowMethodsParams] = FlowMethodsParams

    def run(self, comparison: Comparison, params: FlowMethodsParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        context.step(0.0, "Placing the true flows")
        prepared: Populations = comparison.prepared
        truth = Truth.of(prepared)
        methods = [_suppressed(comparison, truth)]
        others = sorted(comparison.mechanisms, key=lambda each: not each.traits.of_the_source)
        for number, mechanism in enumerate(others):
            part = Part(context, 0.1 + 0.9 * number / len(others), 0.1 + 0.9 * (number + 1) / len(others))
            mine = mechanism.id == comparison.mechanism.id
            settings = comparison.mechanism_params if mine else mechanism.params()
            part.step(0.0, f"Measuring {mechanism.title}")
            if not mine and mechanism.problems(prepared, settings):
                continue
            file = drawn_flows(comparison.release) if mine else None
            methods.append(method_of(mechanism, settings, truth, seed=comparison.seed, file=file))
        context.step(1.0, "Methods measured")
        return (_finding(methods, comparison.mechanism.id),)


def method_of(
    mechanism: AnyMechanism, settings: Any, truth: Truth, *, seed: int, file: BlockFlows | None = None
) -> Method:
    """A mechanism by this file, or by a draw for study, with the pattern that it expects."""
    prepared = truth.prepared
    if isinstance(settings, NoisyFlowsParams):
        fitted, drawn = noisy_grid(prepared, QUIET).drawn(settings, seed=seed)
        expected: Numbers | None = expected_shares(fitted)
    else:
        drawn = (
            drawn_flows(mechanism.study(prepared, settings, StudyRandom(seed), QUIET).reveal())
            if file is None
            else file
        )
        expected = _posterior(prepared, settings, seed) if isinstance(settings, SyntheticResidencesParams) else None
    errors = errors_of(truth, drawn if file is None else file, expected)
    claim = mechanism.claim(prepared, settings)
    return Method(id=mechanism.id, title=mechanism.title, epsilon=claim.epsilon, errors=errors)


def _posterior(prepared: Populations, settings: SyntheticResidencesParams, seed: int) -> Numbers:
    grid = posterior_grid(prepared, most=_MOST, seed=seed, context=QUIET)
    return grid.posterior(settings, np.random.Generator(np.random.PCG64(seed)))


def _suppressed(comparison: Comparison, truth: Truth) -> Method:
    shown = np.nan_to_num(comparison.baseline.reveal()).astype(np.int64)
    flows = truth.prepared.flows.reveal()
    kept = np.flatnonzero(shown)
    file = BlockFlows(population=flows.population[kept], block=flows.block[kept], workers=shown[kept])
    return Method(id="suppression", title=comparison.baseline_title, epsilon=None, errors=errors_of(truth, file))


def _finding(methods: list[Method], mine: str) -> Finding:
    other = [method for method in methods if method.id not in (mine, "suppression")]
    here = next(method for method in methods if method.id == mine)
    values: dict[str, Value] = {"methods": len(methods)}
    for method in methods:
        values |= {f"{name}_{method.id.replace('-', '_')}": _known(value) for name, value in method.errors.items()}
    rows: list[tuple[Value, ...]] = [
        ("Claimed ε", *("none" if method.epsilon is None else rounded_up(method.epsilon) for method in methods))
    ]
    rows += [(words, *(_known(method.errors.get(name)) for method in methods)) for name, words in ROWS.items()]
    return Finding(
        id="flow-methods",
        title="Methods side by side",
        status=Status.INFO,
        sentence=_sentence(here, other),
        values=values,
        tables=(
            Table(
                title="What each file gets wrong",
                columns=("error", *(method.title for method in methods)),
                rows=tuple(rows),
                note="Smaller is better. The plan's method by its release, the other by one draw for study.",
            ),
        ),
        does_not_prove="One draw of each. Claims of the methods are not about the same: read them before the errors.",
    )


def _sentence(here: Method, other: list[Method]) -> str:
    told = f"The released file diverges by {show(here.errors['kl_file_all'], 3)} nats"
    misplaced = f"{show(100 * here.errors['tract_flows'], 3)} % of tract flows are misplaced"
    if not other:
        return f"{told}, and {misplaced}."
    rival = other[0]
    return (
        f"{told} (ε {show(here.epsilon or 0)}), that of {rival.title.lower()} by "
        f"{show(rival.errors['kl_file_all'], 3)} (ε {show(rival.epsilon or 0)}); {misplaced} against "
        f"{show(100 * rival.errors['tract_flows'], 3)} %."
    )


def _known(value: float | None) -> float | None:
    return None if value is None or value != value else value


SPEC = FlowMethods()
