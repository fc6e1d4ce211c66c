"""A notebook with trees, and what runs it: `python -m examples.run_notebook`."""
