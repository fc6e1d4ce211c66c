"""Fuzzing of all that reads untrusted input: `python -m fuzz TARGET --seconds N`; see `fuzz.__main__`.

A target is a module with a `TARGET`: a check that any bytes must pass, and mutations that know their format. The checks
need no fuzzer, so the tests run them on every input that is kept in `corpus/`.
"""
