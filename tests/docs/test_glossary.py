"""One glossary, in the documentation and in the window, each term once and in its order."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT
from workbench.core.resources import resource


def test_that_the_window_shows_the_glossary_of_the_documentation() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert resource("help", "glossary.md").read_text(encoding="utf-8") == page


def test_that_every_term_is_defined_once_in_a_sentence() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = [term.lower() for term in re.findall(r"^- \*\*(.+?)\*\*", page, flags=re.M)]
    assert len(terms) == len(set(terms)) > 30
    for entry in re.split(r"^- ", page, flags=re.M)[1:]:
        for sentence in re.split(r"(?<=[.:]) ", " ".join(entry.split("\n\n")[0].split())):
            assert len(sentence.split()) <= 25, sentence


def test_that_the_words_of_the_window_are_in_it() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").lower()
    for term in ("claim", "gate", "draw", "current sdl", "support point", "α", "edge differential privacy", "ledger"):
        assert f"**{term}" in page or f"**{term}**" in page, term
