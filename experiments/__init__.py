"""The paper's tables and figures on treebanks of one's own: `python -m experiments`."""
