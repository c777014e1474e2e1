"""Undo and redo of edits to a plan. Edits are whole plans: they are small, frozen and cannot half-apply."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.review.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class _Step:
    before: Plan
    after: Plan
    label: str


class EditHistory:
    """Keeps the last edits of a plan. Typing in one field is one step, however many keys it took."""

    def __init__(self, plan: Plan, limit: int = 200) -> None:
        self._plan = plan
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._limit = limit

    @property
    def plan(self) -> Plan:
        return self._plan

    @property
    def undo_label(self) -> str:
        """What undo would take back, in words; empty where there is nothing."""
        return self._done[-1].label if self._done else ""

    @property
    def redo_label(self) -> str:
        return self._undone[-1].label if self._undone else ""

    def edit(self, plan: Plan, label: str) -> bool:
        """Replace the plan. False where nothing changed."""
        if plan == self._plan:
            return False
        before = self._plan
        if self._done and self._done[-1].label == label and not self._undone:
            before = self._done.pop().before
        if before != plan:
            self._done.append(_Step(before, plan, label))
        self._undone.clear()
        del self._done[: -self._limit]
        self._plan = plan
        return True

    def close_step(self) -> None:
        """The next edit is a step of its own even when it has the same label (a field was left)."""
        if self._done:
            last = self._done[-1]
            self._done[-1] = _Step(last.before, last.after, last.label + "\u200b")

    def undo(self) -> bool:
        if not self._done:
            return False
        step = self._done.pop()
        self._undone.append(step)
        self._plan = step.before
        return True

    def redo(self) -> bool:
        if not self._undone:
            return False
        step = self._undone.pop()
        self._done.append(step)
        self._plan = step.after
        return True
