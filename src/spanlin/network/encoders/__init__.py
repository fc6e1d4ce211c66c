"""Encoders: words or word pieces to one vector per position, whose halves make the split points (Eq. 1)."""
