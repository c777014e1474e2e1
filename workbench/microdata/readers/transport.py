"""Whether a SAS transport file is whole. Its reader takes what is there and says nothing of the rest.

The file is made of records of 80 bytes. After a record that begins with HEADER and names OBS come the rows, one after
the other, and blanks up to the end of the last record; version 8 also states there how many rows there are.
Source: TS-140 and TS-141, “The record layout of a SAS transport data set”, SAS Institute.
"""

from __future__ import annotations

import mmap
from pathlib import Path

_RECORD = 80
_MARK = b"HEADER RECORD*******OBS"
_NEXT = b"HEADER RECORD*******MEM"  # another table follows, so the file's end says nothing of the first one's
_STATED = slice(48, 80)  # where the record of version 8 states the number of rows


def is_cut_short(path: Path, row_bytes: int) -> bool:
    """Whether the file ends within a record or a row, or before all stated rows have come."""
    size = path.stat().st_size
    if size % _RECORD:
        return True
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        start = content.find(_MARK)
        if start < 0 or row_bytes <= 0:
            return False  # something else is wrong, for the reader to say
        record = content[start : start + _RECORD]
        rows = size - start - _RECORD
        stated = record[_STATED].strip()
        if record.startswith(_MARK + b"V8") and stated.isdigit():
            return rows < int(stated) * row_bytes
        rest = content[size - rows % row_bytes :]
        return bool(rest.strip(b" ")) and content.find(_NEXT, start) < 0
