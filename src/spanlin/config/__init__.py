"""Configurations of networks and of their training, read from TOML; no torch."""
