"""What a product is: something an agency publishes, binding data roles, mechanisms, baselines, checks and measures.

Adding a product adds files and a line in `registry.py`; neither window nor report nor command line is touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from workbench.audit.contract import AnyCheck
from workbench.audit.differencing.group_sizes import Contributors
from workbench.baselines.alternatives import Rival
from workbench.baselines.contract import AnyBaseline
from workbench.core.errors import Problem
from workbench.core.findings import Finding
from workbench.core.params import to_plain
from workbench.core.progress import Context
from workbench.core.published import Columns, Published
from workbench.core.same_table import table_digest
from workbench.core.side_by_side import SideBySide
from workbench.core.specs import Spec
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata.checks import DataCheck
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, Suggestion
from workbench.outputs.contract import OutputFile
from workbench.products.solver import AnySolver
from workbench.utility.contract import AnyMeasure

PreparedT = TypeVar("PreparedT")
ParamsT_contra = TypeVar("ParamsT_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleCell:
    """What the curve over ε stands for before any data are loaded.

    `words` go after “expected error of”; `case` are settings of the `case` of every mechanism of the product.
    """

    words: str
    case: Mapping[str, object]


class Product(Spec, Protocol[PreparedT, ParamsT_contra]):
    """Besides, a product whose settings may change without drawing another table says so in `same_table(params)`, a
    digest of what is left (see `same_table`).
    """

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles it offers, in the order a person reads them; a column can always be ignored."""

    @property
    def companions(self) -> tuple[Companion, ...]:
        """Public files it takes beside the microdata; most products take none."""

    @property
    def data_checks(self) -> tuple[DataCheck, ...]:
        """What is asked of the microdata as such: JOB_CHECKS, COMMON_CHECKS where nobody is employed, or its own.

        Where a rule of the product settles every row with an unlisted code: `common_checks(what the rule does)`.
        """

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
    def solver(self) -> AnySolver | None:
        """Who finds the smallest ε for an accuracy target; None where no such target makes sense."""

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        """A role for every column of a file, each with its reason, from names and counts alone."""

    def problems(self, inputs: Inputs, params: ParamsT_contra) -> tuple[Problem, ...]:
        """Why this product cannot be prepared from these data with these params, quickly and without tabulating."""

    def size(self, inputs: Inputs, params: ParamsT_contra) -> int | None:
        """How many rows the release would have, quickly, for the live count. None where only the draw decides."""

    def prepare(self, inputs: Inputs, params: ParamsT_contra, context: Context) -> PreparedT:
        """From microdata to what mechanisms take."""

    def describe(self, prepared: PreparedT) -> tuple[Finding, ...]:
        """Facts of the prepared data worth seeing before any noise: sparsity, dominance, domain taken from data."""

    def example_cell(self) -> ExampleCell | None:
        """A cell that readers can picture; None where nothing can be said before the data are known."""

    def groups_behind(self, prepared: PreparedT) -> Contributors:
        """Whom differencing asks how many contributors a derived group has; `nobody_knows` where nobody can tell."""

    def public_table(self, prepared: PreparedT, drawn: Columns) -> Published:
        """What was drawn with its keys and texts. A study draw is laid out alike and stays confidential."""

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        """The files in which it leaves: `standard_files`, and layouts of the product's own. The first is the CSV."""

    def side_by_side(self, prepared: PreparedT, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        """Truth, rivals and release: row by row, or as estimates made from each of them alike.

        From the public table, so that an earlier draw can be laid beside the truth again without drawing. A product
        with several kinds of rows lays several such tables, each with its title.
        """


def same_table(product: AnyProduct, params: Any) -> str:
    """Which table the params draw, as a digest: by the product's own word, or by every one of its settings."""
    own = getattr(product, "same_table", None)
    made: str = own(params) if own is not None else table_digest(product.id, settings=to_plain(params))
    return made


AnyProduct = Product[Any, Any]
