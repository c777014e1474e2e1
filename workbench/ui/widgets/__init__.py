"""Widgets that know nothing of a session or a project: they take values of the core and emit signals."""
