"""The plan of a findings study: which twin, which baseline, which grid. TOML like a review's plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.params import param, parse, unknown_key
from workbench.core.quantities import Alpha, Delta, Epsilon
from workbench.products.employment_tables.noise_infusion import NoiseInfusionParams

P = TypeVar("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinParams:
    jobs: int = param(10_900_000, "Jobs", "Size of the synthetic twin.", ge=200, le=200_000_000)
    seed: int = param(1, "Seed", "Makes the twin repeatable.", ge=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridParams:
    epsilons: tuple[str, ...] = param(("0.25", "0.5", "0.67", "1", "2", "4"), "Values of ε", "As in the paper.")
    alphas: tuple[str, ...] = param(("0.01", "0.05", "0.1", "0.15", "0.2"), "Values of α", "As in the paper.")
    delta: Delta = param(Delta("0.05"), "δ of Smooth Laplace", "The paper's figures use 0.05.", gt=0, lt=1)
    trials: int = param(20, "Trials", "Draws for rankings, and as the check beside closed forms.", ge=2, le=1000)
    seed: int = param(1, "Seed", "Makes the study repeatable.", ge=0)

    def check(self) -> tuple[Problem, ...]:
        return (*_wrong(self.epsilons, "epsilons", most=50), *_wrong(self.alphas, "alphas", most=1))

    @property
    def epsilon_values(self) -> tuple[Epsilon, ...]:
        return tuple(Epsilon(text) for text in self.epsilons)

    @property
    def alpha_values(self) -> tuple[Alpha, ...]:
        return tuple(Alpha(text) for text in self.alphas)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableParams:
    workplace: tuple[str, ...] = param(("place", "sector", "ownership"), "Workplace attributes", "Of all workloads.")
    worker: tuple[str, ...] = param(("sex", "education"), "Worker attributes", "Of workloads 2 and 3.")
    ranked: tuple[str, ...] = param(("F", "E4"), "Ranked workers", "Ranking 2: one value per worker attribute.")

    def check(self) -> tuple[Problem, ...]:
        if len(self.ranked) == len(self.worker):
            return ()
        do = "Give one value for each worker attribute, in their order"
        return (Problem("The ranked workers do not fit the worker attributes", "ranked", do),)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsPlan:
    twin: TwinParams = field(default_factory=TwinParams)
    baseline: NoiseInfusionParams = field(default_factory=NoiseInfusionParams)
    other_baseline: NoiseInfusionParams = field(default_factory=NoiseInfusionParams)
    grid: GridParams = field(default_factory=GridParams)
    tables: TableParams = field(default_factory=TableParams)


_SECTIONS: dict[str, type[Any]] = {
    "twin": TwinParams, "baseline": NoiseInfusionParams, "other_baseline": NoiseInfusionParams,
    "grid": GridParams, "tables": TableParams,
}  # fmt: skip


def findings_plan_from(raw: Mapping[str, Any], where: str) -> FindingsPlan:
    """The plan from the sections of a file; all problems at once."""
    problems = [unknown_key(key, tuple(_SECTIONS)).at(where) for key in raw if key not in _SECTIONS]
    made: dict[str, Any] = {}
    for name, cls in _SECTIONS.items():
        try:
            made[name] = _section(cls, raw.get(name, {}), f"{where}, [{name}]")
        except UserProblem as wrong:
            problems.extend(wrong.problems)
    raise_if(problems)
    return FindingsPlan(**made)


def _section(cls: type[P], raw: object, where: str) -> P:
    if not isinstance(raw, Mapping):
        raise UserProblem("This must be a section", where, f"Write {where.split(', ')[-1]} and its settings beneath")
    return parse(cls, {key: _texts(value) for key, value in raw.items()}, where)


def _texts(value: object) -> object:
    """Numbers in a list become the texts they were written as: params keep lists of texts."""
    return [str(item) for item in value] if isinstance(value, list) else value


def _wrong(texts: tuple[str, ...], where: str, *, most: int) -> tuple[Problem, ...]:
    """Every value must be a number above 0 and below (for α) or up to (for ε) the most."""
    found = []
    for text in texts:
        try:
            inside = 0 < Decimal(text) <= most and not (most == 1 and Decimal(text) == 1)
        except InvalidOperation:
            inside = False
        if not inside:
            found.append(Problem(f"“{text}” is not a number above 0 and below {most}", where))
    if not texts:
        found.append(Problem("No value is given", where, "Give at least one"))
    return tuple(found)
