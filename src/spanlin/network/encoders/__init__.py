"""Encoders: words or word pieces to one vector a position, of which halves make the split points (Eq. 1)."""
