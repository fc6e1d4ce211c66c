"""A parser as a web service: JSON routes and a page over `Parser`; needs the extra `serve`."""

from __future__ import annotations
