"""What a product offers on the command line besides reviews: questions of its method, studies and a twin.

A product's `commands.py` holds one `Commands`; the registry finds it by name, and it imports what it runs only when it
is run. Everything is data and plain functions: who prints is the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.figures import Figure
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.microdata.twins.contract import AnyTwin


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One word a question is asked with, as text: `--name VALUE`."""

    name: str
    help: str
    example: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person reads, and what a script does."""

    lines: tuple[str, ...]
    values: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`dwb audit ID`: what follows from the method and a few numbers alone, without anybody's data.

    `answer` is given a text for every option, or None; the problems it raises have an option's name as their place.
    """

    id: str
    summary: str
    options: tuple[Option, ...]
    answer: Callable[[Mapping[str, str | None]], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Studied:
    """What a study found, the page that tells it, and facts of the study itself for scripts.

    `pictures` are the page's figures by file name; the page links to them as `figure:NAME`.
    """

    findings: tuple[Finding, ...]
    page: str
    pictures: Mapping[str, Figure] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """`dwb evaluate STUDY.toml` with `study = "id"`: measured on synthetic data, so its results may be published.

    `run` is given the file's sections and its name for messages. `settings` are short names of settings that a person
    changes often, by section and name: {"jobs": "twin.jobs"}.
    """

    id: str
    summary: str
    run: Callable[[Mapping[str, Any], str, Context], Studied]
    settings: Mapping[str, str] = field(default_factory=dict)
    unnamed: bool = False  # it also reads files that name no study, which were written before there were others


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    twin: AnyTwin | None = None
    questions: tuple[Question, ...] = ()
    studies: tuple[Study, ...] = ()
