"""A product's card: enough to list it, to choose it and to show its settings, without loading what it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The Spec of a product; `card.py` of its folder holds one and imports nothing but the product's params."""

    id: str
    version: int
    title: str
    summary: str
    params: type
    references: tuple[str, ...] = ()  # the works its methods come from, as a report lists them
