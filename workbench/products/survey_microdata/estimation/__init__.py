"""Estimates from what is published, with errors that contain the privacy noise."""
