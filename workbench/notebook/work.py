"""One release from Python: described, drawn once, looked at, submitted to a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.errors import UserProblem
from workbench.core.params import parse
from workbench.core.progress import QUIET
from workbench.core.specs import find
from workbench.notebook import frames
from workbench.notebook.html import ShownClaim, ShownFigures, claim_html, findings_html
from workbench.review.plan.plan import Choice, Plan
from workbench.review.run.opening import LoadedData, load_data, take_frame
from workbench.review.run.prepare import PreparedTable, prepare, product_of
from workbench.review.run.protect import promised
from workbench.review.run.run import WholeRun, draw_and_judge

if TYPE_CHECKING:
    import pandas as pd

    from workbench.review.run.dictionaries import Dictionary


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Work:
    """A release before its draw. Nothing here can be published; `draw` makes what can."""

    plan: Plan
    loaded: LoadedData
    prepared: PreparedTable

    def __repr__(self) -> str:
        return f"<{self.plan.product.id} by {self.plan.mechanism.id}; not drawn>"

    def using(self, mechanism: str, **settings: Any) -> Work:
        """The same release by another mechanism, or with other settings of it."""
        product = product_of(self.plan)
        spec = find(product.mechanisms, mechanism, "mechanism")
        choice = Choice.of(spec, parse(spec.params, settings, mechanism))
        return replace(self, plan=replace(self.plan, mechanism=choice))

    @property
    def claim(self) -> ShownClaim:
        """What a draw would promise."""
        return ShownClaim(promised(self.plan, self.prepared.value))

    @property
    def findings(self) -> pd.DataFrame:
        """What the data and the table show before any draw. Internal."""
        return frames.findings_frame((*self.loaded.findings, *self.prepared.findings))

    def solve(self, target: str) -> pd.DataFrame:
        """The smallest ε of every mechanism that meets an accuracy target such as “90% within 10%”, best first.

        It is found on the confidential table, so the exact value says something about it: choose a rounder, larger ε.
        """
        from workbench.review.budget.solve_budget import solve_prepared

        answer = solve_prepared(self.plan, self.prepared, target=target, context=QUIET)
        return frames.rows_frame(
            [
                {
                    "mechanism": offer.mechanism.id,
                    "epsilon": None if offer.epsilon is None else float(offer.epsilon),
                    "reached": offer.reached,
                    "definition": str(offer.claim.definition),
                    "best": offer is answer.best,
                    "why": offer.why,
                }
                for offer in answer.offers
            ]
        )

    def draw(self) -> Run:
        """Draw once, audit and compare. Noise comes from the operating system and cannot be repeated."""
        outcome = draw_and_judge(self.loaded, self.prepared, self.plan, QUIET)
        return Run(plan=self.plan, whole=WholeRun(loaded=self.loaded, prepared=self.prepared, outcome=outcome))

    def _repr_html_(self) -> str:
        return claim_html(self.claim.claim) + findings_html((*self.loaded.findings, *self.prepared.findings))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Run:
    """A drawn release with its audit and comparison. It is published only through a project and its reviewers."""

    plan: Plan
    whole: WholeRun

    def __repr__(self) -> str:
        return f"<{self.plan.product.id} by {self.plan.mechanism.id}; drawn, not submitted>"

    @property
    def claim(self) -> ShownClaim:
        return ShownClaim(self.whole.outcome.protected.claim)

    @property
    def figures(self) -> ShownFigures:
        """Every figure of the findings, as the internal report draws them: confidential."""
        return ShownFigures(figure for finding in self.whole.findings() for figure in finding.figures)

    @property
    def table(self) -> pd.DataFrame:
        """The drawn values, as they would be published."""
        return frames.table_frame(self.whole.outcome.protected.table)

    @property
    def findings(self) -> pd.DataFrame:
        """Every finding of data, table, audit and comparison. Internal unless its audience says public."""
        return frames.findings_frame(self.whole.findings())

    def side_by_side(self) -> pd.DataFrame:
        """True values beside the others: confidential, for the reviewer's own session."""
        beside = self.whole.outcome.measured.side_by_side
        if not beside:
            raise UserProblem("There is nothing to compare", "side by side", "This product lays no rows beside others")
        return frames.side_by_side_frame(beside[0])

    def submit(self, project: str | Path, *, preparer: str, data: str | Path = "") -> str:
        """Store the draw in a project, made where it does not exist; the number of the release.

        `data` names the file that holds the same rows, so that a reviewer can load them again.
        """
        from workbench.review.run.draw import store_drawn
        from workbench.review.workspace import Workspace

        path = Path(project)
        workspace = Workspace()
        workspace.open(path, create=not path.exists(), person=preparer)
        plan = replace(self.plan, data=replace(self.plan.data, path=str(data) or self.plan.data.path))
        try:
            stored = store_drawn(workspace, plan, self.whole, base=Path.cwd(), actor=preparer, context=QUIET)
            return stored.release_id
        finally:
            workspace.close()

    def _repr_html_(self) -> str:
        return claim_html(self.claim.claim) + findings_html(self.whole.findings())


def release(
    data: Any,
    product: str,
    *,
    title: str,
    roles: Mapping[str, str],
    dictionary: Dictionary | None = None,
    companions: Mapping[str, str | Path] | None = None,
    options: Mapping[str, Any] | None = None,
    linked: Mapping[str, str | Path] | None = None,
    linked_options: Mapping[str, Mapping[str, Any]] | None = None,
    shaping: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> Work:
    """Describe a release: what the columns mean, and what is published.

    `data` is a data frame, or the path of a file with the `options` of reading it. `dictionary` is a mapping of column
    to {value: label}, or a file; without one nothing is proved: the lists of values then come from the data. `linked`,
    `linked_options` and `shaping` are the sections of a plan. `more` are the settings of the product, as a plan has
    them; one whose name is taken here goes into `settings`.
    """
    from workbench.review.plan.describing import described
    from workbench.review.run.dictionaries import dictionary_of

    from_file, words = isinstance(data, str | Path), isinstance(dictionary, str | Path)
    plan = described(
        product, title=title, roles=roles, path=data if from_file else "",
        dictionary=str(dictionary) if from_file and words else "", companions=companions, options=options,
        linked=linked, linked_options=linked_options, shaping=shaping, settings={**more, **(settings or {})},
    )  # fmt: skip
    if not from_file:
        loaded = take_frame(plan, data, dictionary=dictionary_of(dictionary), base=Path.cwd(), context=QUIET)
    elif dictionary is None or words:
        loaded = load_data(plan, base=Path.cwd(), context=QUIET)
    else:
        raise UserProblem("The dictionary of a file is a file", "dictionary", "Name a CSV, or pass a data frame")
    return Work(plan=plan, loaded=loaded, prepared=prepare(loaded, plan, QUIET))
