"""Import heavy libraries aside, right after the window is first painted, so that no later click waits for them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

# In the order a review needs them. Each import stalls the interpreter for a moment, so it is done while the person
# is still looking at the window for the first time.
_LIBRARIES = (
    "sqlite_utils",
    "pandas",  # Arrow imports it with the first value that it takes from Python
    "pyarrow.parquet",
    "pyarrow.csv",
    "duckdb",
    "cryptography.hazmat.primitives.ciphers",
    "opendp.prelude",
    "scipy.special",
)


class WarmUp:
    """One thread, one library after the other; `stop` ends it between two of them."""

    def __init__(self, first: Sequence[str] = ()) -> None:
        self._names = (*first, *_LIBRARIES)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="workbench-warm-up", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _run(self) -> None:
        with uncollected():
            for name in self._names:
                if self._stop.is_set():
                    return
                try:
                    import_module(name)
                except (ImportError, OSError):
                    continue  # whoever needs it says what is missing, in words


@contextmanager
def uncollected() -> Iterator[None]:
    """What is made inside stays for the whole run, so the garbage collector need never look at it again.

    Libraries are hundreds of thousands of objects; walking them all holds the interpreter for 150 ms, at any moment,
    most likely while data are loaded. Freezing takes no time at all.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was:
            gc.enable()
