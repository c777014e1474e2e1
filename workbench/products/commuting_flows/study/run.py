"""The study: reads its file, makes the twin, and lays out steps, sentences, domain trade-offs and both methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param, parse
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon, show
from workbench.microdata.inputs import Inputs
from workbench.products.commands import Studied
from workbench.products.commuting_flows import noisy_flows, synthetic_residences
from workbench.products.commuting_flows.facts import facts
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit
from workbench.products.commuting_flows.study.prepared import prepared_twin, twin_inputs
from workbench.products.commuting_flows.study.sentences import SENTENCES, curves_of, sampled
from workbench.products.commuting_flows.study.steps import Step, measured, steps_of
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams
from workbench.products.commuting_flows.twin.twin import Like
from workbench.products.commuting_flows.usefulness.both import Method, method_of
from workbench.products.commuting_flows.usefulness.errors import ROWS, Truth

# (PUMAs beyond, Super-PUMAs beyond) and chances of elimination beyond 100, 200 and 500 miles
_COARSENING = (("0.3", "0.7"), ("0.5", "0.9"), ("0.7", "0.95"), ("1", "1"))
_ELIMINATION = (("0", "0", "0"), ("0.25", "0.45", "0.49"), ("0.5", "0.9", "0.98"), ("1", "1", "1"))
_NOISY = ((4, Unit.JOB, False), (6, Unit.HOME, True), (4, Unit.HOME, False))


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowsStudyParams:
    like: Like = param(Like.STATE_A, "State", "Which of the slides' states the twin follows.")
    jobs: int = param(90_000, "Jobs", "How many jobs the twin has.", ge=6_000, le=5_000_000)
    populations: int = param(
        150, "Populations", "Of each kind, small and larger, that posteriors are worked out for.", ge=1
    )
    methods: bool = param(True, "Both methods", "Whether noisy flows are measured beside synthetic residences.")
    seed: int = param(1, "Seed", "Of the twin and of all draws.", ge=0)


def run_study(sections: Mapping[str, Any], where: str, context: Context) -> Studied:
    raw = sections.get("flows", {})
    unknown = [key for key in sections if key != "flows"]
    if unknown or not isinstance(raw, Mapping):
        raise UserProblem(
            f"There is no section “{(unknown or ['flows'])[0]}”", where, "Write [flows] and settings beneath"
        )
    params = parse(FlowsStudyParams, raw, f"{where}, [flows]")
    state = "" if params.like is Like.SAMPLE else params.like.value
    inputs = twin_inputs(state=state, jobs=params.jobs, seed=params.seed, context=Part(context, 0.0, 0.1))
    prepared = prepared_twin(inputs)
    found = [_steps(inputs, params, Part(context, 0.1, 0.3)), _sentences(prepared, params, Part(context, 0.3, 0.6))]
    found += _domain(inputs, params, Part(context, 0.6, 0.8))
    if params.methods:
        found.append(_methods(prepared, params, Part(context, 0.8, 1.0)))
    context.step(1.0, "study done")
    tables = tuple(
        finding for finding in facts(prepared) if finding.id in ("flows-support-points", "flows-prior-support")
    )
    page = "\n\n".join(_paragraph(finding) for finding in (*tables, *found)) + "\n"
    return Studied(findings=(*tables, *found), page=page, facts={"populations": prepared.populations})


def _steps(inputs: Inputs, params: FlowsStudyParams, context: Context) -> Finding:
    steps = steps_of(inputs, most=params.populations, seed=params.seed, context=context)
    whole = steps[0].kl.everyone
    helps = [step.name for step in steps[1:-1] if step.kl.everyone > 1.05 * whole]
    hurts = [step.name for step in steps[1:-1] if step.kl.everyone < 0.95 * whole]
    said = f"Leaving out all four steps gives {show(steps[-1].kl.everyone / whole, 3)} times the divergence."
    said += f" Of single steps {', '.join(helps) or 'none'} lower it by more than a twentieth"
    said += f"; {', '.join(hurts)} make it larger." if hurts else "; none makes it larger."
    return Finding(
        id="flows.steps",
        title="What each step of the source's method buys",
        status=Status.INFO,
        sentence=said,
        values={"kl_all": whole},
        tables=(_step_table("One step left out, all else equal", "left out", steps),),
        does_not_prove="It holds for this twin and this prior; a smaller or denser region has its own.",
    )


def _step_table(title: str, first: str, steps: tuple[Step, ...] | list[Step]) -> Table:
    whole = steps[0].kl.everyone
    return Table(
        title=title,
        columns=(first, "points", "KL, all", "ratio", "KL, fewer than 10", "claimed ε"),
        rows=tuple(
            (
                step.name,
                *map(_short, (step.points, step.kl.everyone, step.kl.everyone / whole, step.kl.small, step.epsilon)),
            )
            for step in steps
        ),
        note="Points in force of a work tract, on average; the ratio is to the first row.",
    )


def _sentences(prepared: PreparedFlows, params: FlowsStudyParams, context: Context) -> Finding:
    grid = sampled(prepared, most=params.populations, seed=params.seed, context=Part(context, 0.0, 0.1))
    slides = curves_of(grid, slides=True, seed=params.seed, context=Part(context, 0.1, 0.55))
    ours = curves_of(grid, slides=False, seed=params.seed, context=Part(context, 0.55, 1.0))
    rows = tuple(
        (each.said, each.numbers(slides), _yes(each.holds(slides)), each.numbers(ours), _yes(each.holds(ours)))
        for each in SENTENCES
    )
    kept = [sum(row[place] == "yes" for row in rows) for place in (2, 4)]
    return Finding(
        id="flows.sentences",
        title="The slides' sentences on their trade-offs",
        status=Status.INFO,
        sentence=f"{kept[0]} of {len(rows)} sentences hold under the slides' search, {kept[1]} under ours.",
        tables=(
            Table(
                title="Each sentence, measured",
                columns=("sentence", "slides' search", "holds", "our search", "holds "),
                rows=rows,
                note="Large or significant: a fall by a tenth or more. Ours keeps δ under pruning.",
            ),
        ),
        does_not_prove="Rules for words such as “large” are ours.",
    )


def _yes(held: bool) -> str:
    return "yes" if held else "no"


def _domain(inputs: Inputs, params: FlowsStudyParams, context: Context) -> list[Finding]:
    """Trade-offs over the coarsening percentiles and the chances of elimination."""
    names = ("puma_beyond", "super_puma_beyond"), ("eliminate_100", "eliminate_200", "eliminate_500")
    found = []
    for number, (title, settings, values) in enumerate(
        (("Coarsening percentiles", names[0], _COARSENING), ("Chances of elimination", names[1], _ELIMINATION))
    ):
        steps = []
        for place, chosen in enumerate(values):
            context.step((number + place / len(values)) / 2, f"{title}: {', '.join(chosen)}")
            changed = {name: Decimal(value) for name, value in zip(settings, chosen, strict=True)}
            flows = prepared_twin(inputs, **changed)
            made = measured(
                ", ".join(chosen), flows, SyntheticResidencesParams(), most=params.populations, seed=params.seed
            )
            steps.append(made)
        best = min(steps, key=lambda step: step.kl.everyone)
        found.append(
            Finding(
                id=f"flows.{title.split()[0].lower()}",
                title=title,
                status=Status.INFO,
                sentence=f"The smallest divergence is {show(best.kl.everyone, 3)} nats, at {best.name}.",
                tables=(_step_table(title, ", ".join(settings), steps),),
                does_not_prove="It holds for this twin and this prior.",
            )
        )
    return found


def _methods(prepared: PreparedFlows, params: FlowsStudyParams, context: Context) -> Finding:
    truth = Truth.of(prepared)
    context.step(0.0, "measuring synthetic residences")
    columns = [("source", method_of(synthetic_residences.SPEC, SyntheticResidencesParams(), truth, seed=params.seed))]
    for number, (epsilon, unit, reports) in enumerate(_NOISY):
        context.step((1 + number) / 4, f"measuring noisy flows, {unit.value} {epsilon}")
        settings = NoisyFlowsParams(epsilon=Epsilon(epsilon), unit=unit, reports=reports)
        columns.append((f"{unit.value} {epsilon}", method_of(noisy_flows.SPEC, settings, truth, seed=params.seed)))
    return methods_finding(columns)


def methods_finding(columns: list[tuple[str, Method]]) -> Finding:
    source = columns[0][1].errors
    both = columns[1][1].errors, source
    return Finding(
        id="flows.methods",
        title="Both methods",
        status=Status.INFO,
        sentence=(
            "With unit “job” and ε 4 the released file has "
            f"{show(_ratio(*(errors['kl_file_all'] for errors in both)), 3)} times the divergence of the source's "
            f"benchmark, and {show(_ratio(*(errors['tract_flows'] for errors in both)), 3)} times its misplaced tract "
            "flows."
        ),
        tables=(
            Table(
                title="Errors of the source's benchmark, and ratios to it",
                columns=("error", *(name for name, _ in columns)),
                rows=tuple(
                    (
                        words,
                        _short(source[name]),
                        *(_short(_ratio(each.errors[name], source[name])) for _, each in columns[1:]),
                    )
                    for name, words in ROWS.items()
                ),
                note="First column as measured; others as ratios, or as measured where the source has no error.",
            ),
        ),
        does_not_prove="One draw of each, on a twin.",
    )


def _short(value: float) -> float:
    """Three digits: more would say something about one draw only."""
    return float(f"{value:.3g}")


def _ratio(value: float, of: float) -> float:
    return value / of if of else value


def _paragraph(finding: Finding) -> str:
    lines = [f"**{finding.title}.** {finding.sentence}"]
    for table in finding.tables:
        lines += ["", "| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns)]
        lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in table.rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else "" if value is None else str(value)
