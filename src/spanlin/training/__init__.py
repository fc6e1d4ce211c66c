"""Training: vocabularies, batches, the loop, checkpoints, and parsing with what was trained."""
