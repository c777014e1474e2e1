"""What an audit check is: it looks at a mechanism on prepared data and returns findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.specs import Spec
from workbench.core.words import Words
from workbench.mechanisms.contract import AnyMechanism, Release

ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is under audit: a mechanism with its params on prepared data, and the release drawn, if any yet.

    `table` is the release as it would be published, where the product has laid it out: it knows what its columns are.
    """

    prepared: Any
    mechanism: AnyMechanism
    params: Any
    release: Release | None = None
    table: Published | None = None
    words: Words


class Check(Spec, Protocol[ParamsT_contra]):
    @property
    def of_loss(self) -> bool:
        """Whether it works out the privacy loss itself, from above. Without one such check a release is not audited."""

    def run(self, subject: Subject, params: ParamsT_contra, context: Context) -> tuple[Finding, ...]:
        """Findings, each with what it does not prove."""


AnyCheck = Check[Any]
