"""Plan files: TOML in, TOML out. Every problem of a plan is told at once, with the nearest known word."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.core.errors import Problem, UserProblem, placed, raise_if
from workbench.core.files import read_text
from workbench.core.params import parse, to_plain, unknown_key
from workbench.core.specs import Spec, find
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role, role_called
from workbench.microdata.shaping.params import Shaping
from workbench.review.plan.plan import PLAN_VERSION, Choice, DataPlan, Plan
from workbench.review.plan.sections import PolicyParams, ReleaseContext, StudyParams
from workbench.tabulation.engines.choice import EngineParams

if TYPE_CHECKING:
    from workbench.products.contract import AnyProduct

P = TypeVar("P")
_APART = ("release", "policy")
_SECTIONS = (
    "version", "release", "data", "engine", "product", "mechanism", "baseline", "rivals", "study", "audit", "policy",
)  # fmt: skip


def to_text(plan: Plan) -> str:
    """The plan as TOML, always the same for the same plan."""
    import tomli_w

    return tomli_w.dumps(plan.plain())


def run_text(plan: Plan) -> str:
    """The part of a plan that decides what is drawn, found and compared: everything but context and policy.

    A project keeps context and policy apart, so that mending a typing error in the purpose does not call for another
    draw; drawing again and again is itself a risk.
    """
    import tomli_w

    whole = plan.plain()
    return tomli_w.dumps({key: whole[key] for key in whole if key not in _APART})


def context_of(plan: Plan) -> dict[str, str]:
    """Context and policy as flat texts, the way a project keeps them beside the plan."""
    return {
        f"{section}.{name}": str(value)
        for section, params in (("release", plan.release), ("policy", plan.policy))
        for name, value in to_plain(params).items()
    }


def from_stored(text: str, context: Mapping[str, str], where: str) -> Plan:
    """The whole plan again from its two stored parts. It may still be a draft."""
    plan = from_text(text, where, draft=True)
    parts: dict[str, dict[str, object]] = {"release": {}, "policy": {}}
    for key, value in context.items():
        section, _, name = key.partition(".")
        parts[section][name] = value
    return replace(
        plan,
        release=parse(ReleaseContext, parts["release"], where, draft=True),
        policy=parse(PolicyParams, parts["policy"], where, draft=True),
    )


def read_plan(path: Path) -> Plan:
    """A plan from a file. Paths inside it are relative to the file's folder."""
    return from_text(read_text(path, "a plan file"), path.name)


def from_text(text: str, where: str = "plan", *, draft: bool = False) -> Plan:
    """A plan from TOML. A draft, as a project file keeps it, may still be incomplete."""
    try:
        raw = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise UserProblem(f"This is not a valid TOML file: {error}", where, "Correct that line") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets inside brackets without end
        raise UserProblem(
            "The plan contains a number or a nesting that is too long", where, "Write the plan anew"
        ) from None
    return _Reader(where, draft).plan(raw)


class _Reader:
    """Reads section by section and collects what is wrong, so that a person can mend it in one go."""

    def __init__(self, where: str, draft: bool) -> None:
        self._where = where
        self._draft = draft
        self._problems: list[Problem] = []

    def plan(self, raw: Mapping[str, Any]) -> Plan:
        from workbench.products import registry

        if isinstance(raw.get("version"), str):
            do = f"Write version = {PLAN_VERSION} without quotation marks"
            raise UserProblem("“version” must be a whole number", f"{self._where}, version", do)
        if raw.get("version", PLAN_VERSION) != PLAN_VERSION:  # what else looks wrong may be right in that version
            raise UserProblem(
                f"This plan has version {raw['version']}, this program reads version {PLAN_VERSION}",
                f"{self._where}, version",
                "Use a program of that version, or write the plan anew",
            )
        self._problems += [unknown_key(key, _SECTIONS).at(self._where) for key in raw if key not in _SECTIONS]
        named = self._spec(registry.cards(), raw, "product", "product")
        if named is None:
            raise UserProblem.of(self._problems)
        product = registry.product(named.id)
        several = {
            "baseline": lambda: self._several(product.baselines, self._baselines(product, raw), "baseline", "baseline"),
            "rivals": lambda: self._several(product.mechanisms, self._listed(raw, "rivals"), "rivals", "mechanism"),
        }
        made = Plan(
            mechanism=self._in("mechanism", lambda: self._choice(product.mechanisms, raw, "mechanism")),
            release=self._in("release", lambda: self._own(ReleaseContext, raw, "release")),
            data=self._in("data", lambda: self._data(self._section(raw, "data"), product)),
            product=self._in("product", lambda: self._chosen(product, self._section(raw, "product"), "[product]")),
            baselines=self._in("baseline", several["baseline"]),
            rivals=self._in("rivals", several["rivals"]),
            checks=self._in("audit", lambda: self._checks(product, self._section(raw, "audit"))),
            engine=self._in("engine", lambda: self._own(EngineParams, raw, "engine")),
            study=self._in("study", lambda: self._own(StudyParams, raw, "study")),
            policy=self._in("policy", lambda: self._own(PolicyParams, raw, "policy")),
        )
        raise_if(self._problems)
        return made

    def _in(self, section: str, read: Callable[[], P]) -> P:
        """What is read, and every problem met on the way placed in its section."""
        before = len(self._problems)
        made = read()
        self._problems[before:] = placed(section, self._problems[before:])
        return made

    def _own(self, cls: type[P], raw: Mapping[str, Any], name: str) -> P:
        """A section that every plan has, whatever the product."""
        return self._params(cls, self._section(raw, name), f"[{name}]")

    def _wrong(self, what: str, where: str, do: str = "") -> None:
        self._problems.append(Problem(what, f"{self._where}, {where}", do))

    def _section(self, raw: Mapping[str, Any], name: str, within: str = "") -> Mapping[str, Any]:
        section = raw.get(name, {})
        if isinstance(section, Mapping):
            return section
        full = f"[{within}{name}]"
        self._wrong(f"“{name}” must be a section", full, f"Write {full} and its settings beneath")
        return {}

    def _params(self, cls: type[P], raw: Mapping[str, Any], where: str) -> P:
        try:
            return parse(cls, raw, f"{self._where}, {where}", draft=self._draft)
        except UserProblem as wrong:
            self._problems.extend(wrong.problems)
            return cls()

    def _spec(self, specs: Sequence[Any], raw: Mapping[str, Any], section: str, what: str) -> Any:
        name = self._section(raw, section).get("id", "" if section == "product" else specs[0].id)
        if not name:
            known = ", ".join(spec.id for spec in specs)
            self._wrong(f"The plan names no {what}", f"[{section}]", f'Write id = "…" with one of {known}')
            return None
        return self._found(specs, str(name), what, f"[{section}]")

    def _choice(self, specs: Sequence[Any], raw: Mapping[str, Any], section: str) -> Choice:
        spec = self._spec(specs, raw, section, section) or specs[0]
        return self._chosen(spec, self._section(raw, section), f"[{section}]")

    def _baselines(self, product: AnyProduct, raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """One section, or a list of them; the product's first baseline where the plan names none."""
        if not product.baselines:
            if "baseline" in raw:
                self._wrong(f"{product.title} has no baseline to compare with", "[baseline]", "Remove the section")
            return []
        first = {"id": product.baselines[0].id}
        if isinstance(raw.get("baseline", {}), Mapping):
            return [{**first, **self._section(raw, "baseline")}]
        return self._listed(raw, "baseline") or [first]

    def _listed(self, raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
        """The entries of a list of sections, such as [[rivals]]."""
        entries = raw.get(name, [])
        if isinstance(entries, list) and all(isinstance(entry, Mapping) for entry in entries):
            return entries
        self._wrong(
            f"“{name}” must be a list of sections", f"[[{name}]]", f"Write [[{name}]] before the settings of each"
        )
        return []

    def _several(
        self, specs: Sequence[Any], entries: Sequence[Mapping[str, Any]], section: str, what: str
    ) -> tuple[Choice, ...]:
        chosen: dict[str, Choice] = {}
        where = f"[{section}]" if len(entries) == 1 and section == "baseline" else f"[[{section}]]"
        for entry in entries:
            if not entry.get("id"):
                known = ", ".join(spec.id for spec in specs)
                self._wrong(f"An entry names no {what}", where, f'Write id = "…" with one of {known}')
                continue
            spec = self._found(specs, str(entry["id"]), what, where)
            if spec is None:
                continue
            if spec.id in chosen:
                self._wrong(f"“{spec.id}” is named more than once", where, f"Name each {what} once")
            chosen[spec.id] = self._chosen(spec, entry, where)
        return tuple(chosen.values())

    def _found(self, specs: Sequence[Any], name: str, what: str, where: str) -> Any:
        try:
            return find(specs, name, what)
        except UserProblem as wrong:
            self._problems += [problem.at(f"{self._where}, {where}") for problem in wrong.problems]
            return None

    def _chosen(self, spec: Spec, raw: Mapping[str, Any], where: str) -> Choice:
        version = raw.get("version", spec.version)
        if isinstance(version, str):
            do = f"Write version = {spec.version} without quotation marks"
            self._wrong("“version” must be a whole number", where, do)
        elif version != spec.version and not (self._draft and isinstance(version, int)):
            self._wrong(
                f"The plan was written for {spec.id} version {version}, this program has version {spec.version}",
                where,
                "Use the program version the plan was written for, or remove the line and review the plan anew",
            )
        settings = {key: value for key, value in raw.items() if key not in ("id", "version")}
        chosen = Choice.of(spec, self._params(spec.params, settings, where))
        return replace(chosen, version=version) if self._draft and isinstance(version, int) else chosen

    def _checks(self, product: AnyProduct, raw: Mapping[str, Any]) -> tuple[Choice, ...]:
        names = raw.get("checks", [check.id for check in product.checks])
        if not isinstance(names, list):
            self._wrong("“checks” must be a list of names", "[audit]")
            return ()
        known = ["checks", *(check.id for check in product.checks)]
        self._problems += [unknown_key(key, known).at(f"{self._where}, [audit]") for key in raw if key not in known]
        chosen: dict[str, Choice] = {}
        for name in names:
            try:
                spec = find(product.checks, str(name), "check")
            except UserProblem as wrong:
                self._problems += [problem.at(f"{self._where}, [audit] checks") for problem in wrong.problems]
                continue
            if spec.id in chosen:
                self._wrong(f"“{spec.id}” is named more than once", "[audit] checks", "Name each check once")
            chosen[spec.id] = self._chosen(spec, self._section(raw, spec.id, "audit."), f"[audit.{spec.id}]")
        return tuple(chosen.values())

    def _data(self, raw: Mapping[str, Any], product: AnyProduct) -> DataPlan:
        known = ("path", "dictionary", "roles", "options", "companions", "linked", "linked_options", "shaping")
        self._problems += [unknown_key(key, known).at(f"{self._where}, [data]") for key in raw if key not in known]
        for name in ("path", "dictionary"):
            if not isinstance(raw.get(name, ""), str):
                self._wrong(f"“{name}” must be text", "[data]")
        options = self._params(ReadOptions, self._section(raw, "options", "data."), "[data.options]")
        return DataPlan(
            path=str(raw.get("path", "")),
            dictionary=str(raw.get("dictionary", "")),
            roles=self._roles(self._section(raw, "roles", "data."), product),
            options=options,
            companions=self._companions(self._section(raw, "companions", "data."), product),
            linked=self._linked(self._section(raw, "linked", "data."), self._section(raw, "shaping", "data.")),
            linked_options=self._linked_options(raw),
            shaping=self._params(Shaping, self._section(raw, "shaping", "data."), "[data.shaping]"),
        )

    def _linked(self, raw: Mapping[str, Any], shaping: Mapping[str, Any]) -> dict[str, str]:
        """Every linked file has a key, and every key a file."""
        links = shaping.get("links", {})
        names = list(links) if isinstance(links, Mapping) else []
        for name in names:
            if name not in raw and not self._draft:
                where = f"[data.shaping.links.{name}]"
                self._wrong("The link names no file", where, f'Write [data.linked] and {name} = "…" beneath')
        for name, path in raw.items():
            if not isinstance(path, str):
                self._wrong(f"“{name}” must be text", "[data.linked]", "Name the file")
            elif name not in names and not self._draft:
                self._wrong(
                    f"Nothing says how “{name}” is linked", "[data.linked]", f"Write [data.shaping.links.{name}]"
                )
        return {name: str(path) for name, path in raw.items()}

    def _linked_options(self, raw: Mapping[str, Any]) -> dict[str, ReadOptions]:
        sections, files = self._section(raw, "linked_options", "data."), self._section(raw, "linked", "data.")
        self._problems += [
            unknown_key(name, list(files)).at(f"{self._where}, [data.linked_options]")
            for name in sections
            if name not in files
        ]
        return {
            name: self._params(
                ReadOptions, self._section(sections, name, "data.linked_options."), f"[data.linked_options.{name}]"
            )
            for name in sections
            if name in files
        }

    def _companions(self, raw: Mapping[str, Any], product: AnyProduct) -> dict[str, str]:
        where, known = "[data.companions]", [companion.name for companion in product.companions]
        self._problems += [unknown_key(key, known).at(f"{self._where}, {where}") for key in raw if key not in known]
        for name, path in raw.items():
            if not isinstance(path, str):
                self._wrong(f"“{name}” must be text", where, "Name the file")
        return {name: str(path) for name, path in raw.items() if name in known}

    def _roles(self, raw: Mapping[str, Any], product: AnyProduct) -> dict[str, Role]:
        """Roles of the product, and those of other products that an earlier plan may hold."""
        roles: dict[str, Role] = {}
        for column, name in raw.items():
            found = role_called(str(name), product.roles)
            if found is not None:
                roles[column] = found
            else:
                self._problems.append(
                    _unknown_role(str(name), product.roles).at(f"{self._where}, [data.roles] {column}")
                )
        return roles


def _unknown_role(name: str, offered: Sequence[Role]) -> Problem:
    known = unknown_key(name, [*offered, Role.IGNORE])
    return Problem(f"“{name}” is not a role", "", known.do)
