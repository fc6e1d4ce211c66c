"""The parser inside other libraries: one file a library, each imported only by those who have it."""
