"""Synthetic residences from a Dirichlet-multinomial posterior: what they give away, the prior it takes.

A population is the workers of one workplace area and characteristic. Its residence counts n_i lie over k support
points; with a Dirichlet prior α_i, m synthetic workers are drawn from the posterior predictive distribution.
Source: OnTheMap (2008); Machanavajjhala, Kifer, Abowd, Gehrke and Vilhuber (2008).
"""
