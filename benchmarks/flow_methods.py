"""Noisy flows against the source's benchmark [4.6, 10⁻⁶, .025] on the same file: a state twin and all of Washington.

`python -m benchmarks.flow_methods [SEED …]` prints the errors as ratios with the limits that were set beforehand, and
what the source's steps buy on the twin. Reports in small populations for home 6 and for Washington's home 4.
"""

from __future__ import annotations

import sys

from benchmarks.flows import FLOWS, PLACES, lodes_roles
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.microdata.inputs import Inputs
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.products.commuting_flows import noisy_flows, synthetic_residences
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit
from workbench.products.commuting_flows.product import SPEC
from workbench.products.commuting_flows.study.prepared import prepared_twin, twin_inputs
from workbench.products.commuting_flows.study.steps import steps_of
from workbench.products.commuting_flows.usefulness.both import method_of
from workbench.products.commuting_flows.usefulness.errors import ROWS, Truth

JOBS = 90_000
# error → most of the source's, state twin and Washington; sizes are in workers
LIMITS = {
    "job 4": {
        "kl_all": (0.65, 0.65), "kl_file_all": (0.45, 0.36), "tract_flows": (0.90, 0.56),
        "labour_shed": (0.82, 0.42), "size": (1.3, 1.3),
    },
    "home 6": {"kl_all": (0.70, 0.65), "kl_file_all": (0.40, 0.30)},
    "home 4": {"kl_file_all": (0.70, 0.46), "tract_flows": (0.92, 0.60)},
}  # fmt: skip
STEPS = {"all four": 3.0, "pruning": 1.7, "elimination": 1.5, "coarsening": 1.3}


def settings(name: str, *, washington: bool) -> NoisyFlowsParams:
    unit, epsilon = name.split()
    reports = name == "home 6" or (name == "home 4" and washington)
    return NoisyFlowsParams(epsilon=Epsilon(epsilon), unit=Unit(unit), reports=reports)


def compare(title: str, prepared: Populations, *, washington: bool, seed: int) -> bool:
    truth = Truth.of(prepared)
    source = method_of(synthetic_residences.SPEC, synthetic_residences.SPEC.params(), truth, seed=seed).errors
    print(f"{title}, seed {seed}: ratios to the source (its own errors first)")
    print("  source  " + "  ".join(f"{name} {source[name]:.3g}" for name in ROWS))
    kept = True
    for name, limits in LIMITS.items():
        found = method_of(noisy_flows.SPEC, settings(name, washington=washington), truth, seed=seed).errors
        ratios = {each: found[each] / source[each] if source[each] else found[each] for each in ROWS}
        missed = [each for each, most in limits.items() if ratios[each] > most[washington]]
        kept = kept and not missed
        print(f"  {name:7} " + "  ".join(f"{each} {ratios[each]:.2f}" for each in ROWS))
        said = ", ".join(f"{each} {ratios[each]:.2f} (at most {limits[each][washington]})" for each in missed)
        print(f"          {'NOT KEPT: ' + said if missed else 'kept'}")
    return kept


def washington() -> Populations:
    roles = lodes_roles()
    inputs = Inputs(
        microdata=load(FLOWS, ReadOptions(), roles, None, QUIET),
        roles=roles,
        companions={"geography": load(PLACES, ReadOptions(), None, None, QUIET)},
    )
    return SPEC.prepare(inputs, SPEC.params(jobs="S000", puma="stsldu", super_puma="st"), QUIET)


def main() -> int:
    seeds = [int(text) for text in sys.argv[1:]] or [1]
    kept = True
    for seed in seeds:
        inputs = twin_inputs(state="state-a", jobs=JOBS, seed=seed, context=QUIET)
        kept = compare("state A", prepared_twin(inputs), washington=False, seed=seed) and kept
        steps = steps_of(inputs, most=150, seed=seed, context=QUIET)
        for step in steps[1:]:
            ratio, least = step.kl.everyone / steps[0].kl.everyone, STEPS.get(step.name)
            wanted = "" if least is None else f" (at least {least}) {'kept' if ratio >= least else 'NOT KEPT'}"
            kept = kept and (least is None or ratio >= least)
            print(f"  without {step.name}: {ratio:.2f} times the divergence, ε {step.epsilon:.2f}{wanted}")
        if FLOWS.is_file():
            kept = compare("Washington", washington(), washington=True, seed=seed) and kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
