"""Checks of area estimates."""
