"""What the check says: fails where something follows exactly, and tells whose fault it is, in words."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from tests.audit.differencing.tables import noisy, table
from tests.contract.findings_contract import judge_findings
from tests.products.employment_tables import hand_made
from workbench.audit.differencing.difference import difference
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.audit.differencing.search import Group
from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable
from workbench.core.claims import Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import QUIET
from workbench.products.employment_tables.audit.differencing_truth import establishments_in

RELEASE = "place,sector,jobs\nA,mining,12\nA,retail,7\nB,mining,3\nB,retail,40"


def findings(
    under_review: PublishedTable, *others: PublishedTable, contributors: Contributors = nobody_knows
) -> dict[str, Finding]:
    made = difference(under_review, others, contributors=contributors, context=QUIET)
    judge_findings(made)
    assert all(finding.audience is Audience.INTERNAL for finding in made)
    assert all(finding.id.split(".")[0] == "differencing" for finding in made)
    return {finding.id: finding for finding in made}


def test_that_a_release_with_nothing_to_combine_it_with_is_told_so() -> None:
    said = findings(noisy("R-0002", RELEASE))["differencing"]
    assert said.status is Status.INFO
    assert "no other table" in said.sentence


def test_that_tables_of_the_same_data_that_count_something_else_are_not_passed_over_in_silence() -> None:
    pay = noisy("R-0001", "place,pay\nA,20\nB,41")
    said = findings(noisy("R-0002", RELEASE), pay)["differencing"]
    assert said.status is Status.INFO
    assert "no other table" not in said.sentence
    assert said.sentence.startswith("R-0001 came from the same data but hold other values")
    elsewhere = replace(pay, population="other data")
    assert "no other table" in findings(noisy("R-0002", RELEASE), elsewhere)["differencing"].sentence


def test_that_what_does_not_add_up_is_one_remark_and_never_subtracted() -> None:
    means = replace(noisy("R-0002", RELEASE), additive=False)
    said = findings(means, noisy("R-0001", RELEASE), table("outside.csv", RELEASE))
    assert list(said) == ["differencing"]
    assert said["differencing"].status is Status.INFO
    assert "nothing to subtract" in said["differencing"].sentence
    assert "R-0001, outside.csv" in said["differencing"].sentence
    beside = findings(noisy("R-0003", RELEASE), means)
    assert list(beside) == ["differencing"]
    assert beside["differencing"].sentence.startswith("R-0002 came from the same data")


def test_that_noise_is_not_mistaken_for_exact_values() -> None:
    said = findings(noisy("R-0002", RELEASE), noisy("R-0001", "place,jobs\nA,20\nB,41"))
    assert said["differencing"].status is Status.INFO
    assert "noisy values only" in said["differencing"].sentence
    assert said["differencing.again"].status is Status.INFO


def test_that_the_same_cells_drawn_again_are_a_warning_with_the_composed_epsilon() -> None:
    said = findings(noisy("R-0003", RELEASE), noisy("R-0001", RELEASE, "0.5"), noisy("R-0002", RELEASE, "2"))
    again = said["differencing.again"]
    assert again.status is Status.WARN
    assert again.values["composed_epsilon"] == 4
    assert again.values["same_cells"] == 4
    assert "R-0001, R-0002" in again.sentence
    assert "averaging" in again.sentence
    assert "ε = 4 (edge" in again.sentence


def test_that_claims_under_different_definitions_are_read_under_each_of_them() -> None:
    """Laplace ε 1.5 and a weak claim of 2: one worker is protected by 3.5, sizes of employers by nothing."""
    said = findings(noisy("R-0002", RELEASE), noisy("R-0001", RELEASE, "2", Definition.WEAK))["differencing.again"]
    assert said.values["composed_epsilon"] == Decimal("3.5")
    assert "ε = 3.5 (edge differential privacy); no bound (weak" in said.sentence


def test_that_tables_of_other_data_are_left_out() -> None:
    import dataclasses

    other = dataclasses.replace(noisy("R-0001", RELEASE), population="other data")
    assert set(findings(noisy("R-0002", RELEASE), other)) == {"differencing"}


def test_that_cells_published_without_noise_elsewhere_are_named() -> None:
    said = findings(noisy("R-0002", RELEASE), table("yearbook.csv", "place,sector,jobs\nB,mining,4"))
    public = said["differencing.already-public"]
    assert public.status is Status.WARN
    assert "yearbook.csv publishes 1 of the 4 cells" in public.sentence


def test_that_a_suppressed_cell_the_release_gives_away_fails_and_the_release_is_blamed() -> None:
    hidden = table("last year", "place,sex,jobs\nA,f,11\nA,m,x\nB,f,8\nB,m,x")
    release = table("R-0002", "place,jobs\nA,14\nB,17")
    said = findings(release, hidden)["differencing"]
    assert said.status is Status.FAIL
    assert said.values["derived_exactly"] == 2
    assert said.values["derivable_without_this_release"] == 0
    assert "All of them only once this release is published." in said.sentence
    assert ("A · m", "last year", 3.0, "+ A (R-0002) − A · f (last year)") in said.tables[0].rows


def test_that_what_others_give_away_is_not_blamed_on_the_release() -> None:
    leaking = table("last year", "place,sex,jobs\nA,f,11\nA,m,x\nA,total,14")
    for release in (noisy("R-0002", RELEASE), table("R-0002", "sector,jobs\nmining,60\nretail,40")):
        said = findings(release, leaking)["differencing"]
        assert said.status is Status.FAIL
        assert said.values["derivable_without_this_release"] == 1
        assert "give it away by themselves" in said.sentence


def test_that_bounds_close_to_the_value_are_a_warning() -> None:
    close = table("t", "r,c,n\na,1,x\na,2,x\na,total,2\nb,1,x\nb,2,x\nb,total,90\ntotal,1,41\ntotal,2,51")
    said = findings(noisy("R-0002", RELEASE), close)
    assert said["differencing"].status is Status.PASS
    assert said["differencing.bounds"].status is Status.WARN
    assert said["differencing.bounds"].values["smallest_half_width"] == 1


def test_that_a_complement_is_a_failure_only_where_it_is_small() -> None:
    whole = table("all", "place,jobs\nA,500\nB,300")
    for private, status in ((493, Status.FAIL), (440, Status.PASS), (500, Status.PASS)):
        subset = table("R-0002", f"place,owner,jobs\nA,private,{private}\nB,private,200")
        assert findings(subset, whole)["differencing"].status is status


def test_that_a_large_complement_of_one_establishment_is_small_all_the_same() -> None:
    whole = table("all", "place,jobs\nA,500\nB,300")
    subset = table("R-0002", "place,owner,jobs\nA,private,400\nB,private,200")

    def known(group: Group) -> Confidential[int]:
        return Confidential(1 if ("place", "A") in group.codes else 12)

    said = findings(subset, whole, contributors=known)["differencing"]
    assert said.status is Status.FAIL
    assert said.values["small_groups_derived"] == 1
    assert said.tables[0].rows[0][0] == "A · every owner other than private"


def test_that_establishments_of_a_group_are_counted_as_one_would_by_hand() -> None:
    rows = hand_made.establishments()
    count = establishments_in(hand_made.cells(rows), (Hierarchy(dimension="place", parents={"hamlet": "rural"}),))

    def expected(places: set[int], sectors: set[int]) -> int:
        return sum(place in places and sector in sectors for _, place, sector, _ in rows)

    def counted(group: Group) -> int:
        made = count(group)
        assert made is not None
        return made.reveal()

    assert counted(Group(codes=(("place", "town"), ("sector", "22")))) == expected({2}, {1})
    assert counted(Group(codes=(("place", "town"),), other_than=("sector", ("22",)))) == expected({2}, {0, 2})
    assert counted(Group(codes=(("place", "rural"),))) == expected({0}, {0, 1, 2})
    assert counted(Group(codes=())) == len(rows)
    assert count(Group(codes=(("ownership", "private"),))) is None


def test_that_cancelling_answers() -> None:
    class Stop:
        def step(self, fraction: float, sentence: str) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        difference(noisy("R", RELEASE), [table("t", RELEASE)], context=Stop())


def test_that_suppression_by_threshold_alone_leaves_a_small_count_to_be_subtracted(shared_data: Path) -> None:
    """ACRO's charities: counts by year and type of grant, cells below 10 suppressed, totals of all kept."""
    with (shared_data / "acro_charities" / "test_data.csv").open(encoding="utf-8", newline="") as file:
        pairs = [(row["year"], row["grant_type"]) for row in csv.DictReader(file) if row["grant_type"]]
    counts = Counter(pairs) + Counter((year, "Total") for year, _ in pairs)
    counts += Counter(("Total", kind) for _, kind in pairs) + Counter({("Total", "Total"): len(pairs)})
    cells = list(counts)
    hidden = np.array([counts[cell] < 10 for cell in cells])
    crosstab = PublishedTable(
        name="crosstab", columns=("year", "grant_type"), keys=tuple(zip(*cells, strict=True)), value_name="charities",
        values=np.array([counts[cell] for cell in cells]), suppressed=hidden, protection=Protection.EXACT,
    )  # fmt: skip
    said = findings(crosstab)["differencing"]
    assert said.status is Status.FAIL
    for cell, _, value, _ in said.tables[0].rows:
        year, _, kind = str(cell).partition(" · ")
        assert counts[year, kind] == value
