"""Two tables whose cells are all large, and a difference of two of them that is one establishment's alone.

Jobs by place under 18 and over, then those of women by place under 16 and over. Of the young people of A, the first
counts the women of 16 and 17 and the men beside the women under 16. Two groups of one establishment: each is uncertain
by itself, and their sum is known. Plans are drawn, reviewed and approved on the command line.
"""

from __future__ import annotations

from pathlib import Path

from tests.cli.small import PLAN
from tests.journeys.test_row_rules import approve, draw, patterns

CLASSES = '[data.shaping.recode.{name}]\nof = "age"\nedges = ["{edge}"]\n'
WOMEN = '[data.shaping.keep.women]\ncolumn = "sex"\ncomparison = "="\nvalues = ["f"]\n'
FEW = (("f", 17, 10), ("m", 17, 6), ("m", 15, 4))  # of one establishment in A


def plan_of(name: str, edge: int, rule: str = "") -> str:
    text = PLAN.replace("epsilon = 1.5", "epsilon = 1.0")
    text = text.replace('sex = "worker attribute"', f'sex = "worker attribute"\n{name} = "worker attribute"')
    text = text.replace("[product]", CLASSES.format(name=name, edge=edge) + rule + "[product]", 1)
    lists = f'workplace = ["place"]\nworker = ["{name}"]'
    return text.replace('workplace = ["place", "sector"]', lists) + '\n[baseline]\nid = "cell-suppression"\n'


def write_jobs(folder: Path) -> None:
    rows: list[tuple[str, str, str, int]] = []
    for place in "ABC":
        for number in range(12):
            own = [("f", 15, 4), ("f", 25, 4), ("m", 40, 8), *([] if place == "A" else [("f", 17, 3), ("m", 17, 6)])]
            rows += [(f"{place}{number:02d}", place, sex, age) for sex, age, many in own for _ in range(many)]
    rows += [("ALONE", "A", sex, age) for sex, age, many in FEW for _ in range(many)]
    lines = [f"W{at:05d},{who},{place},x,{sex},{age}" for at, (who, place, sex, age) in enumerate(rows)]
    (folder / "jobs.csv").write_text("\n".join(["worker,establishment,place,sector,sex,age", *lines]) + "\n")


def test_that_a_difference_of_several_groups_of_one_establishment_is_not_told(tmp_path: Path) -> None:
    write_jobs(tmp_path)
    for number, text in enumerate((plan_of("below18", 18), plan_of("below16", 16, WOMEN)), start=1):
        draw(tmp_path, number, text)
        assert approve(tmp_path, number).code == 0
    first, second = patterns(tmp_path, 2)
    young = frozenset({("place", "A"), ("below18", "1")}), frozenset({("place", "A"), ("below16", "1")})
    assert not first  # all its cells are large
    assert young[1] in second  # the other would tell the 20 jobs of one establishment
