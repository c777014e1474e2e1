"""What a calibration can be asked about: how many years and sectors a person can be in, and one cell."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.params import param


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryCase:
    years: int = param(10, "Years", "Years that are published for each person.", ge=1, le=60)
    sectors: int = param(3, "Sectors", "Cells that a person can be in within a year.", ge=1, le=1000)
    count: int = param(100, "People", "People in the cell.", ge=0)
    cap: int = param(250_000, "Cap", "Cap on earnings.", ge=1, unit="dollars")
