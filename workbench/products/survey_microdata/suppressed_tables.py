"""Tables instead of a file: every one- and two-way table of the answers, small cells and their companions withheld.

Cells of fewer respondents than the threshold are withheld, with others that keep them uncertain. One-way tables come
first. The two-way tables share them as margins, so that what one prints no other withholds. All other cells are exact.
It makes no formal promise, gives no file, and says nothing about tables of three and more variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import combinations

import numpy as np

from workbench.baselines.alternatives import ProtectedFile
from workbench.baselines.suppression.contributions import Behind
from workbench.baselines.suppression.findings import REPLAY, kept_levels
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.lost_beside import lost_in
from workbench.baselines.suppression.marked_table import marked_table
from workbench.baselines.suppression.params import AttackerParams, SuppressionParams
from workbench.baselines.suppression.suppress import Suppressed, suppress, task_of
from workbench.baselines.suppression.system import System, additive
from workbench.core.arrays import Bools, Floats
from workbench.core.confidential import Confidential
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import group, param
from workbench.core.progress import QUIET, Context, Part
from workbench.core.published import MISSING, Column, Columns, Published, Units
from workbench.core.quantities import counted, show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.survey_microdata.estimation.crosstabs import corrected, corrected_alone, true_tables
from workbench.products.survey_microdata.estimation.shares import true_estimates
from workbench.products.survey_microdata.layout import cell_rows, cell_table, number_places, published
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.products.survey_microdata.tables_together import attacked_together, tabulated, withheld_rows

declare(
    {
        "tables_with_withheld_cells": ValueName("Two-way tables with withheld cells"),
        "two_way_cells_withheld": share_of("Share of two-way cells withheld"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedTablesParams:
    threshold: int = param(
        10, "Threshold", "Cells of fewer respondents are withheld.", ge=2, le=10_000, unit="respondents"
    )
    attackers: AttackerParams = group(
        AttackerParams, "Attackers", "Intervals hold for attackers who do not replay the rule."
    )

    def asked(self) -> SuppressionParams:
        """The shared settings. Hundreds of tables are suppressed, so each by the heuristic."""
        return SuppressionParams(
            threshold=self.threshold, p=Decimal(0), attackers=self.attackers, exact_cells=0
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SuppressedTables:
    """See the module's docstring."""

    id: str = "suppressed-tables"
    version: int = 1
    title: str = "Suppressed tables"
    summary: str = "Exact one- and two-way tables without small cells and others that would give them away; no file."
    params: type[SuppressedTablesParams] = SuppressedTablesParams

    def protect(
        self, prepared: SurveyData, params: SuppressedTablesParams, rng: StudyRandom, context: Context  # noqa: ARG002 - nothing is random
    ) -> ProtectedFile:  # fmt: skip
        context.step(0.0, "counting two-way tables")
        sizes, alone, pairs = prepared.categories.tolist(), prepared.margins(), prepared.pairs()
        one_way = [_one_way(counts, params) for counts in alone]
        withheld = [np.zeros(1, dtype=bool), *(hidden for hidden, _ in one_way)]
        missed = sum(many for _, many in one_way)
        for place, ((i, j), table) in enumerate(zip(combinations(range(len(sizes)), 2), pairs, strict=True)):
            context.step(0.8 * place / max(len(pairs), 1), f"suppressing two-way tables: {place:,} of {len(pairs):,}")
            hidden, many = _two_way(table, one_way[i][0], one_way[j][0], params)
            withheld.append(hidden.ravel())
            missed += many
        people = np.array([prepared.respondents.reveal()])
        cells = np.concatenate([people, *alone, *(table.ravel() for table in pairs)]).astype(np.float64)
        hidden = np.concatenate(withheld)
        told = _loss(alone, pairs, withheld, missed, params)
        shown = _weighted_cells(prepared) if prepared.weighing.weighted else cells
        tables = Confidential(published(prepared.variables, _tables(prepared, shown, hidden)))
        beside = partial(_beside_release, prepared, shown, hidden)
        if not hidden.any():
            return ProtectedFile(published=tables, remarks=(told,), beside=beside)
        found = attacked_together(prepared, cells, hidden, params.asked(), Part(context, 0.8, 1.0))
        rows = withheld_rows(found, len(number_places(prepared.variables)))
        return ProtectedFile(
            published=tables,
            withheld=None if prepared.weighing.weighted else rows,  # bounds are of respondents, not of weights
            remarks=(replace(told, figures=marked_table(tabulated(found), found)), kept_levels(found)),
            beside=beside,
        )


def _beside_release(prepared: SurveyData, values: Floats, hidden: Bools, released: Published) -> tuple[Finding, ...]:
    """What the release itself loses of the same cells: as estimated from its tables or its file."""
    single, pairs = corrected_alone(prepared.variables, released), corrected(prepared.variables, released)
    if single is None or pairs is None:
        return ()
    alone, together = len(single), len(pairs)
    kinds = [("one-way", np.arange(alone)), ("two-way", np.arange(alone, alone + together))]
    finest, said = (kinds[1][1], "two-way cell") if together else (kinds[0][1], "one-way cell")
    return (
        lost_in(
            [kind for kind in kinds if len(kind[1])],
            finest,
            values=values[1:],
            hidden=hidden[1:],
            released=np.concatenate([single, pairs]),
            said=counted(len(finest), said),
            unit="weighted respondents" if prepared.weighing.weighted else "respondents",
            note="Withheld: no number, or none that a count can be estimated from. Far off: by more than 10 %, or any "
            "number in an empty cell.",
        ),
    )


def _weighted_cells(prepared: SurveyData) -> Floats:
    """The same cells as sums of weights: which are withheld is decided by respondents."""
    if prepared.weighed is not None:
        held = prepared.weighed.reveal()
        return np.concatenate(
            [np.concatenate([[held.total], *held.single]) / prepared.weighing.unit, true_tables(prepared)]
        )
    mass, columns = prepared.mass.reveal(), prepared.classed.reveal().T
    alone = [
        np.bincount(column, weights=mass, minlength=variable.categories)
        for column, variable in zip(columns, prepared.variables, strict=True)
    ]
    return np.concatenate([[mass.sum()], *alone, true_tables(prepared)])


def withheld_in(table: np.ndarray, params: SuppressedTablesParams) -> Bools:
    """Which cells of one two-way table are withheld beside its one-way tables."""
    first, second = (_one_way(table.sum(axis=axis), params)[0] for axis in (1, 0))
    return _two_way(table, first, second, params)[0]


def _one_way(counts: np.ndarray, params: SuppressedTablesParams) -> tuple[Bools, int]:
    """Which answers of one variable are withheld, the number of respondents being printed; and levels out of reach."""
    if not _small(counts, params).any() or len(counts) < 2:
        return _small(counts, params), 0
    keys = [*((str(place),) for place in range(len(counts))), (None,)]
    system = _system(("answer",), keys, np.append(counts, counts.sum()))
    printed = np.append(np.zeros(len(counts), dtype=bool), [True])
    found = _suppressed(system, printed, np.zeros_like(printed), params)
    return found.suppressed[:-1], _out_of_reach(found)


def _two_way(table: np.ndarray, first: Bools, second: Bools, params: SuppressedTablesParams) -> tuple[Bools, int]:
    """Which cells of a pair are withheld, its margins being printed or withheld as their own tables say."""
    if not (_small(table, params).any() or first.any() or second.any()) or min(table.shape) < 2:
        return _small(table, params), 0
    rows, columns = table.shape
    keys: list[tuple[str | None, ...]] = [(str(i), str(j)) for i in range(rows) for j in range(columns)]
    keys += [(str(i), None) for i in range(rows)] + [(None, str(j)) for j in range(columns)] + [(None, None)]
    values = np.concatenate([table.ravel(), table.sum(axis=1), table.sum(axis=0), [table.sum()]])
    system = _system(("first", "second"), keys, values)
    inner = np.zeros(rows * columns, dtype=bool)
    printed = np.concatenate([inner, ~first, ~second, [True]])
    withheld = np.concatenate([inner, first, second, [False]])
    found = _suppressed(system, printed, withheld, params)
    return found.suppressed[: rows * columns].reshape(table.shape), _out_of_reach(found)


def _small(counts: np.ndarray, params: SuppressedTablesParams) -> Bools:
    small: Bools = (counts > 0) & (counts < params.threshold)
    return small


def _system(names: Sequence[str], keys: Sequence[tuple[str | None, ...]], values: np.ndarray) -> System:
    """Every respondent counts one, and nobody says who is in which cell of another table."""
    amounts = values.astype(np.float64)
    each = np.minimum(amounts, 1.0)
    behind = Behind(total=amounts, contributors=values.astype(np.int64), largest=np.stack([each, each], axis=1))
    return additive([Dimension(name=name) for name in names], keys, amounts, behind=behind, counts=True)


def _suppressed(system: System, printed: Bools, withheld: Bools, params: SuppressedTablesParams) -> Suppressed:
    asked = params.asked()
    return suppress(task_of(system, asked, published=printed, withheld=withheld), asked, QUIET)


def _out_of_reach(found: Suppressed) -> int:
    """Levels that an outsider undercuts whatever is withheld, as margins are printed."""
    return len({breach.cell for breach in found.unreachable if breach.insider is None})


def _tables(prepared: SurveyData, cells: Floats, hidden: Bools) -> Columns:
    """In the layout of published tables, without noise, and without what is withheld. Means are of all respondents."""
    means, weighted, worth = number_places(prepared.variables), prepared.weighing.weighted, list[float]()
    if weighted:
        worth = [prepared.worth]
    values = np.concatenate([np.where(hidden, 0.0, cells), true_estimates(prepared).means, worth])
    gone = np.concatenate([hidden, np.zeros(len(values) - len(hidden), dtype=bool)])
    zero = np.zeros(len(values))
    made = cell_table(cell_rows(prepared.categories, means, weighted=weighted), values, zero, zero)
    return Columns(columns=tuple(_with_gaps(column, gone) for column in made.columns))


def _with_gaps(column: Column, gone: Bools) -> Column:
    if not isinstance(column, Units):
        return column
    return replace(column, integers=np.where(gone, MISSING, column.integers), gaps=True)


def _people_lost(tables: Sequence[np.ndarray], hidden: Bools) -> float:
    """The respondents in withheld cells, in percent of those in all cells of these tables."""
    counts = np.concatenate(tables) if tables else np.zeros(0)
    return 100 * float(counts[hidden].sum() / counts.sum()) if counts.sum() else 0.0


def _loss(
    alone: Sequence[np.ndarray], pairs: Sequence[np.ndarray], withheld: Sequence[Bools], missed: int,
    params: SuppressedTablesParams,
) -> Finding:  # fmt: skip
    one = np.concatenate(withheld[1 : 1 + len(alone)]) if alone else np.zeros(0, dtype=bool)
    two = np.concatenate(withheld[1 + len(alone) :]) if pairs else np.zeros(0, dtype=bool)
    primary = int(sum(_small(table, params).sum() for table in pairs))
    tables = sum(bool(hidden.any()) for hidden in withheld[1 + len(alone) :])
    share = float(two.mean()) if len(two) else 0.0
    people = [_people_lost(alone, one), _people_lost([table.ravel() for table in pairs], two)]
    beyond = f" {counted(missed, 'level')} cannot be kept while one-way tables are printed." if missed else ""
    return Finding(
        id="suppressed-tables.loss",
        title="Cells withheld by suppression",
        status=Status.WARN if missed else Status.INFO,
        sentence=(
            f"Suppression withholds {show(100 * share, 2)} % of {counted(len(two), 'two-way cell')}, in {show(tables)} "
            f"of {counted(len(pairs), 'table')}; {show(primary)} cells are below {params.threshold}.{beyond}"
        ),
        values={
            "two_way_cells_withheld": share,
            "tables_with_withheld_cells": tables,
            "primary_cells": primary,
            "levels_unreachable": missed,
        },
        tables=(
            Table(
                title="Suppressed cells by dimension",
                columns=("Cells by", "Cells", "Suppressed", "Suppressed, %", "Of the respondents, %"),
                rows=(
                    ("one variable", len(one), int(one.sum()), 100 * float(one.mean()) if len(one) else 0.0, people[0]),
                    ("two variables", len(two), int(two.sum()), 100 * share, people[1]),
                ),
                note="Tables of more variables are not given.",
            ),
        ),
        does_not_prove=f"Suppression has no ε: every further table narrows the intervals. {REPLAY}",
    )


SPEC = SuppressedTables()
