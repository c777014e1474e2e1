"""When two draws are draws of the same table: whoever may choose among them learns more than one draw tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from workbench.core.plain import digest, plain


def table_digest(product: str, *, columns: Collection[str] = (), settings: Mapping[str, Any]) -> str:
    """SHA-256 of what decides which values are drawn: attributes in any order, and every other setting as it is.

    `columns` are attributes that span the table together, whichever setting names them. A setting that only names or
    orders what is published, or lists more empty rows, is left out by whoever calls.
    """
    return digest([product, sorted(columns), {name: _unordered(plain(value)) for name, value in settings.items()}])


def _unordered(value: Any) -> Any:
    """Lists in any order are the same list."""
    return sorted(map(str, value)) if isinstance(value, list | tuple) else value
