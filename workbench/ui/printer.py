"""The one process that sets reports for the windows of this program."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.review.publish.printing import PrinterAside


@cache
def printer_aside() -> PrinterAside:
    """Started by the first report, or by `start` before it; ends with the program."""
    from workbench.review.publish.printing import PrinterAside

    return PrinterAside()
