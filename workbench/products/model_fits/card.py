"""What is said of model fits before anything of them is loaded."""

from __future__ import annotations

from workbench.products.card import Card
from workbench.products.model_fits.params import ModelFitsParams

CARD = Card(
    id="model_fits",
    version=1,
    title="Model fits",
    summary="Coefficients of a logistic regression with their margins of error.",
    params=ModelFitsParams,
    references=(
        "Abadi, M., Chu, A., Goodfellow, I., McMahan, H. B., Mironov, I., Talwar, K., and Zhang, L. (2016). "
        "Deep learning with differential privacy. CCS 2016, 308–318.",
    ),
)
