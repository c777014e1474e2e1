"""Which figures belong to which finding, and which of them the page shows under what name."""

from __future__ import annotations

import re

from workbench.core.figures import Figure
from workbench.core.findings import Finding
from workbench.products.employment_tables.paper.study import PAPER_WORDS, FindingsStudy
from workbench.products.employment_tables.usefulness.strata import ALL

_OF_FINDING: dict[int, tuple[str, ...]] = {
    1: ("Figure 2:", "Figure 3:", "Figure 4:"), 2: ("Figure 5:", "Figure 7:"), 3: ("Figure 6:",),
    4: ("Figure 3:", "Figure 4:"),
}  # fmt: skip
_PLACES = 4
_NUMBER = re.compile(r"Figure (\d)")


def figures_of(study: FindingsStudy, number: int) -> tuple[Figure, ...]:
    """Each figure once. Figures 3 and 4 by stratum, as the paper calibrates, belong to Finding 4."""
    mine = _OF_FINDING.get(number, ())
    return tuple(
        figure
        for figure in study.figures
        if mine and figure.title.startswith(mine) and _about_places(figure) == (number == _PLACES)
    )


def _about_places(figure: Figure) -> bool:
    return figure.title.startswith(_OF_FINDING[_PLACES]) and _by_stratum(figure) and PAPER_WORDS in figure.title


def _by_stratum(figure: Figure) -> bool:
    match = _NUMBER.match(figure.title)
    return match is not None and int(match.group(1)) >= 3 and not figure.subtitle.startswith(ALL)


def shown_on_page(finding: Finding) -> dict[str, Figure]:
    """By the name of their file: all cells, and by stratum those of Finding 4. The others are in `--json`."""
    return {
        f"{_name(figure, match.group(1))}.svg": figure
        for figure in finding.figures
        if (match := _NUMBER.match(figure.title)) and (not _by_stratum(figure) or _about_places(figure))
    }


def _name(figure: Figure, number: str) -> str:
    words = [f"figure-{number}"]
    words += ["paper"] if PAPER_WORDS in figure.title else ["tight"] if "tight" in figure.title else []
    words += ["tenths"] if "ε/10" in figure.title else []
    stratum = re.match(r"[^;]*", figure.subtitle or "")
    if stratum and int(number) >= 3:
        words.append(re.sub(r"[^a-z0-9]+", "-", stratum.group(0).lower()).strip("-"))
    return "-".join(words)
