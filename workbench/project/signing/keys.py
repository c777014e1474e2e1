"""Each reviewer's own signing key: Ed25519, made on first use, kept as an encrypted file in the user's own folder.

The private key is sealed with AES-256-GCM under a key that scrypt makes of the passphrase (N = 2^17, r = 8, p = 1);
name, public key and the scrypt settings are authenticated with it. Nothing here ever writes a private key unencrypted.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.files import write_bytes
from workbench.core.passphrase import Passphrase
from workbench.core.people import known_as
from workbench.core.plain import canonical
from workbench.project.history.journal import utc_now

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FOLDER = "DWB_KEYS"  # names another folder for keys
COST = 2**17
_MOST_COST = 2**20  # a file that asks for more would only eat memory


@dataclass(frozen=True, slots=True)
class Signer:
    """Somebody's unlocked key. The private half shows nowhere."""

    name: str
    public: str
    private: Confidential[Ed25519PrivateKey]

    def sign(self, message: bytes) -> str:
        return self.private.reveal().sign(message).hex()


def fits(public: str, signature: str, message: bytes) -> bool:
    """True where the signature over the message was made by the private half of this key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: str) -> str:
    """What people read to each other: the first 16 hexadecimal signs of the key's SHA-256, in fours."""
    told = hashlib.sha256(bytes.fromhex(public)).hexdigest()[:16] if _is_hex(public) else "not a key"
    return "-".join(told[i : i + 4] for i in range(0, 16, 4)) if _is_hex(public) else told


def _is_hex(text: str) -> bool:
    try:
        return len(bytes.fromhex(text)) == 32
    except ValueError:
        return False


class KeyStore:
    """A folder with one file per name. Another folder may be named in DWB_KEYS (a stick, a test)."""

    def __init__(self, folder: Path | None = None, *, cost: int = COST) -> None:
        self.folder = folder or _user_folder()
        self._cost = cost

    def file_of(self, name: str) -> Path:
        """Names may hold any sign; file names may not."""
        return self.folder / f"{hashlib.sha256(known_as(name).encode('utf-8')).hexdigest()[:24]}.key.json"

    def has(self, name: str) -> bool:
        return self.file_of(name).is_file()

    def public_of(self, name: str) -> str:
        return str(self._read(self.file_of(name))["public"])

    def names(self) -> tuple[tuple[str, str], ...]:
        """Every name that has a key here, with its public key."""
        files = sorted(self.folder.glob("*.key.json")) if self.folder.is_dir() else []
        read = [self._read(file) for file in files]
        return tuple((str(kept["name"]), str(kept["public"])) for kept in read)

    def make(self, name: str, passphrase: Passphrase) -> Signer:
        """A new key for a name that has none here. An existing one is never overwritten."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if not known_as(name):
            raise UserProblem("The name is missing", "key", "Say whose key it is")
        if self.has(name):
            raise UserProblem(f"{name} has a key already", str(self.file_of(name)), "Use it, or rotate it")
        private = Ed25519PrivateKey.generate()
        signer = Signer(name.strip(), private.public_key().public_bytes_raw().hex(), Confidential(private))
        self._write(signer, passphrase.long_enough())
        return signer

    def unlock(self, name: str, passphrase: Passphrase) -> Signer:
        """The key of a name. A wrong passphrase and a changed file look the same, and are told in one sentence."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        file = self.file_of(name)
        kept = self._read(file)
        try:
            key = _stretched(passphrase, kept["scrypt"])
            raw = AESGCM(key).decrypt(bytes.fromhex(kept["nonce"]), bytes.fromhex(kept["sealed"]), _bound(kept))
            private = Ed25519PrivateKey.from_private_bytes(raw)
        except InvalidTag:
            raise UserProblem(f"The passphrase does not open the key of {name}", str(file), "Type it again") from None
        except (KeyError, TypeError, ValueError):
            raise _broken(file) from None
        return Signer(str(kept["name"]), private.public_key().public_bytes_raw().hex(), Confidential(private))

    def set_aside(self, name: str) -> Path:
        """Keep a key under another file name, so that a new one can be made; old signatures stay checkable anyway."""
        file = self.file_of(name)
        number = 1
        while (aside := file.with_name(f"{file.name.removesuffix('.key.json')}.old-{number}.json")).exists():
            number += 1
        return file.rename(aside)

    def _write(self, signer: Signer, passphrase: Passphrase) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        kept: dict[str, Any] = {
            "format": 1, "name": signer.name, "public": signer.public, "made_at": utc_now(),
            "scrypt": {"n": self._cost, "r": 8, "p": 1, "salt": os.urandom(16).hex()}, "nonce": os.urandom(12).hex(),
        }  # fmt: skip
        raw = signer.private.reveal().private_bytes_raw()
        sealed = AESGCM(_stretched(passphrase, kept["scrypt"])).encrypt(bytes.fromhex(kept["nonce"]), raw, _bound(kept))
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self.file_of(signer.name)
        write_bytes(
            file,
            json.dumps({**kept, "sealed": sealed.hex()}, indent=1, ensure_ascii=False).encode("utf-8"),
            private=True,
        )

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserProblem("There is no key for this name here", str(file), "`dwb keys make` makes one") from None
        except (OSError, ValueError):
            raise _broken(file) from None
        if not isinstance(kept, dict) or kept.get("format") != 1 or not {"name", "public"} <= kept.keys():
            raise _broken(file)
        return kept


def _user_folder() -> Path:
    named = os.environ.get(FOLDER, "")
    if named:
        return Path(named)
    from platformdirs import user_config_path

    return user_config_path("disclosure-workbench", appauthor=False) / "keys"


def _stretched(passphrase: Passphrase, settings: dict[str, Any]) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    cost, r, p = int(settings["n"]), int(settings["r"]), int(settings["p"])
    if not (2 <= cost <= _MOST_COST and r == 8 and p == 1):
        raise ValueError("settings of no key of ours")
    return Scrypt(salt=bytes.fromhex(settings["salt"]), length=32, n=cost, r=r, p=p).derive(
        passphrase.reveal().encode("utf-8")
    )


def _bound(kept: dict[str, Any]) -> bytes:
    """What is readable in the file and must not be exchanged."""
    return canonical([kept["format"], kept["name"], kept["public"], kept["scrypt"]])


def _broken(file: Path) -> UserProblem:
    return UserProblem("The key file is damaged", str(file), "Restore a copy, or move it away and make a new key")
