"""The figures of model fits on the sample's synthetic people, for the docs: `python -m benchmarks.fit_figures DIR`."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.flow_figures import alone
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.resources import sample_folder
from workbench.explorations.contract import Scene
from workbench.products.model_fits.explorations import (
    accounting_curve,
    error_by_epsilon,
    likelihood_surface,
    probability_curve,
)
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import dp_newton, dp_sgd, table_logit
from workbench.report.figures import to_svg
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import prepare

WIDTH = 800


def prepared(name: str) -> FitData:
    """The rows of a plan of the sample."""
    folder = sample_folder("model_fits")
    plan = read_plan(folder / name)
    made: FitData = prepare(load_data(plan, base=folder, context=QUIET), plan, QUIET).value
    return made


def main() -> int:
    folder = Path(sys.argv[1])
    education, ten = (prepared(name) for name in ("plan.toml", "ten_predictors.toml"))
    rows = len(education.outcome.reveal())
    source = dp_sgd.DpSgdParams(epsilon=Epsilon(1), people=rows)
    draws = error_by_epsilon.ErrorByEpsilonParams(draws=60)
    for name, exploration, params, scene in (
        ("probability", probability_curve.SPEC, None, Scene(prepared=education, mechanism=table_logit.SPEC,
                                                            params=table_logit.TableLogitParams())),
        ("surface", likelihood_surface.SPEC, None, Scene(prepared=education, mechanism=dp_sgd.SPEC, params=source)),
        ("accounting", accounting_curve.SPEC, None, Scene(prepared=education, mechanism=dp_sgd.SPEC, params=source)),
        ("error", error_by_epsilon.SPEC, draws, Scene(prepared=education, mechanism=table_logit.SPEC,
                                                      params=table_logit.TableLogitParams())),
        ("error-ten", error_by_epsilon.SPEC, draws, Scene(prepared=ten, mechanism=dp_newton.SPEC,
                                                          params=dp_newton.DpNewtonParams())),
    ):  # fmt: skip
        (finding,) = exploration.show(scene, params or exploration.params(), QUIET)  # type: ignore[arg-type]
        print(f"{name}: {finding.sentence}")
        drawing = alone(to_svg(finding.figures[0]))
        if name == "surface":  # thousands of coloured cells are smaller as pixels
            as_pixels(drawing, folder / f"fits-{name}.png")
        else:
            (folder / f"fits-{name}.svg").write_text(drawing, encoding="utf-8")
    return 0


def as_pixels(drawing: str, path: Path) -> None:
    from PySide6.QtCore import QByteArray
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    _application = QGuiApplication(["figures", "-platform", "offscreen"])
    renderer = QSvgRenderer(QByteArray(drawing.encode("utf-8")))
    size = renderer.defaultSize() * (WIDTH / renderer.defaultSize().width())
    picture = QImage(size, QImage.Format.Format_RGB32)
    picture.fill(0xFFFFFFFF)
    painter = QPainter(picture)
    renderer.render(painter)
    painter.end()
    picture.save(str(path))


if __name__ == "__main__":
    sys.exit(main())
