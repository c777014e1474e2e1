"""Σ loss + (λ/2)‖θ‖² + bᵀθ, and its minimum for each of several b.

Newton's method with steps that are halved until the gradient is shorter. On a strongly convex function that always ends
(Dennis and Schnabel 1983), so that there is no last step and no other outcome than a minimum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.products.model_fits import logit

_BLOCK = 16
_HALVINGS = 40
_USUAL_STEPS = 30  # for the progress bar only


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Objective:
    """`linear` is copies × coefficients."""

    design: Floats
    outcome: Floats
    linear: Floats
    strength: float

    def minimum(self, tolerance: float, context: Context) -> Floats:
        """θ of each copy where the gradient is at most half the tolerance; the other half is left for rounding."""
        theta = np.zeros(self.linear.shape)
        gradient, steps = self.gradient(theta, np.arange(len(theta))), 0
        walking = np.flatnonzero(_length(gradient) > tolerance / 2.0)
        while len(walking):
            context.step(0.9 * (1.0 - (1.0 - 1.0 / _USUAL_STEPS) ** steps), "minimising the objective")
            steps += 1
            move = logit.solved(self.curvature(theta[walking]), gradient[walking])
            theta[walking], gradient[walking] = self._moved(theta[walking], gradient[walking], move, walking)
            walking = walking[_length(gradient[walking]) > tolerance / 2.0]
        return theta

    def gradient(self, theta: Floats, copies: Integers) -> Floats:
        residual = self.outcome - logit.probability(self.design, theta)
        sums = [steady_sums(residual * self.design[:, place]) for place in range(self.design.shape[1])]
        found: Floats = self.strength * theta + self.linear[copies] - np.stack(sums, axis=-1)
        return found

    def curvature(self, theta: Floats) -> Floats:
        p = logit.probability(self.design, theta)
        found: Floats = logit.information(self.design, np.ones(p.shape), p) + self.strength * np.eye(theta.shape[-1])
        return found

    def _moved(self, theta: Floats, gradient: Floats, move: Floats, copies: Integers) -> tuple[Floats, Floats]:
        """Each copy as far along its move as makes its gradient shorter."""
        part, length = np.ones(len(theta)), _length(gradient)
        there, new = theta - move, self.gradient(theta - move, copies)
        for _ in range(_HALVINGS):
            far = np.flatnonzero(_length(new) > (1.0 - part / 4.0) * length)
            if not len(far):
                break
            part[far] /= 2.0
            there[far] = theta[far] - part[far, None] * move[far]
            new[far] = self.gradient(there[far], copies[far])
        return there, new


def steady_sums(values: Floats) -> Floats:
    """Sums over the last axis whose error is at most 16 units in the last place of Σ|values|, for any number."""
    copies, many = values.shape
    if many <= _BLOCK:
        short: Floats = values.sum(axis=-1)
        return short
    padded = np.zeros((copies, -(-many // _BLOCK) * _BLOCK))
    padded[:, :many] = values
    blocks = padded.reshape(copies, -1, _BLOCK).sum(axis=-1)
    return np.array([math.fsum(row) for row in blocks.tolist()])


def _length(gradient: Floats) -> Floats:
    length: Floats = np.sqrt((gradient**2).sum(axis=-1))
    return length
