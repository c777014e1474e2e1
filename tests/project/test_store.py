"""What goes into a project file comes out again, and what the rules forbid does not go in."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from tests.project.samples import PLAN, claim, data, draft, finding, measured, ready, run_of, table
from tests.published import same
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Refused, UserProblem
from workbench.core.published import Published, Units
from workbench.core.states import ReleaseState
from workbench.project.history.verify import verify
from workbench.project.records import RunRecord
from workbench.project.store import Project, create, open_project
from workbench.project.tables import column_bytes


def test_that_everything_saved_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "review.dwb"
    with create(path, person="Ann") as project:
        release_id = ready(project)
        saved = (project.releases(), project.runs(release_id), project.datasets())
    with open_project(path) as again:
        assert (again.releases(), again.runs(release_id), again.datasets()) == saved
        run = again.latest_run(release_id)
        assert run is not None
        assert run == replace(run_of(1), id=1, release_id="R-0001", number=1, run_by="Ann",
                              plan_digest=again.release(release_id).plan_digest, run_at=run.run_at,
                              specs=run.specs)  # fmt: skip
        assert run.specs[0].params == {"epsilon": 0.1, "on": ["a"]}


def test_that_several_columns_with_decimals_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "review.dwb"
    with create(path, person="Ann") as project:
        ready(project, drawn=measured())
    with open_project(path) as again:
        found = again.published(1)
    assert found is not None
    assert same(found, measured())
    assert found.column("mean pay").texts() == ["1250.50", "", "-0.05"]
    assert verify(path).ok


def test_that_the_signed_digest_knows_the_units_of_the_values(project: Project) -> None:
    """The same integers as euros and as cents are two releases."""
    column = Units(name="pay", integers=np.array([125]), gaps=True)
    columns = (replace(column, gaps=False), column, replace(column, decimals=2), replace(column, unit="€"))
    tables = [Published(columns=(each,)) for each in columns]
    for table_of in tables:
        ready(project, drawn=table_of)
    rows = project._session.rows("SELECT digest FROM published")
    assert len({row["digest"] for row in rows}) == len(tables)


def test_that_findings_come_back_as_they_were(project: Project) -> None:
    release_id = ready(project)
    run = project.latest_run(release_id)
    assert run is not None
    (restored,) = project.findings(run.id)
    original = finding()
    assert replace(restored, figures=()) == replace(original, figures=())
    assert restored.figures[0].series[0].x == original.figures[0].series[0].x
    assert restored.figures[0].title == "Loss"


def test_that_a_table_beside_the_published_one_comes_back_and_counts_in_what_is_signed(project: Project) -> None:
    both = replace(table(), beside=measured())
    first, second = (ready(project, drawn=drawn) for drawn in (both, table()))
    runs = [project.latest_run(release_id) for release_id in (first, second)]
    assert runs[0] is not None and runs[1] is not None
    restored = project.published(runs[0].id)
    assert restored is not None
    assert same(restored, table())
    assert restored.published_beside is not None
    assert same(restored.published_beside, measured())
    digests = [row["digest"] for row in project._session.rows("SELECT digest FROM published ORDER BY run")]
    assert len(set(digests)) == 2
    alone = project.published(runs[1].id)
    assert alone is not None and alone.published_beside is None


def test_that_published_values_come_back_exactly(project: Project) -> None:
    run = project.latest_run(ready(project))
    assert run is not None
    restored, original = project.published(run.id), table()
    assert restored is not None
    assert same(restored, original)


def test_that_a_run_may_publish_nothing(project: Project) -> None:
    release = draft(project)
    run = project.add_run(release.id, run_of(project.save_dataset(data())))
    assert project.published(run.id) is None
    assert project.findings(run.id) == ()
    assert project.run(run.id) == run


def test_that_reading_other_columns_of_the_same_file_opens_no_fresh_budget(project: Project) -> None:
    first = project.save_dataset(data())
    assert project.save_dataset(data(content="c" * 64)) == first
    renamed = project.save_dataset(data(name="copy.csv", file="e" * 64))
    assert project.save_dataset(data(name="copy.csv", file="e" * 64, content="b" * 64)) == renamed == first


def test_that_the_same_content_is_the_same_data_set_whatever_its_file_is_called(project: Project) -> None:
    first = project.save_dataset(data())
    again = project.save_dataset(data())
    renamed = project.save_dataset(data(name="jobs (copy).parquet", file="e" * 64))
    other = project.save_dataset(data(content="d" * 64, file="9" * 64))
    assert first == again == renamed != other
    assert [alias.name for alias in project.dataset(first).aliases] == ["jobs (copy).parquet"]
    assert project.dataset("c" * 64).id == first
    assert project.dataset(first).columns == data().columns
    assert len([entry for entry in project.journal() if entry.action == "save dataset"]) == 2


def test_that_releases_are_numbered_for_people(project: Project) -> None:
    assert [draft(project).id for _ in range(3)] == ["R-0001", "R-0002", "R-0003"]
    record = project.release("R-0002")
    assert record.context == {"requester": "Zoë", "purpose": "yearly table", "authority": "statute 7"}
    assert (record.state, record.draws, record.stale, record.revision) == (ReleaseState.DRAFT, 0, False, 1)


def test_that_an_unknown_release_names_the_nearest(project: Project) -> None:
    draft(project)
    with pytest.raises(UserProblem, match=r"Did you mean R-0001\?"):
        project.release("r-0010")
    with pytest.raises(UserProblem, match=r"holds 1 release\."):
        project.release("nonsense")


def test_that_a_release_without_title_and_preparer_names_both(project: Project) -> None:
    with pytest.raises(UserProblem) as caught:
        project.save_release(title=" ", product="p", plan_text="", preparer="")
    assert len(caught.value.problems) == 2
    with pytest.raises(UserProblem, match="at least one reviewer"):
        draft(project, reviewers_needed=0)


def test_that_every_draw_is_counted(project: Project) -> None:
    release_id = ready(project)
    for _ in range(2):
        project.add_run(release_id, run_of(1))
    project.update_release_plan(release_id, PLAN + "# other\n")
    project.add_run(release_id, run_of(1))
    assert project.release(release_id).draws == 4
    assert [run.number for run in project.runs(release_id)] == [1, 2, 3, 4]


def test_that_a_run_of_an_earlier_plan_is_stale(project: Project) -> None:
    release_id = ready(project)
    assert not project.release(release_id).stale
    revised = project.update_release_plan(release_id, PLAN + "# other\n", title="Jobs", actor="Paula")
    assert revised.stale
    assert (revised.revision, revised.title) == (2, "Jobs")
    project.add_run(release_id, run_of(1))
    assert not project.release(release_id).stale


def test_that_other_line_ends_are_the_same_plan(project: Project) -> None:
    release_id = ready(project)
    revised = project.update_release_plan(release_id, PLAN.replace("\n", "\r\n"))
    assert not revised.stale


def test_that_saving_an_unchanged_plan_writes_nothing(project: Project) -> None:
    release_id = ready(project)
    before = project.journal()
    project.update_release_plan(release_id, PLAN, title="Jobs by place")
    assert project.journal() == before


def test_that_new_context_is_kept_without_a_new_plan(project: Project) -> None:
    release_id = ready(project)
    changed = project.update_release_plan(release_id, PLAN, context={"purpose": "monthly"})
    assert (changed.context, changed.revision) == ({"purpose": "monthly"}, 1)


def test_that_a_withdrawn_release_stays_in_the_file_and_is_closed(project: Project) -> None:
    release_id = ready(project)
    assert project.withdraw(release_id, actor="Paula", reason="not needed").state is ReleaseState.WITHDRAWN
    assert [release.id for release in project.releases()] == [release_id]
    for attempt in (
        lambda: project.update_release_plan(release_id, "x"),
        lambda: project.add_run(release_id, run_of(1)),
        lambda: project.withdraw(release_id),
        lambda: project.decide(release_id, decision="approve", reviewer="Rita"),
    ):
        with pytest.raises(Refused, match="withdrawn"):
            attempt()


def test_that_a_run_needs_a_known_data_set(project: Project) -> None:
    release = draft(project)
    with pytest.raises(UserProblem, match="no such data set"):
        project.add_run(release.id, RunRecord(dataset_id=7))
    with pytest.raises(UserProblem, match="no such run"):
        project.run(3)


def test_that_a_confidential_value_cannot_get_in_and_leaves_no_trace(project: Project) -> None:
    release = draft(project)
    key = project.save_dataset(data())
    before = project.journal()
    leaking = replace(finding(), values={"count": Confidential(17)})  # type: ignore[dict-item]
    with pytest.raises(Defect):
        project.add_run(release.id, run_of(key), findings=(finding(), leaking))
    assert project.journal() == before
    assert project.runs(release.id) == ()


def test_that_more_keys_than_a_file_may_hold_are_refused_before_anything_is_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, key = draft(project), project.save_dataset(data())
    before = project.journal()
    for most in ("MOST_TEXT", "MOST_BODY"):
        with monkeypatch.context() as patched:
            patched.setattr(column_bytes, most, 40)
            with pytest.raises(UserProblem, match="more than a project file holds"):
                project.add_run(release.id, run_of(key), published=table())
    assert project.journal() == before
    assert project.runs(release.id) == ()


def test_that_the_cap_is_kept_journalled_and_can_be_lifted(project: Project) -> None:
    key = project.save_dataset(data())
    assert project.cap(key) is None
    project.set_cap(key, Decimal("2.50"), actor="Head of unit", reason="policy 3")
    assert project.cap(key) == Decimal("2.5")
    assert project.dataset(key).cap == Decimal("2.5")
    project.set_cap(key, None)
    assert project.cap(key) is None
    assert [entry.actor for entry in project.journal() if entry.action == "set cap"] == ["Head of unit", "Ann"]


@pytest.mark.parametrize("cap", ["0", "-1", "Infinity", "NaN"])
def test_that_a_cap_must_be_a_number_above_zero(project: Project, cap: str) -> None:
    key = project.save_dataset(data())
    with pytest.raises(UserProblem, match="above 0"):
        project.set_cap(key, Decimal(cap))


def test_that_file_names_with_stray_bytes_are_kept_readably(project: Project) -> None:
    key = project.save_dataset(data(name="jobs\udcff.csv"))
    assert project.dataset(key).name == "jobs\\udcff.csv"
    assert verify(project.path).ok


def test_that_several_threads_may_use_one_project(project: Project) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                ready(project)
                project.releases()
        except BaseException as error:  # noqa: BLE001 - a thread must hand its failure over
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len({release.id for release in project.releases()}) == 20
    assert len(project.datasets()) == 1
    assert verify(project.path).ok


def test_that_a_closed_project_says_so(project: Project) -> None:
    project.close()
    project.close()
    with pytest.raises(Defect, match="closed"):
        project.releases()


def test_that_the_ledger_starts_empty(project: Project) -> None:
    assert project.ledger() == ()
    assert project.ledger(project.save_dataset(data())) == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE decision SET comment = 'x'",
        "DELETE FROM decision",
        "INSERT OR REPLACE INTO decision SELECT * FROM decision",
        "UPDATE ledger SET epsilon = '0'",
        "DELETE FROM ledger",
        "UPDATE journal SET actor = 'x'",
        "DELETE FROM journal",
        "INSERT OR REPLACE INTO journal SELECT * FROM journal LIMIT 1",
        "UPDATE finding SET status = 'pass'",
        "DELETE FROM finding",
        "UPDATE published SET length = 0",
        "DELETE FROM published",
        "UPDATE published_column SET body = x'00'",
        "DELETE FROM published_column",
        "INSERT OR REPLACE INTO published_column SELECT * FROM published_column LIMIT 1",
        "DELETE FROM vote",
        "DELETE FROM plan",
        "UPDATE run SET run_by = 'x'",
        "DELETE FROM release",
        "UPDATE release SET preparer = 'x'",
        "DELETE FROM head",
        "UPDATE cap SET epsilon = '99'",
        "DELETE FROM dataset",
    ],
)
def test_that_the_file_itself_refuses_to_change_or_erase(copy: Path, statement: str) -> None:
    connection = sqlite3.connect(copy)  # any program that opens the file, with SQLite's own settings
    try:
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            connection.execute(statement)
    finally:
        connection.close()


def test_that_opening_and_reading_import_neither_sqlite_utils_nor_numpy(copy: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from workbench.project.store import open_project\n"
        "with open_project(Path(sys.argv[1])) as p: p.releases(); p.decisions('R-0001'); p.findings(1); p.ledger()\n"
        "print(sorted({'sqlite_utils', 'numpy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(copy)], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "[]"


def test_that_exact_decimals_survive_claim_and_ledger(project: Project) -> None:
    exact = "0.1234567890123456789012345678901"
    release_id = ready(project, claim(exact, delta="1E-30"))
    project.decide(release_id, decision="approve", reviewer="Rita")
    run = project.latest_run(release_id)
    assert run is not None
    assert run.claim is not None
    assert run.claim.epsilon == Decimal(exact)
    (entry,) = project.ledger()
    assert (entry.epsilon, entry.delta) == (Decimal(exact), Decimal("1E-30"))


def test_that_no_microdata_row_can_be_described(project: Project) -> None:
    """The only things of a data set the file holds: fingerprints, names, sizes, and per column name, kind, role."""
    columns = project._session.rows("SELECT name FROM pragma_table_info('dataset')")
    assert {row["name"] for row in columns} == {
        "id", "content", "file", "name", "records", "establishments", "schema", "saved_at"}  # fmt: skip
    project.save_dataset(data())
    (row,) = project._session.rows("SELECT schema FROM dataset")
    assert row["schema"] == (
        '[{"distinct":20,"kind":"codes","missing":3,"name":"sector","role":"workplace attribute","title":""}]'
    )


def test_that_reading_works_while_another_reads(copy: Path) -> None:
    with open_project(copy, read_only=True) as one, open_project(copy, read_only=True) as two:
        assert one.releases() == two.releases()


def test_that_an_export_is_remembered_in_the_journal(project: Project) -> None:
    release_id = ready(project)
    project.record_export(release_id, {"public.html": "a" * 64}, actor="Rita")
    (export,) = project.exports(release_id)
    assert (export.actor, export.files) == ("Rita", {"public.html": "a" * 64})
    assert verify(project.path).ok
