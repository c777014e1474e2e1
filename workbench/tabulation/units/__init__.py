"""Rows arranged by the unit they belong to, for tables of what units contribute."""
