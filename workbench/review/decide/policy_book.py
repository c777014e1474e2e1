"""Policies as window and command line show them: the rules in words, those that come with the program, what was set."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.params import shown
from workbench.policy.profile import SECTIONS, PolicyProfile
from workbench.policy.text import built_in, read_profile
from workbench.project.records import PolicyRecord
from workbench.review.workspace import Workspace

SECTION_TITLES = {
    "policy": "Policy",
    "epsilon": "Caps on ε",
    "delta": "Caps on δ",
    "evidence": "Evidence",
    "review": "Review",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPage:
    """A policy to be read; `sections` are label and value by the section's name."""

    name: str
    title: str
    summary: str
    sections: dict[str, tuple[tuple[str, str], ...]]
    profile: PolicyProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """A policy that was put in force: by whom, when and why."""

    page: PolicyPage
    version: int
    digest: str
    reason: str
    set_by: str
    set_at: str

    def facts(self) -> dict[str, object]:
        names = ("version", "digest", "reason", "set_by", "set_at")
        return {"name": self.page.name, **{name: getattr(self, name) for name in names}}


def page_of(profile: PolicyProfile | None) -> PolicyPage:
    """A policy, or the program's defaults where none was set."""
    rules = profile or PolicyProfile()
    return PolicyPage(
        name=rules.policy.name,
        title=rules.title,
        summary=rules.policy.summary,
        sections={name: shown(getattr(rules, name)) for name in SECTIONS},
        profile=rules,
    )


def names_of_offered() -> tuple[str, ...]:
    """Of the policies that come with the program."""
    return built_in()


def offered() -> tuple[PolicyPage, ...]:
    return tuple(read_policy(name) for name in built_in())


def read_policy(source: str) -> PolicyPage:
    """A file, or the name of a policy that comes with the program."""
    return page_of(read_profile(source))


def put_in_force(workspace: Workspace, page: PolicyPage, *, actor: str, reason: str) -> PolicySet:
    return _entry(workspace.set_policy(page.profile, actor=actor, reason=reason))


def history(workspace: Workspace) -> tuple[PolicySet, ...]:
    """Every policy that was ever in force, the first one first."""
    return tuple(_entry(record) for record in workspace.project.policies())


def _entry(record: PolicyRecord) -> PolicySet:
    return PolicySet(
        page=page_of(record.profile),
        version=record.version,
        digest=record.digest,
        reason=record.reason,
        set_by=record.set_by,
        set_at=record.set_at,
    )
