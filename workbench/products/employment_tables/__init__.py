"""Counts of jobs by cells of workplaces and workers."""
