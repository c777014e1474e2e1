"""Figures of area estimates on simulated areas, as SVG for the docs: `python -m benchmarks.area_figures DIR`."""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.core.figures import Figure
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.explorations.contract import Scene
from workbench.products.area_estimates.mechanisms import fractional_table
from workbench.products.area_estimates.product import SPEC
from workbench.products.area_estimates.twin.in_memory import twin_cells
from workbench.products.area_estimates.usefulness import decomposition
from workbench.report.figures import to_svg
from workbench.utility.contract import Comparison

CELLS, PEOPLE = 300, 100


def main() -> int:
    folder = Path(sys.argv[1])
    prepared = twin_cells(CELLS, PEOPLE, seed=1).prepared
    mechanism, params = fractional_table.SPEC, fractional_table.FractionalTableParams()
    release = mechanism.release(prepared, params, ReleaseRandom(), QUIET)
    table = SPEC.public_table(prepared, release)
    scene = Scene(prepared=prepared, mechanism=mechanism, params=params, table=table)
    for exploration in SPEC.explorations:
        (found,) = exploration.show(scene, exploration.params(), QUIET)
        _write(folder / f"areas-{exploration.id}.svg", found.figures[0])
    comparison = Comparison(
        prepared=prepared, mechanism=mechanism, mechanism_params=params, mechanisms=SPEC.mechanisms, release=release,
        words=SPEC.words, seed=1, trials=5,
    )  # fmt: skip
    (found,) = decomposition.SPEC.run(comparison, decomposition.DecompositionParams(), QUIET)
    _write(folder / "areas-variance-decomposition.svg", found.figures[0])
    return 0


def _write(file: Path, figure: Figure) -> None:
    """On white, so that it can be read on dark pages too."""
    svg = to_svg(figure).replace(">", '>\n<rect width="100%" height="100%" fill="white"/>', 1) + "\n"
    file.write_text(svg, encoding="utf-8")
    print(file.name, len(svg))


if __name__ == "__main__":
    sys.exit(main())
