"""The matrix of chances of one variable, P(published | true), and its inverse, by which estimates are corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.explorations.contract import Scene
from workbench.products.survey_microdata.local.design import LocalDesign, Method
from workbench.products.survey_microdata.survey_data import SurveyData

_MOST = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignMatrixParams:
    variable: str = param("", "Variable", "Whose matrix is shown; the first one where none is chosen.")


@dataclass(frozen=True, slots=True)
class DesignMatrix:
    """See the module's docstring."""

    id: str = "design-matrix"
    version: int = 1
    title: str = "Design matrix"
    summary: str = "Chances of every published answer for every true one, and the inverse that corrects estimates."
    params: type[DesignMatrixParams] = DesignMatrixParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        prepared: SurveyData = scene.prepared
        return {"variable": prepared.names}

    def show(self, scene: Scene, params: DesignMatrixParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "laying out the matrix")
        prepared: SurveyData = scene.prepared
        designs_of = getattr(scene.mechanism, "designs", None)
        place = prepared.place(params.variable) if params.variable in prepared.names else 0
        if designs_of is None:
            said = "Noise goes on tables, not on answers: there is no design matrix. See the budget of a record."
            found = Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said)
        else:
            found = self._of(designs_of(prepared, scene.params)[place])
        context.step(1.0, "matrix laid out")
        return (found,)

    def _of(self, design: LocalDesign) -> Finding:
        name = design.variable.name
        if design.method is Method.LAPLACE:
            said = f"“{name}” gets discrete Laplace noise of scale {show(design.scale, 5)}; it has no matrix."
            return Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said)
        same, other = design.chances()
        said = (
            f"“{name}” keeps its answer with probability {same:.4f}; each other answer comes out with {other:.2g}. Its "
            f"exact loss is {design.exact_loss():.6f}."
        )
        if design.answers > _MOST:
            return Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said)
        words = _words(design)
        matrix = design.matrix()
        inverse = np.linalg.inv(matrix).astype(np.float64)
        return Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence=said,
            tables=(_table("P(published | true)", words, matrix), _table("Inverse", words, inverse)),
            figures=(
                Figure(
                    kind=Kind.HEAT_MAP,
                    title=f"Chances of {name}",
                    x=Axis(label="Published", categories=words),
                    y=Axis(label="True", categories=words),
                    grid=tuple(tuple(row) for row in matrix.tolist()),
                    colour=Axis(label="Probability"),
                ),
            ),
        )


def _words(design: LocalDesign) -> tuple[str, ...]:
    if design.variable.number:
        return tuple(f"{value:g}" for value in design.level_values().tolist())
    return design.variable.labels


def _table(title: str, words: tuple[str, ...], matrix: Floats) -> Table:
    rows = tuple((word, *row) for word, row in zip(words, matrix.tolist(), strict=True))
    return Table(title=title, columns=("true", *words), rows=rows)


SPEC = DesignMatrix()
