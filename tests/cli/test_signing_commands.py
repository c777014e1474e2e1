"""Keys, signatures, encryption and merging from the command line; passphrases come from anywhere but the arguments."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.said import dwb, one_sentence
from workbench.cli import passphrases
from workbench.project.file import encryption
from workbench.project.file.encryption import is_encrypted
from workbench.project.signing import keys

_SECRET = "correct horse battery"


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keys of their own, and locks that are quick to make."""
    monkeypatch.setenv(keys.FOLDER, str(tmp_path / "keys"))
    monkeypatch.setattr(keys.KeyStore.__init__, "__kwdefaults__", {"cost": 2**4})
    monkeypatch.setattr(encryption, "ROUNDS", 2000)
    yield
    passphrases._typed.cache_clear()


@pytest.fixture
def signing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DWB_KEY_PASSPHRASE", _SECRET)


def approve(project: Path, name: str = "Ben") -> str:
    said = dwb("decide", project, "R-0001", "--approve", "--reviewer", name, "--comment", "fine", "--json")
    assert said.code == 0, said.err
    return str(said.json["signed"])


def test_that_a_key_is_made_on_first_use_and_the_decision_is_signed(waiting: Path, signing: None) -> None:
    assert dwb("keys", "list").out.startswith("No key yet")
    assert approve(waiting) == "True"
    found = dwb("verify", waiting, "--json").json
    assert (found["ok"], found["signed"], found["unsigned"]) == (True, 1, 0)
    listed = dwb("keys", "list", waiting, "--json").json
    assert listed["kept"][0]["fingerprint"] == listed["known"][0]["fingerprint"]
    assert listed["known"][0]["standing"] == "trusted"
    assert "1 signed, 0 not signed" in dwb("verify", waiting).out
    assert "trusted" in dwb("keys", "list", waiting).out


def test_that_without_a_passphrase_a_decision_is_unsigned_until_signatures_are_required(
    waiting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_sentence(dwb("keys", "require", waiting, "--as", "Ana"), "knows no key yet", code=1)
    with monkeypatch.context() as given:
        given.setenv("DWB_KEY_PASSPHRASE", "correct horse battery")
        assert dwb("keys", "require", waiting, "--as", "Ana", "--json").json["signed"] is True
    said = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "fine")
    one_sentence(said, "Ben signs in this project", "DWB_KEY_PASSPHRASE")
    assert dwb("verify", waiting).code == 0


def test_that_a_wrong_key_passphrase_is_told_and_decides_nothing(
    waiting: Path, signing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dwb("keys", "make", "--as", "Ben").code == 0
    monkeypatch.setenv("DWB_KEY_PASSPHRASE", "another horse battery")
    said = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "fine")
    assert "horse" not in one_sentence(said, "does not open the key of Ben")
    assert dwb("releases", waiting, "--json").json[0]["state"] == "in review"


def test_that_a_key_can_be_rotated_and_vouched_for(waiting: Path, signing: None) -> None:
    approve(waiting)
    before = dwb("keys", "list", waiting, "--json").json["known"][0]["fingerprint"]
    rotated = dwb("keys", "rotate", waiting, "--as", "Ben", "--json").json
    assert rotated["standing"] == "trusted"
    assert rotated["fingerprint"] != before
    assert dwb("keys", "enrol", waiting, "--as", "Cleo", "--json").json["standing"] == "trusted"
    keys.KeyStore().set_aside("Cleo")
    stranger = dwb("keys", "enrol", waiting, "--as", "Cleo", "--json").json
    assert stranger["standing"] == "nobody vouches for it"
    assert any("nobody vouches for the key" in said for said in dwb("verify", waiting, "--json").json["warnings"])
    heard = dwb("keys", "vouch", waiting, stranger["fingerprint"], "--as", "Ben", "--json").json
    assert heard["standing"] == "1 of 2 people vouch for it"
    assert dwb("run", waiting.parent / "plan.toml", "--project", waiting, "--preparer", "Ana").code == 0
    assert dwb("vote", waiting, "R-0002", "--vote", "approve", "--reviewer", "Dora").code == 0
    vouched = dwb("keys", "vouch", waiting, stranger["fingerprint"], "--as", "Dora", "--json").json
    assert vouched["standing"] == "trusted"
    assert dwb("verify", waiting).code == 1, "until Cleo was asked"
    assert dwb("verify", waiting, "--confirm", stranger["fingerprint"]).code == 0


def test_that_one_person_cannot_become_a_reviewer_who_signs(waiting: Path, signing: None) -> None:
    """Four ordinary commands once gave a preparer the name of an enrolled reviewer."""
    assert dwb("vote", waiting, "R-0001", "--vote", "approve", "--reviewer", "Ben").code == 0
    assert dwb("keys", "require", waiting, "--as", "Ben").code == 0
    keys.KeyStore().set_aside("Ben")
    assert dwb("keys", "enrol", waiting, "--as", "Zed", "--json").json["standing"] == "nobody vouches for it"
    mine = dwb("keys", "enrol", waiting, "--as", "Ben", "--json").json["fingerprint"]
    one_sentence(dwb("keys", "vouch", waiting, mine, "--as", "Zed"), "no trusted key", code=1)
    said = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "fine")
    one_sentence(said, "Ben is known here by another key", code=1)
    changed = dwb("budget", waiting, "R-0001", "--cap", "1000", "--reason", "x", "--by", "Director")
    one_sentence(changed, "takes only keys that somebody vouches for", code=1)
    lenient = dwb("policy", waiting, "set", "standard", "--actor", "Director", "--reason", "x")
    one_sentence(lenient, "takes only keys that somebody vouches for", code=1)
    assert dwb("verify", waiting).code == 0


def test_that_a_rotation_that_fails_keeps_the_old_key(waiting: Path, signing: None) -> None:
    assert dwb("keys", "make", "--as", "Ben").code == 0
    public = keys.KeyStore().public_of("Ben")
    assert dwb("keys", "rotate", waiting, "--as", "Ben").code == 1
    assert keys.KeyStore().public_of("Ben") == public


def test_that_a_project_is_encrypted_worked_in_and_decrypted(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DWB_PASSPHRASE", _SECRET)
    said = dwb("encrypt", waiting)
    assert said.code == 0
    assert "cannot be recovered" in said.out
    assert is_encrypted(waiting)
    approve(waiting)
    assert dwb("verify", waiting).code == 0
    monkeypatch.setenv("DWB_NEW_PASSPHRASE", "another long passphrase")
    assert dwb("encrypt", waiting, "--change", "--json").json == {
        "project": waiting.as_posix(),
        "encrypted": True,
        "copies_in_clear": [],
    }
    one_sentence(dwb("releases", waiting), "Wrong passphrase")
    monkeypatch.setenv("DWB_PASSPHRASE", "another long passphrase")
    assert dwb("decrypt", waiting).code == 0
    assert not is_encrypted(waiting)


def test_that_nobody_is_asked_where_nobody_is_there(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_sentence(dwb("encrypt", waiting), "no terminal to type it", "DWB_PASSPHRASE_FILE")
    monkeypatch.setenv("DWB_PASSPHRASE", "short")
    one_sentence(dwb("encrypt", waiting), "shorter than 12")
    assert not is_encrypted(waiting)


def test_that_a_passphrase_can_come_from_a_file(waiting: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "passphrase.txt"
    file.write_text(_SECRET + "\n", encoding="utf-8")
    monkeypatch.setenv("DWB_PASSPHRASE_FILE", str(file))
    assert dwb("encrypt", waiting).code == 0
    assert dwb("releases", waiting).code == 0
    file.write_text("", encoding="utf-8")
    one_sentence(dwb("releases", waiting), "passphrase is empty")


def test_that_a_person_at_a_terminal_is_asked_once(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def typed(prompt: str) -> str:
        asked.append(prompt)
        return _SECRET

    monkeypatch.setattr(passphrases, "_somebody_is_there", lambda: True)
    monkeypatch.setattr(passphrases.getpass, "getpass", typed)
    assert dwb("encrypt", waiting).code == 0
    assert asked == ["Passphrase: ", "Repeat passphrase: "]
    asked.clear()
    assert dwb("verify", waiting).code == 0
    assert dwb("releases", waiting).code == 0
    assert asked == [f"Passphrase of {waiting.name}: "]


def test_that_a_slip_in_the_second_typing_encrypts_nothing(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter([_SECRET, _SECRET + "x"])
    monkeypatch.setattr(passphrases, "_somebody_is_there", lambda: True)
    monkeypatch.setattr(passphrases.getpass, "getpass", lambda _: next(typed))
    one_sentence(dwb("encrypt", waiting), "differ")
    assert not is_encrypted(waiting)


def test_that_no_command_takes_a_passphrase_as_an_argument() -> None:
    for command in ("encrypt", "decrypt", "merge", "verify", "decide"):
        assert "--passphrase" not in dwb(command, "--help").out
    assert "passphrase" not in dwb("keys", "make", "--help").out


def test_that_merging_tells_what_it_did(waiting: Path, tmp_path: Path, signing: None) -> None:
    copy = Path(shutil.copy(waiting, tmp_path / "copy.dwb"))
    assert dwb("merge", waiting, copy).out == "There was nothing new to merge.\n"
    approve(copy)
    refused = dwb("merge", waiting, copy)
    assert refused.code == 1
    assert "“decide” of R-0001" in refused.err
    one_sentence(dwb("merge", waiting, tmp_path / "no.dwb"), "no such project file")
