"""The plan: everything a review does, as one frozen value and one TOML text. Complete and diffable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

from workbench.core.params import to_plain
from workbench.core.plain import digest
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role, Roles, role_called
from workbench.microdata.shaping.params import Shaping
from workbench.review.plan.sections import PolicyParams, ReleaseContext, StudyParams
from workbench.tabulation.engines.choice import EngineParams

if TYPE_CHECKING:
    from workbench.core.specs import Spec
    from workbench.products.contract import AnyProduct

PLAN_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A plug-in chosen, with its version and its params."""

    id: str
    version: int
    params: Any

    @classmethod
    def of(cls, spec: Spec, params: Any = None) -> Choice:
        return cls(id=spec.id, version=spec.version, params=spec.params() if params is None else params)

    def plain(self) -> dict[str, Any]:
        return {"id": self.id, "version": self.version, **to_plain(self.params)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """A file that a plan names: what it is for, and its path as the plan writes it."""

    what: str
    path: str


RELEASE = "release:"  # in the place of a path: an approved release of the project, by its id
_WHAT = "what file"


def _a_file(what: str) -> dict[str, str]:
    """Metadata of a field that holds a path, or paths by name, which `{name}` then stands for."""
    return {_WHAT: what}


def _files_of(what: str, value: str | Mapping[str, str]) -> tuple[PlanFile, ...]:
    if isinstance(value, str):
        return (PlanFile(what=what, path=value),)
    return tuple(PlanFile(what=what.format(name=name), path=path) for name, path in value.items())


def _changed(value: str | Mapping[str, str], change: Callable[[str], str]) -> str | dict[str, str]:
    if isinstance(value, str):
        return change(value) if value else value
    return {name: change(path) if path and not path.startswith(RELEASE) else path for name, path in value.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPlan:
    """Which file, read how, with which roles. Roles are here only once a person has confirmed them."""

    path: str = field(default="", metadata=_a_file("data file"))
    dictionary: str = field(default="", metadata=_a_file("data dictionary"))
    roles: Roles = field(default_factory=dict)
    options: ReadOptions = field(default_factory=ReadOptions)
    companions: Mapping[str, str] = field(  # public files beside the data, by their name
        default_factory=dict, metadata=_a_file("{name}")
    )
    linked: Mapping[str, str] = field(  # files whose columns are added to the rows, by the name of their link
        default_factory=dict, metadata=_a_file("linked file {name}")
    )
    linked_options: Mapping[str, ReadOptions] = field(default_factory=dict)  # how a linked file is read
    shaping: Shaping = field(default_factory=Shaping)

    def files(self) -> tuple[PlanFile, ...]:
        """Every file that the plan names. Whoever moves, guards or lists the files of a plan asks here."""
        named = ((each, getattr(self, each.name)) for each in fields(self) if _WHAT in each.metadata)
        found = (file for each, value in named for file in _files_of(each.metadata[_WHAT], value))
        return tuple(file for file in found if file.path and not file.path.startswith(RELEASE))

    def with_paths(self, change: Callable[[str], str]) -> DataPlan:
        """The same, every path changed; a path that is not there stays none."""
        named = [each.name for each in fields(self) if _WHAT in each.metadata]
        return replace(self, **{name: _changed(getattr(self, name), change) for name in named})  # type: ignore[arg-type]

    def of_file(self, path: str) -> DataPlan:
        """The same for another data file: what speaks of the columns of the old one is gone."""
        return replace(self, path=path, roles={}, linked={}, linked_options={}, shaping=Shaping())

    def plain(self) -> dict[str, Any]:
        beside = {name: path for name, path in self.companions.items() if path}
        return {
            "path": self.path,
            "dictionary": self.dictionary,
            "options": to_plain(self.options),
            "roles": {name: str(role) for name, role in self.roles.items()},
            **({"companions": beside} if beside else {}),
            **self._shaped(),
        }

    def _shaped(self) -> dict[str, Any]:
        """What is made of the rows; nothing where the file is taken as it is, so that older plans stay as they are."""
        linked = {name: path for name, path in self.linked.items() if path}
        read = {name: to_plain(each) for name, each in self.linked_options.items() if each != ReadOptions()}
        steps = {name: rows for name, rows in to_plain(self.shaping).items() if rows}
        if links := steps.get("links"):  # padding came later: a link without it is written as before
            steps["links"] = {name: _without_pad(link) for name, link in cast(dict[str, Any], links).items()}
        named = {"linked": linked, "linked_options": read, "shaping": steps}
        return {name: section for name, section in named.items() if section}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    release: ReleaseContext
    data: DataPlan
    product: Choice
    mechanism: Choice
    baselines: tuple[Choice, ...]  # today's disclosure limitation first; none where the product has none
    checks: tuple[Choice, ...]
    rivals: tuple[Choice, ...] = ()  # other mechanisms, drawn for study and never released
    study: StudyParams = field(default_factory=StudyParams)
    policy: PolicyParams = field(default_factory=PolicyParams)
    engine: EngineParams = field(default_factory=EngineParams)

    def plain(self) -> dict[str, Any]:
        """The plan as nested plain data in the order a person reads it; what the TOML text holds."""
        audit: dict[str, Any] = {"checks": [check.id for check in self.checks]}
        audit.update({check.id: _without_id(check.plain()) for check in self.checks})
        return {
            "version": PLAN_VERSION,
            "release": to_plain(self.release),
            "data": self.data.plain(),
            **self._engine(),
            "product": self.product.plain(),
            "mechanism": self.mechanism.plain(),
            **self._compared(),
            "study": to_plain(self.study),
            "audit": audit,
            "policy": to_plain(self.policy),
        }

    @property
    def here(self) -> DataPlan:
        """What is read on this machine: no data file where a server reads the data."""
        return replace(self.data, path="") if self.engine.on_server else self.data

    def _engine(self) -> dict[str, Any]:
        """Nothing where the engine is left to the program, so that older plans keep their digests."""
        return {} if self.engine == EngineParams() else {"engine": to_plain(self.engine)}

    def _read(self) -> dict[str, Any]:
        """What decides which rows are read, and by whom."""
        return {**self.data.plain(), **self._engine()}

    def _compared(self) -> dict[str, Any]:
        """A single baseline as a section, as plans have always had it; several as a list of them."""
        baselines = [baseline.plain() for baseline in self.baselines]
        rivals = [rival.plain() for rival in self.rivals]
        return {
            **({"baseline": baselines[0] if len(baselines) == 1 else baselines} if baselines else {}),
            **({"rivals": rivals} if rivals else {}),
        }

    # What each stage depends on. A stage whose digest has changed since it ran is stale.
    def data_digest(self) -> str:
        """Of the file and how it is read, and of what its product asks of it, where that is not what job files are
        asked.
        """
        asked = _own_checks(self.product.id)
        return digest([self._read(), asked] if asked else self._read())

    def prepared_digest(self) -> str:
        return digest([self._read(), self.product.plain()])

    def run_digest(self) -> str:
        """Everything that decides what is drawn, found and compared; not the words around it."""
        whole = self.plain()
        return digest({key: whole[key] for key in whole if key not in ("release", "policy")})

    def digest(self) -> str:
        return digest(self.plain())


def _without_pad(link: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in link.items() if name != "pad" or value}


def engine_params() -> type[EngineParams]:
    """The settings of [engine], for forms."""
    return EngineParams


def _own_checks(product: str) -> list[str]:
    """Names of a product's data checks, where they are not those of job files: so data loaded for another product are
    checked anew.
    """
    from workbench.microdata.job_checks import JOB_CHECKS
    from workbench.products import registry

    known = registry.product_if_known(product)
    asked = JOB_CHECKS if known is None else known.data_checks
    return [] if asked == JOB_CHECKS else [getattr(check, "__name__", "") for check in asked]


def _without_id(section: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in section.items() if key != "id"}


def blank(product: AnyProduct, *, title: str = "") -> Plan:
    """A plan for a product with every default, and no data yet."""
    return Plan(
        release=ReleaseContext(title=title),
        data=DataPlan(),
        product=Choice.of(product),
        mechanism=Choice.of(product.mechanisms[0]),
        baselines=tuple(Choice.of(baseline) for baseline in product.baselines[:1]),
        checks=tuple(Choice.of(check) for check in product.checks),
    )


def with_roles(plan: Plan, roles: Mapping[str, str]) -> Plan:
    """The plan with the roles that a person confirmed."""
    from workbench.products.registry import product

    offered = product(plan.product.id).roles
    known = {name: role_called(role, offered) or Role(role) for name, role in roles.items()}
    return replace(plan, data=replace(plan.data, roles=known))
