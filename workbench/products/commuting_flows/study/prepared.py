"""A twin as prepared flows, for studies: written, loaded and prepared as anybody's data would be."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from workbench.core.progress import QUIET, Context
from workbench.microdata.inputs import Inputs
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.products.commuting_flows.flows.populations import PreparedFlows
from workbench.products.commuting_flows.product import SPEC
from workbench.products.commuting_flows.twin.commuting import write_commuting_twin

ROLES = {"w_geocode": Role.GEOGRAPHY, "h_geocode": Role.PERSON}


def twin_inputs(*, state: str, jobs: int, seed: int, context: Context) -> Inputs:
    """The twin's jobs with its public files; nothing of it is anybody's record."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_commuting_twin(Path(folder), jobs=jobs, seed=seed, context=context, state=state)
        public = {"geography": files.geography, "prior": files.prior, "workplaces": files.workplaces}
        return Inputs(
            microdata=load(files.data, ReadOptions(), ROLES, None, QUIET),
            roles=ROLES,
            companions={name: load(path, ReadOptions(), None, None, QUIET) for name, path in public.items()},
        )


def prepared_twin(inputs: Inputs, **changed: Any) -> PreparedFlows:
    """Populations by workplace block, not divided."""
    return SPEC.prepare(inputs, SPEC.params(population="population", **changed), QUIET)
