"""The `spanlin` command: one module a subcommand, each a thin layer over one library function."""
