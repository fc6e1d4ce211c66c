"""Constituent trees: their shape, their bracketed text, their transformations, their treebanks."""
