"""Speed of spanlin: `python -m bench foundation` prints a table of figures beside their targets."""
