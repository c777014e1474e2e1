"""Estimators that observed sensitivity can protect, each with how far one added person can move it."""
