"""Untrusted configurations and treebanks: one clear line, quickly."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from spanlin.errors import ConfigError, TreeSyntaxError
from spanlin.trees.brackets import read_trees

LONGEST = 5.0  # seconds of work, however many others share the cores

CONFIGS = {
    "no_utf8": (b"\xff", "not TOML"),
    "unclosed": (b"seed = [", "not TOML"),
    "deep": (b"x = " + b"[" * 20_000, "nested too deeply"),
    "long_key": (b"a." * 50_000 + b"b = 1", "has more than 32000 bytes"),
    "digits": (b"seed = " + b"9" * 5_000, "not TOML"),
    "key_twice": (b"seed = 1\nseed = 2", "not TOML"),
    "unknown_key": (b"run = 'rm -rf /'", "unknown key"),
    "wrong_type": (b"seed = []", r"seed must be of type int, got \[\]"),
    "nan": (b"[optimizer]\nrate = nan", r"optimizer\.rate must be a finite number, .*, got nan"),
    "inf": (b"[network.scorer]\ndropout = -inf", r"network\.scorer\.dropout must be a finite number, .*, got -inf"),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_hostile_configuration_is_an_error(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from spanlin.config.training import load_config

    raw, message = CONFIGS[name]
    path = tmp_path / "config.toml"
    path.write_bytes(raw)
    start = time.process_time()
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(path)
    assert time.process_time() - start < LONGEST
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("raw", [b"(" * 1_000_000, b"(A " * 300_000, b"(A " + b"x" * 2_000_000, b"\x00" * 100_000])
def test_a_packed_treebank_without_an_end_is_an_error_with_its_line(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "trees.gz"
    path.write_bytes(gzip.compress(raw))
    start = time.process_time()
    with pytest.raises(TreeSyntaxError, match=r"trees\.gz:1:"):
        list(read_trees(path))
    assert time.process_time() - start < LONGEST
