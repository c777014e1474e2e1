"""The products' studies and questions, found by their names: what can be worked out without anybody's data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.files import read_text, write_text
from workbench.core.nearest import did_you_mean
from workbench.core.progress import Context
from workbench.products import registry
from workbench.products.commands import Question, Studied, Study
from workbench.review.publish.pictures import write_svg

PAGE = ".md"


def questions() -> tuple[Question, ...]:
    return tuple(question for offered in registry.commands().values() for question in offered.questions)


def studies() -> tuple[Study, ...]:
    return tuple(study for offered in registry.commands().values() for study in offered.studies)


def short_settings() -> tuple[str, ...]:
    """The settings that some study lets a person change by a word of its own."""
    return tuple(dict.fromkeys(name for study in studies() for name in study.settings))


def run_study(path: Path, settings: Mapping[str, object], context: Context) -> Studied:
    """Run the study a file describes, with some of its settings changed: by short name, or section by section."""
    sections = _read(path)
    sections.pop("version", None)
    study = _named(sections.pop("study", ""), path.name)
    for name, value in settings.items():
        section, dot, key = study.settings.get(name, name).partition(".")
        changed = {key: value} if dot else value
        if not isinstance(changed, Mapping):
            known = ", ".join(study.settings) or "none"
            do = f"Write SECTION.NAME=VALUE, or one of its short names: {known}"
            raise UserProblem(f"The study {study.id} has no setting called “{name}”", "--set", do)
        sections[section] = {**_section(sections.get(section, {}), section, path.name), **changed}
    return study.run(sections, path.name, context)


def refuse_no_page(path: Path) -> None:
    """Refuse to write a page over anything but a page: a study does not know where somebody keeps data."""
    if path.suffix.lower() != PAGE:
        raise UserProblem("A page of a study is Markdown", str(path), f"Choose a name that ends in {PAGE}")


def write_page(path: Path, studied: Studied) -> None:
    """The page, and its figures as SVG in a folder of its name beside it; the page's links `figure:NAME` lead there."""
    folder = path.with_name(f"{path.stem}-figures")
    write_text(path, studied.page.replace("](figure:", f"]({folder.name}/"))
    if studied.pictures:
        folder.mkdir(exist_ok=True)
    for name, figure in studied.pictures.items():
        write_svg(figure, folder / name)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, "a study"), parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise UserProblem(f"This is not a valid TOML file: {error}", path.name, "Correct that line") from None


def _named(name: object, where: str) -> Study:
    known = studies()
    for study in known:
        if study.id == name or (study.unnamed and name == ""):
            return study
    names = [study.id for study in known]
    do = did_you_mean(str(name), names) or f"Known: {', '.join(names)}"
    raise UserProblem(f"There is no study called “{name}”", f"{where}, study", do)


def _section(found: object, name: str, where: str) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise UserProblem("This must be a section", f"{where}, [{name}]", f"Write [{name}] and its settings beneath")
    return found
