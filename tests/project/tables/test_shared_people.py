"""Data sets that share most of their people have one ledger, one cap and one draw count, unless a person parts them."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tests.project.samples import claim, data, draft, ready, run_of
from tests.project.signers import signer
from workbench.core.errors import Refused, UserProblem
from workbench.core.unit_sketch import UnitSketch
from workbench.project.history.verify import verify
from workbench.project.records import ColumnRecord, DatasetRecord
from workbench.project.store import Project

TWO = (ColumnRecord(name="worker"), ColumnRecord(name="sector"))


def people(letter: str, first: int, last: int, *, mark: str = "key", unit: str = "worker") -> DatasetRecord:
    """A data set of the persons numbered first … last − 1."""
    hashes = sorted(
        int.from_bytes(hashlib.blake2b(str(each).encode(), digest_size=8).digest(), "little")
        for each in range(first, last)
    )
    sketch = UnitSketch(unit=unit, key_mark=mark, hashes=struct.pack(f"<{len(hashes)}Q", *hashes))
    made = data(name=f"{letter}.csv", content=letter * 64, file=letter * 64)
    return replace(made, columns=(ColumnRecord(name=letter),), rows=last - first, sketches=(sketch,))


def spend(project: Project, epsilon: str, dataset: DatasetRecord) -> str:
    release = ready(project, claim(epsilon), dataset=dataset)
    project.decide(release, decision="approve", reviewer="Rita")
    return release


def test_that_a_file_with_one_row_less_has_no_fresh_budget(project: Project) -> None:
    first = people("a", 0, 1000)
    spend(project, "8", first)
    project.set_cap(1, Decimal(10))
    less = ready(project, claim("3"), dataset=people("b", 0, 999))
    with pytest.raises(Refused, match="exceed the cap of 10 by 1"):
        project.decide(less, decision="approve", reviewer="Rita")
    assert project.cap(2) == 10, "one budget"
    assert len(project.ledger(2)) == 1
    (shared,) = project.sharing(2)
    assert (shared.other, shared.basis, shared.share) == (1, "worker", 1.0)


@pytest.mark.parametrize(("last", "together"), [(1500, True), (1501, False)])
def test_that_half_of_the_smaller_data_set_is_the_border(project: Project, last: int, together: bool) -> None:
    spend(project, "1", people("a", 0, 1000))
    project.save_dataset(people("b", last - 1000, last))
    assert (len(project.ledger(2)) == 1) is together


def test_that_data_without_comparable_identifiers_are_compared_by_columns_and_size(project: Project) -> None:
    bare = replace(data(), columns=TWO)
    spend(project, "1", bare)
    near = project.save_dataset(replace(data(content="d" * 64, file="d" * 64), columns=TWO, rows=19_500))
    far = project.save_dataset(replace(data(content="e" * 64, file="e" * 64), columns=TWO, rows=10_000))
    other = project.save_dataset(replace(data(content="9" * 64, file="9" * 64), columns=(*TWO, ColumnRecord(name="x"))))
    assert [len(project.ledger(each)) for each in (near, far, other)] == [1, 0, 0]
    assert project.sharing(near)[0].share is None


def test_that_identifiers_decide_where_columns_would_say_the_same(project: Project) -> None:
    """Another year's survey looks alike and holds other people."""
    spend(project, "1", replace(people("a", 0, 1000), columns=TWO))
    project.save_dataset(replace(people("b", 5000, 6000), columns=TWO))
    assert project.ledger(2) == ()
    project.save_dataset(replace(people("c", 5000, 6000, mark="another key"), columns=TWO))
    assert len(project.ledger(3)) == 1, "under another key nobody can tell, so columns count"


def test_that_an_earlier_data_set_gets_its_sketch_when_it_is_met_again(project: Project) -> None:
    known = people("a", 0, 1000)
    spend(project, "1", replace(known, sketches=()))
    project.save_dataset(people("b", 0, 1000))
    assert project.ledger(2) == ()
    project.save_dataset(known)
    assert len(project.ledger(2)) == 1


def test_that_draws_of_the_same_people_are_counted_together(project: Project) -> None:
    ready(project, dataset=people("a", 0, 1000))
    other = ready(project, dataset=people("b", 0, 999))
    run = project.latest_run(other)
    assert run is not None
    assert project.drawn_elsewhere(run) == 1


def test_that_a_named_person_can_separate_two_data_sets_with_a_reason(project: Project, tmp_path: Path) -> None:
    spend(project, "8", people("a", 0, 1000))
    project.set_cap(1, Decimal(10))
    second = ready(project, claim("3"), dataset=people("b", 0, 999))
    for actor, reason in (("", "other people"), ("Rita", " ")):
        with pytest.raises(UserProblem):
            project.separate(2, 1, actor=actor, reason=reason)
    with pytest.raises(Refused, match="had a hand in R-0002"):
        project.separate(2, 1, actor="Paula", reason="I need the budget")
    project.sign_as(signer("Rita"))
    project.separate(2, 1, actor="Rita", reason="the same numbers were given out anew")
    (kept,) = project.sharing(2)
    assert kept.separation is not None and kept.separation.set_by == "Rita"
    assert project.cap(2) == 10, "no cap is lifted by it"
    assert project.ledger(2) == ()
    with pytest.raises(Refused, match="Rita changed the data that it shares a budget with after R-0002 was drawn"):
        project.decide(second, decision="approve", reviewer="Rita")
    project.decide(second, decision="approve", reviewer="Sam")
    assert [each.kind for each in project.signatures() if each.holds].count("separation") == 1
    assert project.journal()[-2].action == "separate data sets"
    path = project.path
    project.close()
    assert verify(path).ok


def test_that_data_sets_that_share_nobody_cannot_be_separated(project: Project) -> None:
    project.save_dataset(people("a", 0, 1000))
    project.save_dataset(people("b", 2000, 3000))
    with pytest.raises(UserProblem, match="do not share a budget"):
        project.separate(1, 2, actor="Rita", reason="to be sure")


def test_that_no_sketch_holds_an_identifier(project: Project) -> None:
    release = draft(project)
    project.add_run(release.id, run_of(project.save_dataset(people("a", 0, 1000))))
    path = project.path
    project.close()
    assert b"w999" not in path.read_bytes()
