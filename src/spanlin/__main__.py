"""The door `python -m spanlin`, the same as the `spanlin` command."""

from spanlin.cli.main import main

main()
