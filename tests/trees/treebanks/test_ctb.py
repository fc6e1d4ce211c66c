from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.treebanks import find_ctb, prepare_treebank
from spanlin.trees.treebanks.ctb import blank_markup, to_utf8

ARTICLE = """<DOC>
<DOCID> CHTB_{number:03} </DOCID>
<HEADER>
<DATE> (of no importance) </DATE>
a line of text
</HEADER>
<BODY>
<HEADLINE>
<S ID=1>
( (IP-HLN (NP-SBJ (NN 小猫))
          (VP (VV 睡觉))))
</S>
</HEADLINE>
<TEXT>
<P>
<S ID=2>
( (CP (IP (NP-SBJ (-NONE- *pro*))
          (VP (VV 走)))
      (PU <)
      (SP 吧)
) )
</S>
</P>
</TEXT>
</BODY>
</DOC>
"""
TREES = "(TOP (IP (NP (NN 小猫)) (VP (VV 睡觉))))\n(TOP (CP (IP (VP (VV 走))) (PU <) (SP 吧)))\n"


def article(number: int) -> str:
    return ARTICLE.replace("{number:03}", f"{number:03}")


def make_ctb(folder: Path, numbers: list[int], encoding: str = "gb2312") -> Path:
    folder.mkdir(parents=True)
    for number in numbers:
        (folder / f"chtb_{number:03}.fid").write_bytes(article(number).encode(encoding))
    return folder


@pytest.mark.parametrize("encoding", ["gb2312", "gb18030", "utf-8", "utf-8-sig"])
def test_trees_are_found_between_the_markup_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    make_ctb(tmp_path / "ctb", [1, 301, 271], encoding)
    prepare_treebank(find_ctb(tmp_path / "ctb"), tmp_path / "out")
    for split in ("train", "dev", "test"):
        assert (tmp_path / f"out/{split}.txt").read_text(encoding="utf-8") == TREES


@pytest.mark.parametrize(
    ("folder", "source"),
    [
        ("LDC/data/bracketed", "."),
        ("LDC/data/bracketed", "LDC"),
        ("LDC/data/bracketed", "LDC/data"),
        ("LDC/bracketed", "LDC/bracketed"),
        ("LDC/data/utf-8/bracketed", "LDC"),
    ],
)
def test_ctb_is_divided_by_article_number(tmp_path: Path, folder: str, source: str) -> None:
    make_ctb(tmp_path / folder, [1, 270, 271, 300, 301, 325, 326, 400, 439, 440, 931, 1001, 1151, 1152])
    treebank = find_ctb(tmp_path / source)
    numbers: dict[str, list[int]] = {}
    for document in treebank.documents:
        numbers.setdefault(document.split_of(0), []).append(int(document.name.removeprefix("chtb_")))
    assert numbers == {"train": [1, 270, 440, 931, 1001, 1151], "dev": [301, 325], "test": [271, 300]}
    assert treebank.left_out == 4
    assert treebank.known_counts == {"train": 17_544, "dev": 352, "test": 348}


def test_every_line_stays_in_its_place_when_markup_is_blanked() -> None:
    text = b"<S ID=1> ( (A\n(B b)) ) </S>\n<P>\ntitle\n<S>\n)\n</S>\n ( (C\n\t(D <S>)))\n"
    assert blank_markup(text).split(b"\n") == [
        b"         ( (A",
        b"(B b)) ) ",
        b"",
        b"",
        b"   ",
        b")",
        b"",
        b" ( (C",
        b"\t(D <S>)))",
        b"",
    ]


def test_gb_text_becomes_utf8_and_utf8_stays() -> None:
    text = "( (NP (NN 中国) (NN 经济)) )"
    assert to_utf8(text.encode("gbk")) == to_utf8(text.encode()) == text.encode()


def test_a_malformed_tree_names_the_line_of_the_file(tmp_path: Path) -> None:
    folder = make_ctb(tmp_path / "ctb", [1, 271, 301])
    (folder / "chtb_002.fid").write_bytes(article(2).replace("(VP (VV 走)))", "(VP (VV 走))))))").encode("gb18030"))
    with pytest.raises(TreeSyntaxError, match=r"chtb_002\.fid:18:\d+: "):
        prepare_treebank(find_ctb(folder), tmp_path / "out")


def test_a_file_in_another_encoding_names_the_byte_or_is_skipped(tmp_path: Path) -> None:
    folder = make_ctb(tmp_path / "ctb", [1, 271, 301])
    (folder / "chtb_002.fid").write_bytes(article(2).encode("gb18030").replace(b"(VV ", b"(VV \xff", 1))
    with pytest.raises(TreeSyntaxError, match=r"chtb_002\.fid:11:19: neither UTF-8 nor GB 18030"):
        prepare_treebank(find_ctb(folder), tmp_path / "out")
    preparation = prepare_treebank(find_ctb(folder), tmp_path / "out", skip_bad=True)
    assert preparation.splits[0].sentences == 3
    assert preparation.splits[0].dropped == {"malformed": 1}


def test_a_split_without_an_article_is_an_error(tmp_path: Path) -> None:
    folder = make_ctb(tmp_path / "ctb", [1, 271])
    with pytest.raises(TreebankError, match=r"ctb: no article of dev is there; expected chtb_301-325"):
        find_ctb(folder)


def test_two_files_for_one_article_are_an_error(tmp_path: Path) -> None:
    folder = make_ctb(tmp_path / "ctb", [1, 271, 301])
    (folder / "chtb_0001.nw").write_bytes(b"")
    with pytest.raises(TreebankError, match=r"chtb_001\.fid: a second copy of .*chtb_0001\.nw; keep one of them"):
        find_ctb(folder)


def test_a_folder_without_ctb_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"no chtb_\*\.fid files; expected the CTB 5\.1 root"):
        find_ctb(tmp_path)
