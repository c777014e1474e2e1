"""Which tools made a result. Stored with every run and printed in every report."""

from __future__ import annotations

import platform

import workbench

_NAMED = ("numpy", "scipy", "pandas", "duckdb", "pyarrow", "opendp", "cryptography", "sqlite-utils")


def tool_versions() -> dict[str, str]:
    """The program's own version, Python's, and those of the libraries that touch data or noise."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and not needed at start

    versions = {"disclosure-workbench": workbench.__version__, "python": platform.python_version()}
    for name in _NAMED:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
