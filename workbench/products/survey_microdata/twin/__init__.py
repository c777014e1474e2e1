"""Synthetic respondents of an attitudes survey."""
