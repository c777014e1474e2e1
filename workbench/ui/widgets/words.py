"""The look of every state: an icon, a colour role and a word. Nothing is ever told by colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.findings import Status


@dataclass(frozen=True, slots=True)
class Look:
    icon: str
    role: str  # a token of the theme
    word: str


STATUS: dict[Status, Look] = {
    Status.PASS: Look("check", "passed", "passes"),
    Status.WARN: Look("warning", "warn", "needs attention"),
    Status.FAIL: Look("cross", "fail", "fails"),
    Status.INFO: Look("info", "accent", "information"),
}

LABEL_ROLE = {"passed": "pass", "warn": "warn", "fail": "fail", "accent": "info", "stale": "stale", "muted": "muted"}

_RELEASE = {
    "draft": ("circle", "muted"),
    "ready": ("dot", "accent"),
    "in review": ("dot", "accent"),
    "changes requested": ("warning", "warn"),
    "returned": ("warning", "warn"),
    "stale": ("stale", "stale"),
    "approved": ("check", "passed"),
    "published": ("check", "passed"),
    "rejected": ("cross", "fail"),
    "withdrawn": ("cross", "muted"),
}


def release_look(state: str) -> Look:
    """How a release's state is shown; a state not known here is shown as its word beside a plain circle."""
    icon, role = _RELEASE.get(state.replace("_", " ").lower(), ("circle", "muted"))
    return Look(icon, role, state.replace("_", " "))
