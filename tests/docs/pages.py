"""Reading the documentation the way a reader does: links, headings, commands."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README, GUIDE = ROOT / "README.md", ROOT / "docs" / "guide.md"
STORY = ROOT / "sample_projects" / "employment_tables" / "README.md"
IN_PROGRAM = ROOT / "resources" / "help" / "guide.md"


def pages() -> tuple[Path, ...]:
    """Every page a person may read."""
    return (README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md")), STORY, IN_PROGRAM)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def shell_lines(page: Path) -> list[str]:
    """The lines of the page's shell blocks, in order."""
    blocks = re.findall(r"```sh\n(.*?)```", text_of(page), flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def commands(page: Path) -> list[str]:
    return [line for line in shell_lines(page) if line.startswith("dwb ")]


def spoken_commands(page: Path) -> list[str]:
    """Commands that are mentioned inside a sentence; they may hold placeholders."""
    return re.findall(r"`(dwb [^`]+)`", without_blocks(page))


def without_blocks(page: Path) -> str:
    return re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)


def links(page: Path) -> list[str]:
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page)) if "://" not in target]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    titles = re.findall(r"^#+ (.*)$", without_blocks(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
