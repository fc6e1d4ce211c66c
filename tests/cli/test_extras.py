from __future__ import annotations

import importlib

import pytest

from spanlin.cli.extras import needs_train_extra
from spanlin.errors import MissingExtraError


def test_a_package_that_is_missing_is_named_with_how_to_install_it() -> None:
    with (
        pytest.raises(MissingExtraError, match=r"^training needs no_such_package: pip install 'spanlin\[train\]'$"),
        needs_train_extra("training"),
    ):
        importlib.import_module("no_such_package.inside")


def test_a_module_of_ours_that_is_missing_is_our_own_mistake() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"spanlin\.no_such_module"), needs_train_extra("training"):
        importlib.import_module("spanlin.no_such_module")


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), needs_train_extra("training"):
        _ = 1 // 0
