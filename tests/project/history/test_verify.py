"""Any change to the file that is not an action of the program is found and named."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.project.samples import data, draft, ready
from workbench.core.errors import UserProblem
from workbench.project.file import action
from workbench.project.history.journal import entry_hash, row_digest
from workbench.project.history.verify import verify
from workbench.project.store import Project, create, open_project


@contextmanager
def tampering(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for somebody who knows SQLite: triggers are dropped first and put back afterwards."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)
        connection.execute("COMMIT")
    finally:
        connection.close()


def problems(path: Path) -> tuple[str, ...]:
    result = verify(path)
    assert result.ok == (not result.problems)
    return result.problems


def entry_of(path: Path, action: str) -> int:
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT seq FROM journal WHERE action = ?", (action,)).fetchone()
    connection.close()
    return int(found[0])


def test_that_an_untouched_file_verifies(copy: Path) -> None:
    before = copy.read_bytes()
    result = verify(copy)
    assert (result.ok, result.problems, result.warnings) == (True, (), ())
    with open_project(copy) as project:
        journal = project.journal()
    assert (result.entries, result.head) == (len(journal), journal[-1].hash)
    assert copy.read_bytes() == before


def test_that_an_open_project_can_be_verified(project: Project) -> None:
    ready(project)
    assert verify(project.path).ok


def test_that_a_missing_file_is_a_user_problem(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="no such project file"):
        verify(tmp_path / "no.dwb")


def test_that_a_changed_decision_is_named_with_its_entry(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("UPDATE decision SET comment = 'approved without care' WHERE id = 1")
    assert problems(copy) == (f"decision 1 of R-0001 (journal entry {entry_of(copy, 'decide')}) was changed",)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE ledger SET epsilon = '0.2'", "the ledger entry of R-0001"),
        ("UPDATE release SET state = 'approved' WHERE id = 2", "release R-0002"),
        ("UPDATE release SET reviewers_needed = 0 WHERE id = 1", "release R-0001"),
        ("UPDATE run SET claim = '' WHERE id = 2", "run 1 of R-0002"),
        ("UPDATE finding SET status = 'fail' WHERE id = 1", "finding 1 of run 1 of R-0001"),
        ("UPDATE published SET length = length + 1 WHERE run = 1", "the published values of run 1 of R-0001"),
        ("UPDATE published SET numbers = x'00' WHERE run = 1", "the published values of run 1 of R-0001"),
        ("UPDATE plan SET text = text || ' ' WHERE id = 1", "plan 1 of R-0001"),
        ("UPDATE vote SET vote = 'reject'", "a vote on R-0001"),
        ("UPDATE dataset SET records = records + 1", "data set cccccccccccc"),
        ("UPDATE run SET units = NULL WHERE id = 1", "run 1 of R-0001"),
        ("UPDATE cap SET epsilon = '100'", "the cap of data set cccccccccccc"),
        ("UPDATE meta SET project = 'other'", "the project"),
    ],
)
def test_that_every_kind_of_row_is_covered(copy: Path, change: str, named: str) -> None:
    with tampering(copy) as connection:
        connection.execute(change)
    (problem,) = problems(copy)
    assert problem.startswith(f"{named} (journal entry ")
    assert problem.endswith("was changed")


def test_that_a_changed_column_of_values_is_named_with_the_values_it_belongs_to(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("UPDATE published_column SET body = zeroblob(length(body)) WHERE id = 1")
    entry = entry_of(copy, "add run")
    assert problems(copy) == (
        f"the published values of run 1 of R-0001 (journal entry {entry}) was changed",
        f"column 1 of the published values of run 1 of R-0001 (journal entry {entry}) was changed",
    )


def test_that_removed_and_inserted_rows_are_named(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("DELETE FROM ledger")
        connection.execute("INSERT INTO cap SELECT id + 1, dataset, '99', reason, set_by, set_at FROM cap")
    assert problems(copy) == (
        f"the ledger entry of R-0001 (journal entry {entry_of(copy, 'decide')}) was removed",
        "a row of “cap” (number 2) is in no journal entry: it was put in",
    )


def test_that_a_removed_row_stays_missed_when_its_number_is_used_again(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("DELETE FROM decision WHERE id = 2")
    with open_project(copy) as project:
        row = project._session.row("SELECT * FROM decision WHERE id = 1") or {}
        with project._session.act("decide", subject="R-0002") as act:  # by a program that does not look first
            assert act.insert("decision", {**row, "id": 2}, "decision 1 of R-0002") == 2
    (problem,) = problems(copy)
    assert problem.startswith("decision 1 of R-0002 (journal entry ")
    assert problem.endswith("was removed and its number given away")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DROP TRIGGER decision_no_update", "the trigger “decision_no_update” was removed"),
        ("CREATE TABLE extra (id INTEGER PRIMARY KEY)", "the table “extra” was added"),
        ("CREATE VIEW seen AS SELECT * FROM ledger", "the view “seen” was added"),
        ("ALTER TABLE decision ADD COLUMN mood TEXT", "the table “decision” was changed"),
        ("DROP TABLE vote", "the table “vote” was removed"),
    ],
)
def test_that_a_changed_schema_is_named(copy: Path, change: str, said: str) -> None:
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.execute(change)
    connection.close()
    assert said in problems(copy)


def test_that_a_trigger_with_another_meaning_is_noticed(copy: Path) -> None:
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.execute("DROP TRIGGER ledger_no_delete")
    connection.execute("CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN SELECT 1; END")
    connection.close()
    assert problems(copy) == ("the trigger “ledger_no_delete” was changed",)


def test_that_a_cut_off_tail_is_noticed_even_when_its_rows_are_gone_too(copy: Path) -> None:
    last = verify(copy).entries
    with tampering(copy) as connection:
        connection.execute("DELETE FROM journal WHERE seq = ?", (last,))
        connection.execute("DELETE FROM decision WHERE id = 2")
        connection.execute("UPDATE release SET state = 'draft' WHERE id = 2")
    assert f"journal entry {last} is missing at the journal's end" in problems(copy)


def test_that_work_after_a_cut_leaves_the_gap_visible(copy: Path) -> None:
    last = verify(copy).entries
    with tampering(copy) as connection:
        connection.execute("DELETE FROM journal WHERE seq >= ?", (last - 1,))
    with open_project(copy) as project:
        draft(project)
    assert f"journal entries {last - 1} to {last} are missing from the journal" in problems(copy)


def test_that_an_entry_removed_from_the_middle_is_named(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("DELETE FROM journal WHERE seq = 3")
    assert "journal entry 3 is missing from the journal" in problems(copy)


def test_that_a_rehashed_entry_breaks_the_next(copy: Path) -> None:
    with tampering(copy) as connection:
        _rewrite(connection, 4, actor="Somebody else")
    assert problems(copy) == ("journal entry 5 does not follow entry 4: one of them was put in or moved",)


def test_that_swapped_entries_are_noticed(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("UPDATE journal SET seq = -1 WHERE seq = 4")
        connection.execute("UPDATE journal SET seq = 4 WHERE seq = 5")
        connection.execute("UPDATE journal SET seq = 5 WHERE seq = -1")
    found = problems(copy)
    assert "journal entry 4 was changed" in found
    assert "journal entry 5 was changed" in found


def test_that_an_entry_put_in_is_noticed(copy: Path) -> None:
    with tampering(copy) as connection:
        last = connection.execute("SELECT max(seq) FROM journal").fetchone()[0]
        connection.execute("INSERT INTO journal SELECT seq + 1, at, actor, action, subject, payload, hash, hash "
                           "FROM journal WHERE seq = ?", (last,))  # fmt: skip
        _rewrite(connection, last + 1, payload='{"note":{},"rows":[]}')
    assert problems(copy) == ("the journal does not end where its head says",)


def test_that_an_unreadable_journal_is_said_and_not_a_crash(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("UPDATE journal SET payload = 'not json' WHERE seq = 5")
        connection.execute("UPDATE journal SET payload = '{\"rows\": 3}' WHERE seq = 6")
        connection.execute("UPDATE journal SET actor = CAST(x'ff41' AS TEXT) WHERE seq = 7")
    found = problems(copy)
    for entry in (5, 6, 7):
        assert f"journal entry {entry} was changed" in found


def test_that_a_removed_head_is_noticed(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("DELETE FROM head")
    assert "the journal's head was removed or doubled" in problems(copy)


def test_that_a_clock_set_back_is_a_warning_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.dwb"
    with create(path) as project:
        draft(project)
        monkeypatch.setattr(action, "utc_now", lambda: "2001-01-01T00:00:00.000000Z")
        project.note_clock(reason="the battery is flat")
    result = verify(path)
    assert result.ok
    assert result.warnings == ("the clock was set back before journal entry 3",)


def test_that_a_forged_but_complete_history_is_beyond_what_verify_can_show(copy: Path) -> None:
    """The honest limit: rows, chain and head rewritten together look fine; the head kept elsewhere does not match."""
    before = verify(copy).head
    with tampering(copy) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("UPDATE decision SET comment = 'forged' WHERE id = 1")
        forged = row_digest("decision", dict(connection.execute("SELECT * FROM decision WHERE id = 1").fetchone()))
        old = connection.execute("SELECT payload FROM journal WHERE action = 'decide' ORDER BY seq").fetchone()[0]
        sealed = old.split('["decision",1,"')[1][:64]
        previous = "0" * 64
        for row in connection.execute("SELECT * FROM journal ORDER BY seq").fetchall():
            entry = {**dict(row), "previous": previous, "payload": row["payload"].replace(sealed, forged)}
            previous = entry_hash(entry)
            connection.execute("UPDATE journal SET payload = ?, previous = ?, hash = ? WHERE seq = ?",
                               (entry["payload"], entry["previous"], previous, row["seq"]))  # fmt: skip
        connection.execute("UPDATE head SET hash = ?", (previous,))
    result = verify(copy)
    assert result.ok
    assert result.head != before


def _rewrite(connection: sqlite3.Connection, seq: int, **changes: Any) -> None:
    cursor = connection.execute("SELECT * FROM journal WHERE seq = ?", (seq,))
    names = [column[0] for column in cursor.description]
    row = {**dict(zip(names, cursor.fetchone(), strict=True)), **changes}
    row["hash"] = entry_hash(row)
    assignments = ", ".join(f"{name} = :{name}" for name in names)
    connection.execute(f"UPDATE journal SET {assignments} WHERE seq = :seq", row)


columns = st.sampled_from(["at", "actor", "action", "subject", "payload", "previous", "hash"])


@given(seed=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_no_tampering_with_the_chain_goes_unseen(seed: st.DataObject, finished: bytes, tmp_path: Path) -> None:
    path = tmp_path / "chain.dwb"
    path.write_bytes(finished)
    with tampering(path) as connection:
        entries = connection.execute("SELECT count(*) FROM journal").fetchone()[0]
        seq = seed.draw(st.integers(1, entries))
        match seed.draw(st.sampled_from(["edit", "edit and rehash", "remove", "shift", "copy over"])):
            case "edit":
                column, text = seed.draw(columns), seed.draw(st.text(max_size=5))
                connection.execute(f"UPDATE journal SET {column} = {column} || ? || '.' WHERE seq = ?", (text, seq))
            case "edit and rehash":
                _rewrite(connection, seq, **{seed.draw(columns.filter(lambda name: name != "hash")): "x"})
            case "remove":
                connection.execute("DELETE FROM journal WHERE seq = ?", (seq,))
            case "shift":
                connection.execute("UPDATE journal SET seq = seq + ? WHERE seq = ?", (entries + 3, seq))
            case "copy over":
                other = seed.draw(st.integers(1, entries).filter(lambda number: number != seq))
                connection.execute("DELETE FROM journal WHERE seq = ?", (seq,))
                connection.execute("INSERT INTO journal SELECT ?, at, actor, action, subject, payload, previous, hash "
                                   "FROM journal WHERE seq = ?", (seq, other))  # fmt: skip
    assert not verify(path).ok


@given(table=st.sampled_from(["decision", "ledger", "release", "run", "finding", "published", "vote", "plan", "cap"]),
       seed=st.data())  # fmt: skip
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_no_change_of_a_column_goes_unseen(
    table: str, seed: st.DataObject, finished: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "rows.dwb"
    path.write_bytes(finished)
    with tampering(path) as connection:
        info = connection.execute(f"SELECT name, type FROM pragma_table_info('{table}')").fetchall()
        name, kind = seed.draw(st.sampled_from(info))
        changed = f"coalesce({name}, 0) + 7" if kind == "INTEGER" else f"CAST(coalesce({name}, '') || '.' AS {kind})"
        connection.execute(f"UPDATE {table} SET {name} = {changed} WHERE id = 1")
    assert not verify(path).ok


def test_that_file_data_is_not_told_in_problems(copy: Path) -> None:
    with tampering(copy) as connection:
        connection.execute("UPDATE decision SET comment = 'secret words'")
        connection.execute("UPDATE release SET title = 'secret words'")
    assert not any("secret" in problem for problem in problems(copy))
    assert data().name not in " ".join(problems(copy))
