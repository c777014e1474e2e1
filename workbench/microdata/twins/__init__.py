"""Synthetic data that match published facts about real ones, so that a review can be practised and measured."""
