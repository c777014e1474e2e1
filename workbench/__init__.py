"""Disclosure Workbench: review a statistical release before it leaves the agency."""

__version__ = "0.1.0"
