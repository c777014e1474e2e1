"""Widgets that know nothing of a session or a project: they take values of the core and emit signals."""

from __future__ import annotations

from workbench.ui.widgets.immortal import protect_constants

protect_constants()
