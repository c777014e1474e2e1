"""Jobs whose every confidential count is a number that nothing else in a report would ever show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# (place, sector) → establishments with one job each, and the size of the one large establishment. All are primes of
# four digits, and so far apart that sums of them are unlike one another.
CELLS = {
    ("Aldermoor", "mining"): (1103, 6373),
    ("Aldermoor", "retail"): (1129, 3919),
    ("Birchfield", "mining"): (1187, 5449),
    ("Birchfield", "retail"): (1231, 2749),
    ("Cedarholm", "mining"): (1303, 4813),
    ("Cedarholm", "retail"): (1373, 7127),
}

# So little ε that a released value meets a confidential one about once in a million tables.
PLAN = """version = 1

[release]
title = "Jobs by place and sector"
requester = "Planning office"
purpose = "A yearly table."
authority = "Statistics Act"
period = "second quarter"
smallest_geography = "place"

[data]
path = "jobs.csv"

[data.roles]
worker = "worker"
establishment = "establishment"
place = "geography"
sector = "workplace attribute"
sex = "worker attribute"

[product]
id = "employment_tables"
workplace = ["place", "sector"]

[mechanism]
id = "laplace"
epsilon = 0.000001

[study]
trials = 2

[policy]
budget = 1.0
"""


@dataclass(frozen=True)
class Secrets:
    counts: dict[str, int]  # what it counts → how many
    identifier_beginnings: tuple[str, ...] = ("WIDX", "EIDX")

    def counts_in(self, text: str) -> set[str]:
        """Which confidential counts stand in a text as numbers of their own, however they are punctuated."""
        numbers = {_digits(found) for found in _NUMBER.findall(text)}
        return {what for what, count in self.counts.items() if str(count) in numbers}

    def identifiers_in(self, content: bytes) -> set[str]:
        return {name for name in self.identifier_beginnings if name.encode() in content or name.encode("utf-16-le")
                in content}  # fmt: skip


# 1234, 1,234, 1 234 and 1234.0; not the digits inside a hash, a word or a longer number.
_NUMBER = re.compile(
    r"(?<![\w.])\d{1,3}(?:[,'\u00a0\u2009\u202f ]\d{3})+(?![\w])|(?<![\w.])\d+(?:\.0+)?(?![\w.]\d)(?!\w)"
)


def _digits(found: str) -> str:
    return re.sub(r"\D", "", re.sub(r"\.0+$", "", found))


def write_confidential(folder: Path) -> Secrets:
    """The data file and the plan; returns what may never be seen outside."""
    lines = ["worker,establishment,place,sector,sex"]
    counts: dict[str, int] = {}
    jobs = establishments = women = 0
    for (place, sector), (small, large) in CELLS.items():
        for i in range(small + large):
            establishment = establishments + min(i, small)
            sex = "f" if jobs % 7 < 3 else "m"
            women += sex == "f"
            lines.append(f"WIDX{jobs:06d},EIDX{establishment:06d},{place},{sector},{sex}")
            jobs += 1
        establishments += small + 1
        counts[f"jobs in {place}, {sector}"] = small + large
        counts[f"largest in {place}, {sector}"] = large
        counts[f"establishments in {place}, {sector}"] = small + 1
        counts[f"jobs without the largest in {place}, {sector}"] = small
    for place in {place for place, _ in CELLS}:
        counts[f"jobs in {place}"] = sum(sum(sizes) for (at, _), sizes in CELLS.items() if at == place)
    for sector in {sector for _, sector in CELLS}:
        counts[f"jobs in {sector}"] = sum(sum(sizes) for (_, of), sizes in CELLS.items() if of == sector)
    counts |= {"records": jobs, "establishments": establishments, "women": women, "men": jobs - women}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "jobs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    return Secrets(counts)
