"""Writes what the npm package shares with Python: the tables and patterns of text splitting, and some numbers."""
