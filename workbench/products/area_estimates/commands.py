"""Area estimates on the command line: a twin of any size, and a quasi-experiment as a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.progress import Context
from workbench.products.area_estimates.twin.twin import TWIN
from workbench.products.commands import Commands, Studied, Study


def _quasi_experiment(sections: Mapping[str, Any], where: str, context: Context) -> Studied:
    from workbench.products.area_estimates.estimators.study import run_study

    return run_study(sections, where, context)


QUASI_EXPERIMENT = Study(
    id="quasi-experiment",
    summary="One simulated quasi-experiment: difference in differences and discontinuity under observed sensitivity.",
    run=_quasi_experiment,
    settings={"cells": "experiment.cells", "people": "experiment.people"},
)

COMMANDS = Commands(twin=TWIN, studies=(QUASI_EXPERIMENT,))
