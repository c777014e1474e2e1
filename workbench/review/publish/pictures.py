"""A figure as a drawing of its own, as the report draws it: for slides, papers and whoever wants to change it."""

from __future__ import annotations

from pathlib import Path

from workbench.core.figures import Figure
from workbench.core.files import write_text


def svg_of(figure: Figure) -> str:
    """The figure as SVG, to be set into a page."""
    from workbench.report.figures import to_svg

    return to_svg(figure)


def write_svg(figure: Figure, path: Path) -> None:
    """Write the figure as SVG; text stays text."""
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{svg_of(figure)}\n')
