"""The parsers measured beside ours: a runner script and the pinned environment of each, one protocol for all."""
