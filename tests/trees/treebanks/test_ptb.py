from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from spanlin.errors import TreebankError, TreeError
from spanlin.trees.treebanks import find_ptb, prepare_treebank


def tree_for(article: str) -> str:
    return f"\n( (S \n    (NP-SBJ (NN {article}) )\n    (VP (VBZ ends) (NP (-NONE- *)))\n    (. .) ))\n"


def make_ptb(wsj: Path, *, upper: bool = False) -> Path:
    """Make sections 00 to 24 of two articles each; the second of section 23 has two trees."""
    for section in range(25):
        folder = wsj / f"{section:02}"
        folder.mkdir(parents=True)
        for number in (0, 1):
            name = f"wsj_{section:02}{number:02}"
            text = tree_for(name) * (2 if (section, number) == (23, 1) else 1)
            file_name = f"{name}.mrg"
            (folder / (file_name.upper() if upper else file_name)).write_text(text, encoding="utf-8")
    return wsj


def first_words(path: Path) -> list[str]:
    return [line.split("(NN ")[1].split(")")[0] for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("wsj", "source"),
    [
        ("ldc/treebank_3/parsed/mrg/wsj", "ldc"),
        ("ldc/treebank_3/parsed/mrg/wsj", "ldc/treebank_3"),
        ("TREEBANK_3/PARSED/MRG/WSJ", "."),
        ("TREEBANK_3/PARSED/MRG/WSJ", "TREEBANK_3/PARSED/MRG/WSJ"),
        ("LDC99T42/parsed/mrg/wsj", "."),
        ("combined/wsj", "."),
        ("any/name", "any/name"),
    ],
)
def test_ptb_is_found_from_its_root_or_its_folder_in_either_case(tmp_path: Path, wsj: str, source: str) -> None:
    make_ptb(tmp_path / wsj, upper=wsj.isupper())
    treebank = find_ptb(tmp_path / source)
    assert treebank.left_out == 6
    preparation = prepare_treebank(treebank, tmp_path / "out")
    assert [(split.name, split.documents, split.sentences) for split in preparation.splits] == [
        ("train", 40, 40),
        ("dev", 2, 2),
        ("test", 2, 3),
    ]
    assert first_words(tmp_path / "out/train.txt")[::39] == ["wsj_0200", "wsj_2101"]
    assert first_words(tmp_path / "out/dev.txt") == ["wsj_2200", "wsj_2201"]
    assert first_words(tmp_path / "out/test.txt") == ["wsj_2300", "wsj_2301", "wsj_2301"]
    assert (
        (tmp_path / "out/dev.txt")
        .read_text(encoding="utf-8")
        .startswith("(TOP (S (NP (NN wsj_2200)) (VP (VBZ ends)) (. .)))\n")
    )


def test_ptb_knows_the_counts_of_the_release(tmp_path: Path) -> None:
    preparation = prepare_treebank(find_ptb(make_ptb(tmp_path / "wsj")), tmp_path / "out")
    assert [(difference.split, difference.known) for difference in preparation.differences] == [
        ("train", 39_832),
        ("dev", 1_700),
        ("test", 2_416),
    ]


def test_ptb_reads_gzip_and_files_without_section_folders(tmp_path: Path) -> None:
    for section in range(25):
        path = tmp_path / "wsj" / f"wsj_{section:02}00.mrg.gz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(tree_for(path.name[:8]).encode()))
    prepare_treebank(find_ptb(tmp_path), tmp_path / "out")
    assert first_words(tmp_path / "out/test.txt") == ["wsj_2300"]


def test_a_missing_section_is_an_error(tmp_path: Path) -> None:
    wsj = make_ptb(tmp_path / "wsj")
    for path in (wsj / "07").iterdir():
        path.unlink()
    with pytest.raises(TreebankError, match=r"wsj: section 07 is missing; train needs all of its sections"):
        find_ptb(tmp_path)


def test_a_second_copy_of_an_article_is_an_error(tmp_path: Path) -> None:
    wsj = make_ptb(tmp_path / "wsj")
    (wsj / "03/wsj_0300.mrg.gz").write_bytes(b"")
    with pytest.raises(TreebankError, match=r"wsj_0300\.mrg\.gz: a second copy of .*wsj_0300\.mrg; keep one"):
        find_ptb(tmp_path)


def test_a_folder_without_ptb_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"no wsj_\*\.mrg files; expected the PTB-3 root"):
        find_ptb(tmp_path)
    with pytest.raises(TreebankError, match=r"nowhere: no such folder; expected the PTB-3 root"):
        find_ptb(tmp_path / "nowhere")


def test_a_truncated_gzip_is_an_error(tmp_path: Path) -> None:
    wsj = make_ptb(tmp_path / "wsj")
    path = wsj / "02/wsj_0202.mrg.gz"
    path.write_bytes(gzip.compress(tree_for("wsj_0202").encode())[:-20])
    with pytest.raises(TreeError, match=r"wsj_0202\.mrg\.gz: cannot be read to its end"):
        prepare_treebank(find_ptb(tmp_path), tmp_path / "out")
