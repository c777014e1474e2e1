"""Two kinds of randomness that the types keep apart.

`ReleaseRandom` draws what is published: its bits come from the operating system, are never seeded, recorded or
repeated. `StudyRandom` explores: it has a seed that is recorded, so a study can be repeated, and for that very
reason nothing drawn from it may be published.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NoReturn, Protocol

from workbench.core.errors import Defect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class UniformWords(Protocol):
    """Whatever hands out uniform 64-bit words: what exact samplers draw from, so that an audit can watch them."""

    def words(self, count: int) -> NDArray[np.uint64]: ...


class ReleaseRandom:
    """Cryptographic bits: an AES-256-CTR keystream whose key and counter come from the operating system.

    One object serves one release and is then dropped. It cannot be copied, pickled or given a seed.
    """

    __slots__ = ("_keystream",)

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        cipher = Cipher(algorithms.AES(secrets.token_bytes(32)), modes.CTR(secrets.token_bytes(16)))
        self._keystream = cipher.encryptor()

    def bytes(self, count: int) -> bytes:
        """`count` fresh random bytes."""
        return self._keystream.update(bytes(count))

    def words(self, count: int) -> NDArray[np.uint64]:
        """`count` fresh uniform 64-bit words."""
        import numpy as np

        return np.frombuffer(self.bytes(8 * count), dtype=np.uint64)

    def __reduce__(self) -> NoReturn:
        raise Defect("release randomness was about to be pickled")

    def __copy__(self) -> NoReturn:
        raise Defect("release randomness was about to be copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise Defect("release randomness was about to be copied")


class StudyRandom:
    """Seeded numpy randomness for studies, sweeps and black-box checks. Never for what is published."""

    __slots__ = ("generator", "seed")

    def __init__(self, seed: int) -> None:
        import numpy as np

        self.seed = seed
        self.generator = np.random.Generator(np.random.PCG64(seed))

    def words(self, count: int) -> NDArray[np.uint64]:
        """`count` seeded 64-bit words, for samplers that are shared with releases."""
        import numpy as np

        return self.generator.integers(0, 2**64, size=count, dtype=np.uint64)
