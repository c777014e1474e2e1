"""How commands print: words for a person, JSON for a script, progress on stderr where a person watches."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from typing import IO, Any

from workbench.cli.interrupt import INTERRUPT
from workbench.core.errors import Problem, UserProblem
from workbench.core.findings import Finding, Status, Table
from workbench.core.plain import plain
from workbench.core.quantities import show
from workbench.core.visible import escaped, visible
from workbench.review.told import Told

SIGNS = {Status.PASS: "✓", Status.WARN: "!", Status.FAIL: "✗", Status.INFO: "i"}
_LONGEST = 1000  # signs of a message: what is longer is not read
_MOST = 50  # problems that are told at once


class _Readable:
    """A stream on which titles, names and messages can move no cursor and colour nothing: such signs are seen."""

    def __init__(self, bare: IO[str]) -> None:
        self.bare = bare

    def write(self, text: str) -> int:
        return self.bare.write(visible(text).replace("\r", "\N{REPLACEMENT CHARACTER}"))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


@contextlib.contextmanager
def readable_output() -> Iterator[None]:
    """Whatever a command prints in here is safe to look at, whoever wrote the words."""
    with contextlib.ExitStack() as both:
        if sys.stdout is not None:
            both.enter_context(contextlib.redirect_stdout(_Readable(sys.stdout)))
        if sys.stderr is not None:
            both.enter_context(contextlib.redirect_stderr(_Readable(sys.stderr)))
        yield


def print_json(value: Any) -> None:
    print(escaped(json.dumps(plain(value), ensure_ascii=False, indent=2)))


def print_bytes(content: bytes) -> None:
    """A whole file on standard output."""
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def refuse_json_with_content(as_json: bool) -> None:
    if as_json:
        raise UserProblem(
            "--json and `-o -` both write to standard output", "-o", "Leave out one of them, or name a file"
        )


def print_problems(problems: Sequence[Problem]) -> None:
    """Each once, on stderr, and no more than a person can read."""
    sentences = list(dict.fromkeys(problem.sentence() for problem in problems))
    for sentence in sentences[:_MOST]:
        print(sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST].rstrip()} … .", file=sys.stderr)
    if len(sentences) > _MOST:
        print(f"And {len(sentences) - _MOST} more problems.", file=sys.stderr)


def clear_progress() -> None:
    """Take away what is left of a progress line."""
    if sys.stderr.isatty():
        _bare("\r\x1b[K")


def _bare(text: str) -> None:
    """Signs for the terminal itself."""
    stream = getattr(sys.stderr, "bare", sys.stderr)
    stream.write(text)
    stream.flush()


def print_told(told: Told, *, as_json: bool) -> int:
    """What came of a verb; the exit code says whether all is well."""
    if as_json:
        print_json(told.facts)
    else:
        print("\n".join((told.sentence, *told.lines)))
    return 0 if told.ok else 1


def print_findings(findings: Sequence[Finding]) -> None:
    for finding in findings:
        print(f"{SIGNS[finding.status]} {finding.title}: {finding.sentence}")


def finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "status": finding.status,
        "stage": finding.stage,
        "audience": finding.audience,
        "title": finding.title,
        "sentence": finding.sentence,
        "values": finding.values,
        "does_not_prove": finding.does_not_prove,
    }


def print_table(table: Table) -> None:
    """Columns under each other; numbers as a person reads them."""
    told = [[show(cell, 4) if isinstance(cell, float) else str(cell) for cell in row] for row in table.rows]
    rows = [list(table.columns), *told]
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  " + "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


class Terminal:
    """Shows progress on one line of a terminal; silent when nobody is there to see it."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def step(self, fraction: float, sentence: str) -> None:
        INTERRUPT.check()
        if self._shown:
            _bare(f"\r\x1b[K{fraction:4.0%} {visible(sentence[:100])}")

    def done(self) -> None:
        if self._shown:
            clear_progress()
