"""Synthetic people for model fits."""
