"""What readers of model-based estimates are told about their margins, as measured on programmes kept for that."""

from __future__ import annotations

MODEL_NOTE = (
    "Margins of error in model-based.csv rest on a model: that of version 2 of outcome reports. In simulations kept "
    "for the check, at ε from 0.5 to 4, they held the truth in 94 to 100 of 100 cells of five people or more, whatever "
    "their size. Means of cells that may have fewer than five people have no such margin. Margins of direct estimates "
    "rest on the noise alone: those of means of bins fall short where a cell has many more people than planned."
)
