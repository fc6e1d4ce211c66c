"""Processes beside the one that runs the network: they read text, prepare batches and write what becomes of them."""
