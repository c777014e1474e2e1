"""Differencing: what a reader can derive by combining published tables, before another one is added to them."""
