"""What a model on disk is, and whether it can be trusted: manifest, hashes, graphs, tokenizer. Nothing of it is run."""
