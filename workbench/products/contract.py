"""What a product is: something an agency publishes, binding data roles, mechanisms, baselines, checks and measures.

Adding a product adds files and a line in `registry.py`; neither window nor report nor command line is touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.audit.contract import AnyCheck
from workbench.baselines.contract import AnyBaseline
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.specs import Spec
from workbench.core.tables import PublicTable
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism, Release
from workbench.microdata.checks import DataCheck
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.roles import Role
from workbench.microdata.twins.contract import AnyTwin
from workbench.utility.contract import AnyMeasure

PreparedT = TypeVar("PreparedT")
ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One published column beside the truth and today's SDL. Without `relative`, errors are told in its unit: a share
    of the truth means little for a slope or a rank, which may be zero or below.
    """

    name: str
    unit: str
    true: Confidential[NDArray[np.float64]]
    baseline: Confidential[NDArray[np.float64]]
    private: NDArray[np.float64]
    decimals: int = 0
    relative: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """Truth, today's SDL and the formally private values, row for row, for the reviewer's eyes only.

    The first published column stands here; a product that publishes several puts the others in `more`, with the same
    rows. `compared` is all of them.
    """

    key_titles: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]  # one tuple per key column
    true: Confidential[NDArray[np.float64]]
    baseline: Confidential[NDArray[np.float64]]
    private: NDArray[np.float64]
    flagged: Confidential[NDArray[np.bool_]]
    flag_rule: str
    unit: str
    name: str = ""  # of the first column, where there are several
    decimals: int = 0
    relative: bool = True
    more: tuple[Compared, ...] = ()

    @property
    def compared(self) -> tuple[Compared, ...]:
        first = Compared(
            name=self.name or self.unit,
            unit=self.unit,
            true=self.true,
            baseline=self.baseline,
            private=self.private,
            decimals=self.decimals,
            relative=self.relative,
        )
        return (first, *self.more)


class Product(Spec, Protocol[PreparedT, ParamsT_contra]):
    @property
    def roles_needed(self) -> tuple[Role, ...]:
        """Roles without which nothing can be prepared."""

    @property
    def companions(self) -> tuple[Companion, ...]:
        """Public files it takes beside the microdata; most products take none."""

    @property
    def data_checks(self) -> tuple[DataCheck, ...]:
        """What is asked of the microdata as such: JOB_CHECKS, COMMON_CHECKS where nobody is employed, or its own."""

    @property
    def words(self) -> Words:
        """What its records, rows and values are called."""

    @property
    def mechanisms(self) -> tuple[AnyMechanism, ...]: ...
    @property
    def baselines(self) -> tuple[AnyBaseline, ...]: ...
    @property
    def checks(self) -> tuple[AnyCheck, ...]: ...
    @property
    def measures(self) -> tuple[AnyMeasure, ...]: ...
    @property
    def explorations(self) -> tuple[AnyExploration, ...]: ...
    @property
    def twin(self) -> AnyTwin | None:
        """Synthetic data of any size for its sample; None where there is none."""

    def problems(self, inputs: Inputs, params: ParamsT_contra) -> tuple[Problem, ...]:
        """Why this product cannot be prepared from these data with these params, quickly and without tabulating."""

    def size(self, inputs: Inputs, params: ParamsT_contra) -> int | None:
        """How many rows the release would have, quickly, for the live count. None where only the draw decides."""

    def prepare(self, inputs: Inputs, params: ParamsT_contra, context: Context) -> PreparedT:
        """From microdata to what mechanisms take."""

    def describe(self, prepared: PreparedT) -> tuple[Finding, ...]:
        """Facts of the prepared data worth seeing before any noise: sparsity, dominance, domain taken from data."""

    def public_table(self, prepared: PreparedT, release: Release) -> PublicTable: ...

    def side_by_side(
        self, prepared: PreparedT, table: PublicTable, baseline: Confidential[NDArray[np.float64]]
    ) -> SideBySide:
        """From the public table, so that an earlier draw can be laid beside the truth again without drawing."""


__all__ = ["AnyProduct", "Compared", "Product", "PublicTable", "SideBySide"]

AnyProduct = Product[Any, Any]
