"""Disclosure Workbench: review a statistical release before it leaves the house."""

__version__ = "0.1.0"
