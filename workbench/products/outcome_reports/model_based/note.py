"""What readers of model-based estimates are told about their margins, as measured on programmes kept for that."""

from __future__ import annotations

MODEL_NOTE = (
    "Margins of error in model-based.csv rest on a model. In simulations those of counts held the truth in about 95 of "
    "100 cells, those of mean earnings in 89 to 97 at ε = 4 and in 79 to 98 at ε = 1, fewer in cells of fewer than 20 "
    "people. Margins of direct estimates rest on the noise alone."
)
