"""The network of the paper (Wei et al. 2020, sec. 3.1-3.3) and its variants, in torch."""

from spanlin.errors import missing_extra

try:
    import torch as _torch  # noqa: F401
except ImportError as _error:  # pragma: no cover (the light install)
    raise missing_extra("training needs torch", "train") from _error
