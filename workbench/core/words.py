"""What a product calls its records, its rows and its values, so that code for all products can speak of them."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.quantities import show


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Singular and plural of a record of the microdata and of a row of the release, and the unit of the first value."""

    record: tuple[str, str]
    row: tuple[str, str]
    unit: str

    def records(self, number: int) -> str:
        """“1 person”, “1,200 people”."""
        return f"{show(number)} {self.record[number != 1]}"

    def rows(self, number: int) -> str:
        """“1 cell”, “64,344 cells”."""
        return f"{show(number)} {self.row[number != 1]}"
