"""Trade-offs of both methods on all of Washington, as SVG for the docs: `python -m benchmarks.flow_figures DIR`.

Public data stand in for confidential ones: the file is what the Bureau published. No public prior goes with it, so
every support point starts with the least prior; 400 populations of each kind are looked at, with a fixed seed.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.flows import FLOWS, PLACES, lodes_roles
from workbench.core.progress import QUIET
from workbench.microdata.inputs import Inputs
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.products.commuting_flows import synthetic_residences
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit
from workbench.products.commuting_flows.product import SPEC
from workbench.products.commuting_flows.usefulness.noisy_trade_off import noisy_curve, noisy_figure
from workbench.products.commuting_flows.usefulness.posterior import posterior_grid
from workbench.products.commuting_flows.usefulness.trade_off import LEVERS, figures_of, sweep
from workbench.report.figures import to_svg

POPULATIONS = 400


def main() -> int:
    folder = Path(sys.argv[1])
    roles = lodes_roles()
    inputs = Inputs(
        microdata=load(FLOWS, ReadOptions(), roles, None, QUIET),
        roles=roles,
        companions={"geography": load(PLACES, ReadOptions(), None, None, QUIET)},
    )
    prepared = SPEC.prepare(inputs, SPEC.params(jobs="S000", puma="stsldu", super_puma="st"), QUIET)
    mechanism = synthetic_residences.SPEC
    grid = posterior_grid(prepared, most=POPULATIONS, seed=1, context=QUIET)
    curves = sweep(grid, mechanism, mechanism.params(), seed=1, context=QUIET)
    for unit in Unit:
        settings = NoisyFlowsParams(unit=unit)
        noisy = noisy_curve(prepared, settings, seed=1, context=QUIET)
        for each in noisy:
            print(unit.value, each.epsilon, f"{each.expected.everyone:.4f} {each.file.everyone:.4f}")
        figure = replace(noisy_figure(noisy, settings), title=f"Divergence by ε, unit “{unit.value}”")
        (folder / f"flows-noisy-{unit.value}-by-epsilon.svg").write_text(alone(to_svg(figure)), encoding="utf-8")
    for lever, curve in zip(LEVERS, curves, strict=True):
        for setting in curve:
            print(lever.name, setting.value, f"{setting.kl.everyone:.4f} {setting.kl.small:.3f} {setting.epsilon:.2f}")
        for figure, what in zip(figures_of(lever, curve, mechanism.params()), ("divergence", "loss"), strict=True):
            if what == "divergence" or lever.name == "min_p":
                name = f"flows-{what}-by-{lever.name.replace('_', '-')}.svg"
                (folder / name).write_text(alone(to_svg(figure)), encoding="utf-8")
    return 0


def alone(svg: str) -> str:
    """On white, so that it can be read on dark pages too."""
    return svg.replace(">", '>\n<rect width="100%" height="100%" fill="white"/>', 1) + "\n"


if __name__ == "__main__":
    sys.exit(main())
