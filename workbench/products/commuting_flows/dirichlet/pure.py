"""Pure ε: the largest log ratio over all outcomes, in closed form.

With θ = α + b the weights before the unknown row (prior plus known rows) and s the outcome's counts, the laws of the
outcome with the row in cell i and in cell j have the ratio (1 + s_i/θ_i)/(1 + s_j/θ_j): the Dirichlet-multinomial
normalisers are equal, and one more row multiplies the gamma factor of its cell by (θ + s)/θ. It is largest where all m
draws fall into i and none into j:

    given the known rows: max_i ln(1 + m/(α_i + b_i));   over all data sets (b_i = 0 can happen): max_i ln(1 + m/α_i).

The second is the pure ε of the release, and the smallest prior for it is m/(e^ε − 1). A weight of zero makes it
infinite. Rounding: double arithmetic, relative 1e−15. Source: Machanavajjhala et al. (2008); the one-draw example of
OnTheMap (2008) is m = 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.core.arrays import Floats


def log_ratios(weight: Any, draws: Any) -> Floats:
    """ln(1 + m/weight) elementwise: the loss where the least weight of a population is `weight`; infinite at zero.

    With weight = min(α_i + b_i) it is the loss against that attacker, with min α_i the pure ε. No draw, no loss.
    """
    weight, m = np.broadcast_arrays(np.asarray(weight, dtype=np.float64), np.asarray(draws, dtype=np.float64))
    losses = np.full(weight.shape, np.inf)
    np.divide(m, weight, out=losses, where=weight > 0.0)
    return np.where(m > 0.0, np.log1p(losses), 0.0)


def pure_epsilon(prior: Any, draws: int) -> float:
    """max_i ln(1 + m/α_i), the worst case over all data sets. A single cell gives nothing away."""
    alpha = np.asarray(prior, dtype=np.float64)
    return float(log_ratios(alpha.min(), draws)) if alpha.size > 1 else 0.0


def pure_priors(draws: Any, epsilon: Any) -> Floats:
    """m/(e^ε − 1) elementwise: the smallest prior in every cell that keeps pure ε."""
    return np.asarray(np.asarray(draws, dtype=np.float64) / np.expm1(np.asarray(epsilon, dtype=np.float64)))
