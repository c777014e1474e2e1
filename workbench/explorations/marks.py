"""Where a curve over ε has its lines: what this release claims, and what the policy allows."""

from __future__ import annotations

from workbench.core.figures import Mark
from workbench.explorations.contract import Scene
from workbench.mechanisms.dial import claimed


def release_and_cap(scene: Scene, moves: str = "") -> tuple[Mark, ...]:
    """`moves` names the setting that dragging the first line changes."""
    value = float(claimed(scene.mechanism, scene.params, scene.prepared))
    own = Mark(name="this release", value=value, vertical=True, moves=moves)
    if scene.cap is None:
        return (own,)
    return own, Mark(name="cap of the policy", value=float(scene.cap), vertical=True)
