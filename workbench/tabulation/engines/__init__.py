"""Engines that answer at the door without loading the rows: DuckDB on this machine, a Spark cluster elsewhere.

Both speak SQL, so each question is written once (`questions`) and a dialect fills in where the two differ.
"""
