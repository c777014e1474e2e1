"""Synthetic children in synthetic areas."""
