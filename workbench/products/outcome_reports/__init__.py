"""Outcome reports: employment and earnings of people who left an institution, year by year, published with privacy."""
