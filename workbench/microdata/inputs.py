"""What a product starts from: the confidential file with its roles, and the public files that go with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.microdata.roles import Roles
    from workbench.microdata.table import Microdata


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """A public file that a product needs beside the microdata: a geography, last year's published flows."""

    name: str  # the key under [data.companions] in a plan
    title: str
    help: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Everything loaded for a release. Companions are public: every column is there, text as codes."""

    microdata: Microdata
    roles: Roles
    companions: Mapping[str, Microdata] = field(default_factory=dict)
