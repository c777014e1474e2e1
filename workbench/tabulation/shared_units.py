"""Sketches of everybody a loaded file identifies, for recognising the same people in another file."""

from __future__ import annotations

import hashlib

from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.core.unit_sketch import SKETCH_SIZE, UnitSketch
from workbench.microdata.roles import Roles
from workbench.microdata.table import CodedColumn, Microdata
from workbench.tabulation.door import rows_of


def sketches_of(
    microdata: Microdata, roles: Roles, key: Confidential[bytes], context: Context
) -> tuple[UnitSketch, ...]:  # fmt: skip
    """One sketch for each column that identifies units; none without identifiers, or where a cluster keeps them."""
    if microdata.elsewhere is not None and not microdata.elsewhere.units_may_come_here:
        return ()
    rows, mark = rows_of(microdata), mark_of(key.reveal())
    return tuple(
        UnitSketch(
            unit=str(role),
            key_mark=mark,
            hashes=rows.sketch(name, SKETCH_SIZE, key, context).reveal().astype("<u8").tobytes(),
        )
        for name, role in roles.items()
        if role.identifies and isinstance(microdata.columns.get(name), CodedColumn)
    )


def mark_of(key: bytes) -> str:
    """What tells keys apart and gives none of them away."""
    return hashlib.blake2b(b"mark of a sketch key", key=key, digest_size=8).hexdigest()
