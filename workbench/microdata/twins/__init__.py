"""Synthetic data of any size, in the shape of a product's confidential data: what the products' twins share."""
