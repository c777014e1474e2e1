"""A reviewer's key is made once, kept encrypted, and opened by nobody else."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from workbench.core.errors import UserProblem
from workbench.core.passphrase import Passphrase
from workbench.project.signing.keys import COST, FOLDER, KeyStore, Signer, fingerprint, fits

_SECRET = "four words make it"


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "keys", cost=2**4)


def test_that_a_key_comes_back_and_signs_what_its_public_half_checks(store: KeyStore) -> None:
    made = store.make("Zoë", Passphrase(_SECRET))
    again = KeyStore(store.folder).unlock("zoe\u0308 ", Passphrase(_SECRET))
    assert (again.name, again.public) == ("Zoë", made.public)
    signature = again.sign(b"a message")
    assert fits(made.public, signature, b"a message")
    assert not fits(made.public, signature, b"another message")
    assert not fits(store.make("Otto", Passphrase(_SECRET)).public, signature, b"a message")
    assert store.names() == tuple(sorted(store.names(), key=lambda each: store.file_of(each[0]).name))
    assert {name for name, _ in store.names()} == {"Zoë", "Otto"}


def test_that_the_private_key_is_nowhere_in_clear(store: KeyStore) -> None:
    made = store.make("Rita", Passphrase(_SECRET))
    raw = made.private.reveal().private_bytes_raw()
    (file,) = store.folder.iterdir()
    content = file.read_bytes()
    assert raw not in content
    assert raw.hex().encode() not in content
    assert raw.hex() not in repr(made)
    assert _SECRET.encode() not in content


@pytest.mark.skipif(os.name != "posix", reason="looks at POSIX permissions")
def test_that_others_on_the_machine_may_not_read_the_file(store: KeyStore) -> None:
    store.make("Rita", Passphrase(_SECRET))
    assert stat.S_IMODE(store.file_of("Rita").stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) & 0o077 == 0


def test_that_a_wrong_passphrase_is_told_without_repeating_it(store: KeyStore) -> None:
    store.make("Rita", Passphrase(_SECRET))
    with pytest.raises(UserProblem, match="does not open the key of Rita") as caught:
        store.unlock("Rita", Passphrase("five words make it"))
    assert "words" not in str(caught.value)


def test_that_a_key_is_never_overwritten(store: KeyStore) -> None:
    made = store.make("Rita", Passphrase(_SECRET))
    with pytest.raises(UserProblem, match="has a key already"):
        store.make("RITA", Passphrase(_SECRET))
    aside = store.set_aside("Rita")
    new = store.make("Rita", Passphrase(_SECRET))
    assert new.public != made.public
    assert made.public in aside.read_text(encoding="utf-8")
    assert store.set_aside("Rita") != aside
    with pytest.raises(UserProblem, match="no key for this name"):
        store.unlock("Rita", Passphrase(_SECRET))


@pytest.mark.parametrize("field", ["name", "public", "sealed", "nonce", "scrypt"])
def test_that_a_changed_key_file_does_not_open(store: KeyStore, field: str) -> None:
    store.make("Rita", Passphrase(_SECRET))
    file = store.file_of("Rita")
    kept = json.loads(file.read_text(encoding="utf-8"))
    other = store.make("Otto", Passphrase(_SECRET))
    exchanged = json.loads(store.file_of(other.name).read_text(encoding="utf-8"))
    file.write_text(json.dumps({**kept, field: exchanged[field]}), encoding="utf-8")
    with pytest.raises(UserProblem, match="does not open"):
        store.unlock("Rita", Passphrase(_SECRET))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1, "name": "R", "public": "x"}', "\x00"])
def test_that_a_damaged_key_file_is_named(store: KeyStore, content: str) -> None:
    store.folder.mkdir()
    store.file_of("Rita").write_text(content, encoding="utf-8")
    with pytest.raises(UserProblem, match="damaged"):
        store.unlock("Rita", Passphrase(_SECRET))


@pytest.mark.parametrize("settings", [{"n": 2**40}, {"r": 4000}, {"p": 99}, {"n": "x"}])
def test_that_a_file_cannot_ask_for_endless_memory(store: KeyStore, settings: dict[str, object]) -> None:
    store.make("Rita", Passphrase(_SECRET))
    file = store.file_of("Rita")
    kept = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**kept, "scrypt": {**kept["scrypt"], **settings}}), encoding="utf-8")
    with pytest.raises(UserProblem, match="damaged"):
        store.unlock("Rita", Passphrase(_SECRET))


def test_that_a_short_passphrase_or_no_name_makes_no_key(store: KeyStore) -> None:
    with pytest.raises(UserProblem, match="shorter than 12"):
        store.make("Rita", Passphrase("short"))
    with pytest.raises(UserProblem, match="name is missing"):
        store.make(" ", Passphrase(_SECRET))
    assert not store.folder.exists()
    assert store.names() == ()


def test_that_the_folder_can_be_named_and_the_cost_is_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "stick"))
    store = KeyStore()
    signer: Signer = store.make("Rita", Passphrase(_SECRET))
    kept = json.loads((tmp_path / "stick" / store.file_of("Rita").name).read_text(encoding="utf-8"))
    assert kept["scrypt"]["n"] == COST == 2**17
    assert len(fingerprint(signer.public)) == 19
    monkeypatch.delenv(FOLDER)
    assert KeyStore().folder.name == "keys"
