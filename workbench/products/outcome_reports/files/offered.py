"""The files in which a report leaves besides the standard ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.core.published import Published
from workbench.outputs.contract import OutputFile
from workbench.products.outcome_reports.files.official_writers import fits_pseo, veo_table_of


def report_files(published: Published) -> tuple[OutputFile, ...]:
    beside = published.published_beside
    found = [
        _file("model-based.csv", "model-based", "Model-based estimates (CSV)", partial(_model_based, published)),
    ]
    if len(published.keys) > 1:
        together = f"All of “{published.keys[0].name}” together (CSV)"
        found.append(_file("programme.csv", "programme", together, partial(_programme, published)))
    if beside is not None:
        found.append(_file("noisy-parts.csv", "noisy-parts", "Noisy sums or bins (CSV)", partial(_drawn, beside)))
    if fits_pseo(published):
        found.append(_file("pseoe.csv", "pseo", "PSEO earnings, V4.14.0 (CSV)", partial(_pseo, published)))
    name = veo_table_of(published)
    if name is not None:
        found.append(_file(f"{name}.csv", "veo", f"VEO table {name} (CSV)", partial(_veo, published, name)))
    if not fits_pseo(published) and name is None:
        found.append(_file("long.csv", "long", "Cells and years with statuses (CSV)", partial(_long, published)))
    return tuple(found)


def _file(name: str, kind: str, title: str, write: Callable[[], bytes]) -> OutputFile:
    return OutputFile(name=name, kind=kind, title=title, media_type="text/csv", write=write)


def _model_based(published: Published) -> bytes:
    from workbench.products.outcome_reports.files.reports import model_based_file

    return model_based_file(published)


def _long(published: Published) -> bytes:
    from workbench.products.outcome_reports.files.reports import long_file

    return long_file(published)


def _programme(published: Published) -> bytes:
    from workbench.products.outcome_reports.files.reports import programme_file

    return programme_file(published)


def _drawn(beside: Published) -> bytes:
    from workbench.products.outcome_reports.files.reports import drawn_file

    return drawn_file(beside)


def _pseo(published: Published) -> bytes:
    from workbench.products.outcome_reports.files.official_writers import pseo_table

    return pseo_table(published).written()


def _veo(published: Published, name: str) -> bytes:
    from workbench.products.outcome_reports.files.official_writers import veo_table

    return veo_table(published, name).written()
