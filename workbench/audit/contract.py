"""What an audit check is: it looks at a mechanism on prepared data and returns findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from workbench.core.claims import Claim, of_values
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.specs import Spec
from workbench.core.words import Words
from workbench.mechanisms.beside import Beside, besides_of
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

    @property
    def claim(self) -> Claim:
        """What is promised of the published values alone: what stands beside them is a subject of its own."""
        return of_values(self.mechanism.claim(self.prepared, self.params))

    def besides(self) -> tuple[tuple[Beside, Subject], ...]:
        """What is published beside the values with an ε of its own, each as a subject."""
        return tuple(
            (each, Subject(prepared=each.prepared, mechanism=each.mechanism, params=each.params, words=self.words))
            for each in besides_of(self.mechanism, self.prepared, self.params)
        )


class Check(Spec, Protocol[ParamsT_contra]):
    @property
    def of_loss(self) -> bool:
        """Whether it works out the privacy loss itself, from above. Without one such check a release is not audited."""

    def run(self, subject: Subject, params: ParamsT_contra, context: Context) -> tuple[Finding, ...]:
        """Findings, each with what it does not prove."""


AnyCheck = Check[Any]
