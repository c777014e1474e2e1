"""Flows between areas: geography, support points, populations. Sparse, on integer codes."""
