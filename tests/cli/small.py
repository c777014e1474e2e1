"""A review so small that it runs in a moment."""

from __future__ import annotations

from pathlib import Path

PLAN = """version = 1

[release]
title = "Jobs by place and sector"
requester = "Planning office"
purpose = "A yearly table."
authority = "Statistics Act"
period = "2026"
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
epsilon = 1.5

[study]
trials = 2

[audit]
checks = ["exact-loss"]

[policy]
budget = 4.0
"""


def jobs_csv(rows: int = 240) -> str:
    """`rows` jobs at 24 establishments in 3 places and 2 sectors."""
    lines = ["worker,establishment,place,sector,sex"]
    for i in range(rows):
        e = min(i % 24, i // 3 % 24)
        lines.append(f"WRK{i:06d},EST{e:05d},{'ABC'[e % 3]},{'xy'[e // 3 % 2]},{'fm'[i % 2]}")
    return "\n".join(lines) + "\n"


DICTIONARY = """column,value,label
place,A,Aldermoor
place,B,Birchfield
place,C,Cedarholm
sector,x,Mining
sector,y,Retail
sex,f,Women
sex,m,Men
"""
# With every combination of public values listed, so that the claim is proved.
FORMAL_PLAN = PLAN.replace('path = "jobs.csv"', 'path = "jobs.csv"\ndictionary = "dictionary.csv"').replace(
    'workplace = ["place", "sector"]', 'workplace = ["place", "sector"]\ndomain = "all"'
)


def write_small(folder: Path, *, plan: str = PLAN, data: str | bytes | None = None) -> Path:
    """Data and plan in a folder; returns the plan's path."""
    folder.mkdir(parents=True, exist_ok=True)
    content = jobs_csv() if data is None else data
    (folder / "jobs.csv").write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    (folder / "dictionary.csv").write_text(DICTIONARY, encoding="utf-8")
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    return folder / "plan.toml"
