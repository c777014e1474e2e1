"""What readers of model-based estimates are told about their margins, as measured on programmes kept for that."""

from __future__ import annotations

MODEL_NOTE = (
    "Margins of error in model-based.csv rest on a model: that of version 2 of outcome reports. In simulations kept "
    "for the check, at ε from 0.5 to 4, they held the truth in 94 to 100 of 100 cells of five people or more, whatever "
    "their size. Means of cells that may have fewer than five people have no such margin. Margins of direct estimates "
    "rest on the noise, those of mean earnings and percentiles from histograms also on where pay may lie within bins. "
    "Above the last edge fewer and fewer people are taken to earn more and more: where many earn far more than "
    "planned, means lie outside their margins."
)
