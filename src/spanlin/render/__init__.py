"""Trees and dependencies as drawings and columns: a tree in, a string out."""
