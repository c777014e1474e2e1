"""Attacks on outcome reports, and what the audit says of them."""
