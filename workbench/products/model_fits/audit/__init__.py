"""Checks of model fits."""
