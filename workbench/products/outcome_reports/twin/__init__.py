"""Synthetic histories of people who left an institution."""
