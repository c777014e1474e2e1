"""`dwb audit official-layout`: a published PSEO or VEO file read, what had to be corrected, and the file corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.quantities import counted
from workbench.products.commands import Answer, Option, Question


def _official(given: Mapping[str, str | None]) -> Answer:
    from workbench.core.files import read_text, write_text
    from workbench.products.outcome_reports.files.official import layout_named, read_pseo, read_veo

    path = Path(given["file"] or "")
    content = read_text(path, "the file").encode("utf-8")
    name = given["table"] or layout_named(path.stem, content)
    try:
        found = read_pseo(content, path.name) if name == "pseo" else read_veo(name, content)
    except UserProblem as wrong:
        raise UserProblem.of(
            replace(problem, what=f"{problem.what} ({problem.where})", where="file") for problem in wrong.problems
        ) from wrong
    layout = "PSEO earnings, V4.14.0" if name == "pseo" else f"VEO table {name}"
    lines = [f"{path.name}: {layout}, {counted(len(found.rows), 'row')}, {counted(len(found.columns), 'column')}."]
    lines += found.notes or ("Nothing had to be corrected.",)
    if given["write"]:
        target = Path(given["write"])
        if target.exists():
            raise UserProblem(f"“{target.name}” is already there", "write", "Choose a name that is not taken")
        write_text(target, found.written().decode("utf-8"))
        lines.append(f"Written in the official layout: {target.name}.")
    return Answer(
        lines=tuple(lines), values={"layout": layout, "rows": len(found.rows), "mended": list(found.notes)}
    )  # fmt: skip


QUESTIONS = (
    Question(
        id="official-layout",
        summary="read a published PSEO or VEO file, also of 2019 or with lost zeros, and say what had to be corrected",
        options=(
            Option(name="file", help="the published file, as CSV", example="FILE"),
            Option(
                name="table", help="pseo, or the name of a VEO table; else by the file's name or its columns",
                example="NAME", required=False,
            ),
            Option(name="write", help="write it here in the official layout", example="FILE", required=False),
        ),
        answer=_official,
    ),
)  # fmt: skip
