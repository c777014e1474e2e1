"""The one door to the rows: what a product needs of the microdata, asked as named aggregates over keys.

Answers are integers, exact, the same in whatever order the rows stand, and confidential.
"""
