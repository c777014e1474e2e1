"""A bundle of files in one ZIP whose bytes depend on the files alone: no clock, no user, no compressor."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from workbench.core.errors import UserProblem

_MOMENT = (1980, 1, 1, 0, 0, 0)  # the earliest a ZIP can say; the decision's date is in the manifest
_LARGEST = 2**31


def packed(files: Mapping[str, bytes]) -> bytes:
    """The files, stored as they are: the same files always give the same bytes."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name])
    return sink.getvalue()


def unpacked(content: bytes, where: str) -> dict[str, bytes]:
    """The files of a bundle, in memory: nothing is written, whatever their names say."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            names = [entry.filename for entry in entries]
            if sum(entry.file_size for entry in entries) > _LARGEST or len(set(names)) != len(names):
                raise UserProblem("The bundle is larger than it can be, or holds a name twice", where)
            return {entry.filename: archive.read(entry) for entry in entries}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError):
        raise UserProblem("This is not a readable ZIP file", where, "Give a bundle this program wrote") from None
