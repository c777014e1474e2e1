"""What a mechanism publishes beside its values with an ε of its own: audited as a mechanism on data of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from workbench.mechanisms.contract import AnyMechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """`name` is that of its part of the claim; one step of the whole claim's definition is `times` steps of its own."""

    name: str
    mechanism: AnyMechanism
    params: Any
    prepared: Any
    times: int = 1


@runtime_checkable
class PublishesBeside(Protocol):
    def besides(self, prepared: Any, params: Any) -> tuple[Beside, ...]: ...


def besides_of(mechanism: Any, prepared: Any, params: Any) -> tuple[Beside, ...]:
    """Nothing for most mechanisms."""
    return mechanism.besides(prepared, params) if isinstance(mechanism, PublishesBeside) else ()
