"""Attacks on a published table: what somebody who knows a little can read off it. Pure functions, and one check."""
