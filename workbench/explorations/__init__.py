"""Figures a reviewer plays with: settings above, a finding below, nothing stored."""
