"""Stages, gates and the reviewer's desk."""
