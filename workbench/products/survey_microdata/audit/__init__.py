"""Checks and attacks of survey microdata."""
