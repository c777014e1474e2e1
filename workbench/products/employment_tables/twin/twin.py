"""The twin of the employment sample at any size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.params import param
from workbench.core.progress import Context
from workbench.microdata.twins.contract import format_for
from workbench.products.employment_tables.twin.employment import write_employment_twin
from workbench.products.employment_tables.twin.jobs import FEWEST_JOBS, MOST_JOBS


@dataclass(frozen=True, slots=True, kw_only=True)
class EmploymentTwinParams:
    jobs: int = param(100_000, "Jobs", "How many jobs, which is how many rows.", ge=FEWEST_JOBS, le=MOST_JOBS)


@dataclass(frozen=True, slots=True)
class EmploymentTablesTwin:
    params: type[EmploymentTwinParams] = EmploymentTwinParams

    def write(self, folder: Path, params: EmploymentTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        kind = format_for(params.jobs)
        return write_employment_twin(folder, jobs=params.jobs, seed=seed, context=context, format=kind)


TWIN = EmploymentTablesTwin()
