"""The whole order of a review on the command line, and what is refused out of order."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.said import dwb, files_in, one_sentence
from tests.cli.small import PLAN
from workbench.cli.opening import opened
from workbench.review.plan.plan_text import from_text


def test_that_a_review_goes_from_run_to_verified_report(waiting: Path) -> None:
    decided = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben", "--json").json
    assert decided.keys() >= {"release_id", "state"}
    assert (decided["release_id"], decided["state"]) == ("R-0001", "approved")
    out = waiting.parent
    for audience in ("internal", "public"):
        for kind in ("html", "json"):
            file = out / f"{audience}.{kind}"
            said = dwb("report", waiting, "R-0001", "--audience", audience, "--format", kind, "-o", file, "--json")
            assert said.code == 0, said.err
            assert (said.json["audience"], said.json["format"], said.json["file"]) == (audience, kind, file.as_posix())
            assert file.stat().st_size > 1000
    exported = dwb("export", waiting, "R-0001", "-o", out / "table.csv", "--json").json
    table = (out / "table.csv").read_bytes()
    assert exported["sha256"] == hashlib.sha256(table).hexdigest()
    public = json.loads((out / "public.json").read_text(encoding="utf-8"))
    assert exported["sha256"] in json.dumps(public), "the report names the very table that was released"
    assert table.decode("utf-8").splitlines()[0] == "place,sector,jobs,margin_of_error"
    assert len(table.decode("utf-8").splitlines()) == 1 + 6
    verified = dwb("verify", waiting, "--json")
    assert verified.code == 0
    assert verified.json["ok"] is True
    assert verified.json["problems"] == []
    assert "is as it was written" in dwb("verify", waiting).out


def test_that_the_report_as_pdf_can_be_read(approved: Path) -> None:
    import pypdf

    file = approved.parent / "public.pdf"
    assert dwb("report", approved, "R-0001", "--audience", "public", "--format", "pdf", "-o", file).code == 0
    text = "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(file.read_bytes())).pages)
    assert "R-0001" in text
    assert "Jobs by place and sector" in text


def test_that_the_released_table_is_the_same_whenever_it_is_exported(approved: Path) -> None:
    """Exporting draws nothing: the values are those that were reviewed."""
    one, two = approved.parent / "one.csv", approved.parent / "two.csv"
    assert dwb("export", approved, "R-0001", "-o", one).code == 0
    assert dwb("export", approved, "R-0001", "-o", two).code == 0
    assert one.read_bytes() == two.read_bytes()


def test_that_a_release_leaves_in_every_file_its_product_offers(approved: Path) -> None:
    folder = approved.parent / "files"
    said = dwb("export", approved, "R-0001", "-o", folder, "--json")
    assert said.code == 0, said.err
    assert [each["name"] for each in said.json["files"]] == [
        "table.csv", "code-book.csv", "table.parquet", "table.dta",
    ]  # fmt: skip
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["R-0001-code-book.csv", "R-0001-table.csv", "R-0001-table.dta", "R-0001-table.parquet"]
    for each in said.json["files"]:
        assert hashlib.sha256(Path(each["file"]).read_bytes()).hexdigest() == each["sha256"]


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (("-o", "x.csv"), b"place,sector,jobs"),
        (("-o", "x.dta"), b"<stata_dta>"),
        (("-o", "x.parquet"), b"PAR1"),
        (("-o", "x.txt"), b"place,sector,jobs"),
        (("-o", "x.csv", "--file", "code-book"), b"column,title"),
        (("-o", "x.bin", "--file", "table.parquet"), b"PAR1"),
    ],
)
def test_that_an_ending_or_a_name_chooses_the_file(approved: Path, words: tuple[str, ...], begins: bytes) -> None:
    target = approved.parent / words[1]
    assert dwb("export", approved, "R-0001", "-o", target, *words[2:]).code == 0
    assert target.read_bytes().startswith(begins)


def test_that_a_file_the_product_does_not_offer_is_named_with_those_it_does(approved: Path) -> None:
    said = dwb("export", approved, "R-0001", "-o", approved.parent / "x.sav", "--file", "spss")
    one_sentence(said, "no file “spss”", "csv, code-book, parquet, stata")


def test_that_nothing_public_leaves_before_an_approval(waiting: Path) -> None:
    file = waiting.parent / "public.html"
    before = waiting.read_bytes()
    for said in (
        dwb("report", waiting, "R-0001", "--audience", "public", "-o", file),
        dwb("report", waiting, "R-0001", "--audience", "public", "--format", "json", "-o", file, "--json"),
        dwb("export", waiting, "R-0001", "-o", file),
    ):
        assert said.code == 1
        assert "only after approval" in said.err
        assert not said.out
    assert not file.exists()
    assert waiting.read_bytes() == before
    assert dwb("report", waiting, "R-0001", "-o", file).code == 0, "the internal report is for deciding"


def test_that_a_rejected_release_stays_inside(waiting: Path) -> None:
    assert dwb("decide", waiting, "R-0001", "--reject", "--reviewer", "Ben", "--json").json["state"] == "rejected"
    said = dwb("export", waiting, "R-0001", "-o", waiting.parent / "t.csv")
    assert said.code == 1
    assert not (waiting.parent / "t.csv").exists()
    assert dwb("ledger", waiting, "--json").json["total_epsilon"] == 0


def test_that_whoever_prepared_it_cannot_approve_it(waiting: Path) -> None:
    for name in ("Ana", "ana", "  ANA "):
        said = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", name, "--json")
        assert said.code == 1
        assert "prepared R-0001 and cannot review it" in said.err
        assert not said.out
    assert dwb("releases", waiting, "--json").json[0]["state"] == "in review"


def test_that_an_approval_is_given_once_and_spent_once(approved: Path) -> None:
    said = dwb("decide", approved, "R-0001", "--approve", "--reviewer", "Cyn")
    assert said.code == 1
    assert said.problems == ["R-0001 is approved already."]
    assert len(dwb("ledger", approved, "--json").json["entries"]) == 1


def test_that_requesting_changes_needs_a_comment(waiting: Path) -> None:
    for comment in ((), ("--comment", "   ")):
        said = dwb("decide", waiting, "R-0001", "--request-changes", "--reviewer", "Ben", *comment)
        assert said.code == 1
        assert "needs a comment" in said.err
    said = dwb("decide", waiting, "R-0001", "--request-changes", "--reviewer", "Ben", "--comment", "Coarser sectors")
    assert said.code == 0
    assert "changes requested" in said.out


def test_that_an_empty_reviewer_is_nobody(waiting: Path) -> None:
    one_sentence(dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "   "), "reviewer", "Say who decides")


def test_that_a_new_draw_sends_the_release_back_to_review(waiting: Path) -> None:
    assert dwb("decide", waiting, "R-0001", "--reject", "--reviewer", "Ben").code == 0
    plan = waiting.parent / "plan.toml"
    plan.write_text(PLAN.replace("epsilon = 1.5", "epsilon = 0.5"), encoding="utf-8")
    assert dwb("run", plan, "--project", waiting, "--release", "R-0001", "--preparer", "Ana").code == 0
    assert dwb("releases", waiting, "--json").json[0]["state"] == "in review"
    assert dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben", "--json").json["state"] == "approved"
    assert dwb("ledger", waiting, "--json").json["total_epsilon"] == 0.5


def test_that_an_approved_release_takes_no_further_draw(approved: Path) -> None:
    before = approved.read_bytes()
    said = dwb("run", approved.parent / "plan.toml", "--project", approved, "--release", "R-0001")
    assert said.code == 1
    assert "R-0001 is approved and stays as it is" in said.err
    assert approved.read_bytes() == before


def test_that_approvals_stop_at_the_budget_and_say_so(approved: Path) -> None:
    """The budget is 4, one approval costs 1.5: the third is refused, and its sentence names the numbers."""
    plan = approved.parent / "plan.toml"
    for release in ("R-0002", "R-0003"):
        assert dwb("run", plan, "--project", approved, "--preparer", "Ana", "--json").json["release_id"] == release
    assert dwb("decide", approved, "R-0002", "--approve", "--reviewer", "Ben").code == 0
    said = dwb("decide", approved, "R-0003", "--approve", "--reviewer", "Ben")
    assert said.code == 1
    assert "exceed the cap of 4 by 0.5" in said.err
    assert dwb("ledger", approved, "--json").json["remaining_epsilon"] == 1


def test_that_the_public_comment_is_public_and_the_other_is_not(waiting: Path) -> None:
    dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Benedikta Roth", "--comment", "Inner doubts remain",
        "--public-comment", "Checked against the register")  # fmt: skip
    file = waiting.parent / "p.html"
    dwb("report", waiting, "R-0001", "--audience", "public", "-o", file)
    public = file.read_text(encoding="utf-8")
    assert "Checked against the register" in public
    assert "Inner doubts" not in public
    assert "Benedikta" not in public
    dwb("report", waiting, "R-0001", "-o", file)
    internal = file.read_text(encoding="utf-8")
    assert "Inner doubts remain" in internal
    assert "Benedikta Roth" in internal


@pytest.mark.parametrize("command", ["plan", "export", "report", "bundle"])
def test_that_nothing_is_written_over_data_or_under_the_names_that_a_project_keeps(
    approved: Path, command: str
) -> None:
    """A file or folder called like the database's own journal would keep the project from being opened."""
    data = approved.parent / "jobs.csv"
    before, words = (
        data.read_bytes(),
        (command, approved, "R-0001", *(("--format", "json") if command == "report" else ())),
    )
    one_sentence(dwb(*words, "-o", data), "data file of the review itself")
    assert data.read_bytes() == before
    for ending in ("-journal", "-wal", "-shm", ".lock", ".lock.json"):
        target = approved.with_name(approved.name + ending)
        left = target.read_bytes() if target.exists() else None
        one_sentence(dwb(*words, "-o", target), "keeps this name for itself")
        assert (target.read_bytes() if target.exists() else None) == left
    assert dwb("verify", approved).code == 0


def test_that_no_folder_takes_a_name_that_a_project_keeps(approved: Path) -> None:
    target = approved.with_name(f"{approved.name}-journal")
    one_sentence(dwb("sample", "employment_tables", "--out", target), "keeps this name for itself")
    one_sentence(dwb("init", approved.parent / "jobs.csv", "--out", target), "keeps this name for itself")
    assert not target.exists()


@pytest.mark.parametrize("command", [("report", "--format", "html"), ("export",)])
def test_that_a_report_never_replaces_the_project_or_the_data(command: tuple[str, ...], approved: Path) -> None:
    before = files_in(approved.parent)
    one_sentence(dwb(*command, approved, "R-0001", "-o", approved), "project file of the review itself")
    one_sentence(
        dwb(*command, approved, "R-0001", "-o", approved.parent / "jobs.csv"), "data file of the review itself"
    )
    if command[0] == "report":  # the files of a release may go into a folder, each under its own name
        one_sentence(dwb(*command, approved, "R-0001", "-o", approved.parent), "folder")
    one_sentence(dwb(*command, approved, "R-0001", "-o", approved.parent / "no" / "t.csv"), "folder does not exist")
    assert files_in(approved.parent) == before


def test_that_what_was_stored_in_a_new_project_outlives_an_interrupted_command(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), opened(tmp_path / "p.dwb", "Ana", create=True) as workspace:
        workspace.new_release(from_text(PLAN), "Ana")
        raise KeyboardInterrupt
    assert (tmp_path / "p.dwb").exists()
    with pytest.raises(KeyboardInterrupt), opened(tmp_path / "empty.dwb", "Ana", create=True):
        raise KeyboardInterrupt
    assert files_in(tmp_path) == {"p.dwb": (tmp_path / "p.dwb").read_bytes()}


@pytest.mark.parametrize("command", ["plan", "export", "report", "bundle"])
def test_that_nothing_is_ever_written_over_a_project(approved: Path, tmp_path: Path, command: str) -> None:
    """Its own, another one, or one under another name: votes, decisions and the ledger would be gone."""
    other, renamed = tmp_path / "other.dwb", tmp_path / "table.json"
    for copy in (other, renamed):
        shutil.copy(approved, copy)
    for target in (approved, other, renamed):
        before = target.read_bytes()
        said = dwb(command, approved, "R-0001", "-o", target)
        assert said.code == 2, said
        assert target.read_bytes()[:16] == before[:16]
        assert len(dwb("verify", target, "--accept", "--json").json["problems"]) == 0


def test_that_a_list_of_plans_can_be_run_again_and_each_is_drawn_once(waiting: Path) -> None:
    """State by state: a loop that stopped half-way is started again, and what was drawn stays drawn once."""
    home, plan = waiting.parent, PLAN
    (home / "first.toml").write_text(plan, encoding="utf-8")
    (home / "second.toml").write_text(plan.replace("epsilon = 1.5", "epsilon = 0.5"), encoding="utf-8")
    project = home / "states.dwb"
    first = dwb("run", home / "first.toml", "--project", project, "--once", "--json").json
    assert first["draws"] == 1
    for _ in range(2):
        again = dwb("run", home / "first.toml", "--project", project, "--once", "--json")
        assert again.code == 0
        assert again.json == {"release_id": first["release_id"], "drawn_before": True}
    assert "Nothing was drawn now." in dwb("run", home / "first.toml", "--project", project, "--once").out
    other = dwb("run", home / "second.toml", "--project", project, "--once", "--json").json
    assert other["release_id"] != first["release_id"]
    held = dwb("releases", project, "--json").json
    assert [each["draws"] for each in held] == [1, 1]
