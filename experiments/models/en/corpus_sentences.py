"""Paragraphs to sentences to tokens, and which of them to keep."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABBR = _words("""
mr mrs ms messrs mme dr prof rev hon st sr jr capt col gen lt sgt maj gov sen rep pres fig figs vol vols no
nos p pp ch chap sec art ed eds vs viz cf al etc e.g i.e eg ie approx inc ltd co corp dept est jan feb mar
apr jun jul aug sep sept oct nov dec mt ft a.m p.m u.s u.k u.n d.c ph.d b.c a.d esq v ver resp incl op cit
ibid ca bros supp trans lbs oz
""")
END = re.compile(r"""([.!?…]+|[.!?]+\))(["'”’)\]]*)(\s+)(?=["“‘'`(\[]*[A-Z0-9])""")


def split_sentences(p: str) -> list[str]:
    """Return the sentences of a paragraph."""
    p = " ".join(p.split())
    out: list[str] = []
    start = 0
    for m in END.finditer(p):
        if m.group(1) == ".":
            w = re.search(r"([A-Za-z.]+)$", p[start : m.start()])
            if w and not m.group(2):
                x = w.group(1).lower()
                if (x in ABBR and x not in ("etc", "no", "a.m", "p.m", "al", "v", "co", "inc", "ltd")) or (
                    re.fullmatch(r"[A-Za-z]|([A-Z]\.)+[A-Z]", w.group(1)) and w.group(1) not in ("I",)
                ):
                    continue
                if x in ("no", "v", "co", "al") and p[m.end() : m.end() + 1].isdigit():
                    continue
            elif re.search(r"(^|\s)\d{1,2}$", p[start : m.start()]) and m.start() - start < 4:
                continue
        out.append(p[start : m.start(3)])
        start = m.end()
    out.append(p[start:])
    return [s.strip() for s in out if s.strip()]


AFFIX_PRE = _words("""
e a u x agro ante anti arch be bi bio co counter cross cyber de eco ex extra inter intra macro mega micro
mid mini mono multi neo non o over pan para peri post pre pro proto pseudo quasi re semi sub super tri ultra
un uni vice
""")
AFFIX_SUF = _words("esque ette fest fold gate itis less like rama wise")
_SHORT = "|".join(
    re.escape(word) for word in sorted(ABBR) if "." not in word and word not in ("no", "v", "art", "al", "p", "be")
)
KEEP_PERIOD = re.compile(rf"^(?:[A-Za-z]\.|(?:[A-Za-z]\.){{2,}}|(?:{_SHORT})\.)$", re.I)
URL = re.compile(r"^(?:https?://|ftp://|www\.)\S+$|^[\w.+-]+@[\w-]+\.[\w.]+$", re.I)
CONTR = re.compile(r"(?i)(n['’]t|['’](?:s|re|ve|ll|d|m))$")
SPECIAL = {
    "cannot": (3,),
    "gonna": (3,),
    "gotta": (3,),
    "wanna": (3,),
    "lemme": (3,),
    "gimme": (3,),
    "d'ye": (2,),
    "'tis": (2,),
    "'twas": (2,),
    "’tis": (2,),
    "’twas": (2,),
    "more'n": (4,),
}
APOS_WORD = re.compile(r"(?i)^['’](?:tis|twas|twill|em|cause|til|till|round|bout|n|nuff|tain't|\d\ds?)\b")


def split_hyphen(w: str) -> list[str]:
    """Return a word cut at its hyphens and slashes, as newer treebanks have it; affixes stay."""
    if not re.fullmatch(r"[A-Za-z0-9À-ÿ.'’&]+(?:[-–/][A-Za-z0-9À-ÿ.'’&]+)+", w):
        return [w]
    parts = re.split(r"([-–/])", w)
    out = [parts[0]]
    for i in range(1, len(parts), 2):
        sep, nxt = parts[i], parts[i + 1]
        if sep == "-" and (out[-1].lower() in AFFIX_PRE or nxt.lower() in AFFIX_SUF):
            out[-1] += sep + nxt
        else:
            out += [sep, nxt]
    return out


def split_contractions(w: str) -> list[str]:
    """Return a word cut before its clitics."""
    low = w.lower()
    if low in SPECIAL:
        k = SPECIAL[low][0]
        return [w[:k], w[k:]]
    m = CONTR.search(w)
    if m and m.start() > 0:
        return [*split_contractions(w[: m.start()]), m.group(1)]
    return [w]


def tokenize(s: str, *, split_hyphens: bool) -> list[str]:
    """Return the Penn-style tokens of a sentence."""
    s = re.sub(r"([“”\"«»()\[\]{};!?…]|\.{2,}|--+|—|``|'')", r" \1 ", s)
    s = re.sub(r"([.]) +(?=[.])", r"\1", s)
    s = re.sub(r",(?!\d)|(?<!\d),", " , ", s)
    s = re.sub(r":(?![\d/])|(?<!\d):(?!//)", " : ", s)
    s = re.sub(r"([$£€#%&*])(?![A-Za-z]*;)", lambda m: f" {m.group(1)} " if m.group(1) in "$£€%" else m.group(1), s)
    raw = s.split()
    out: list[str] = []
    for i, w in enumerate(raw):
        if URL.match(w):
            out.append(w)
            continue
        pre: list[str] = []
        post: list[str] = []
        while len(w) > 1 and w[0] in "'‘`’" and not APOS_WORD.match(w) and not CONTR.fullmatch(w):
            pre.append(w[0])
            w = w[1:]
        while len(w) > 1 and w[-1] in "'’" and not CONTR.search(w):
            post.insert(0, w[-1])
            w = w[:-1]
        if len(w) > 1 and w[-1] == "." and set(w) != {"."}:
            final = all(re.fullmatch(r"[\"'”’)\]]+", x) for x in raw[i + 1 :])
            if final or not KEEP_PERIOD.match(w):
                keep_both = final and re.fullmatch(r"(?:[A-Za-z]\.){2,}", w)
                post.insert(0, ".")
                w = w if keep_both else w[:-1]
                while len(w) > 1 and w[-1] in "'’" and not CONTR.search(w):
                    post.insert(0, w[-1])
                    w = w[:-1]
        if len(w) > 1 and w[0] in "-–" and w[1].isalpha():
            pre.append(w[0])
            w = w[1:]
        if len(w) > 1 and w[-1] in "-–" and w[-2].isalpha():
            post.insert(0, w[-1])
            w = w[:-1]
        mid: list[str] = []
        for x in split_contractions(w):
            mid += split_hyphen(x) if split_hyphens else [x]
        out += pre + mid + post
    return out


STOP = _words("""
the a an of to in and or is are was were be been it its he she they we you i me my your his her their our
this that these those for on at by with from as not no do does did have has had will would can could should
may must if but so what who when where how there here him them us up out all any some one than then just n't
's 're 'm 'll 've let get go know very about into over only yes please oh well why
""")
BADCHAR = re.compile("[{}<>|\\\\^~@=_\u0370-\u1fff\u2022\u2100-\u9fff\ufffd]")
BAD = re.compile(
    r"(?<![\d] )%|% ?\d|\$ [a-z]|://|www\.|\.{5,}|%[a-z]|\$\w|--[a-z]+-|(?<!\w)/\w+/|\w\.\w+\(|\*\*"
    r"|\b(fixme|todo|isbn|copyright \(c\)|lorem ipsum)\b",
    re.I,
)
TERM = {".", "?", "!", "…", "...", '"', "”", "''", ")", "’", "'", ":", ";", ".."}
FOREIGN = _words("""
der die und das ist nicht ein eine les des est une dans pour que qui los las el para por uma não het een och
det att
""")


def is_good(toks: list[str], *, need_end: bool = True) -> bool:
    """Return whether tokens look like an English sentence and not like code, a heading or a table."""
    n = len(toks)
    if not 3 <= n <= 60:
        return False
    text = " ".join(toks)
    if BADCHAR.search(text) or BAD.search(text):
        return False
    words = [t for t in toks if t[0].isalpha()]
    if len(words) < 2 or len(words) < (0.5 if n > 12 else 0.38) * n:
        return False
    letters = sum(c.isalpha() for c in text)
    if (
        letters < (0.75 if n > 12 else 0.65) * len(text.replace(" ", ""))
        or sum(ord(c) > 0x24F and c.isalpha() for c in text) > 0
    ):
        return False
    if any(len(t) > 30 for t in toks):
        return False
    low = [t.lower() for t in words]
    if sum(w in STOP for w in low) < (0 if n < 7 else 1 if n < 12 else 2 if n < 20 else 3):
        return False
    if sum(w in FOREIGN for w in low) > 0.15 * len(low):
        return False
    if sum(w.isupper() and len(w) > 1 for w in words) > 0.4 * len(words):
        return False
    if len(words) > 5 and sum(w[0].isupper() for w in words) > 0.7 * len(words):
        return False
    if need_end and toks[-1] not in TERM:
        return False
    if toks[0] in {".", ",", ";", ":", "!", "?", ")", "]", "*", "#", "-", "--", "'s", "…", "..."}:
        return False
    if need_end and words[0][0].islower() and toks[0] not in {'"', "“", "'", "‘", "...", "…"}:
        return False
    if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
        return False
    # Half of a quotation is common in fiction: keep it if only an edge is missing.
    return not (text.count('"') % 2 and n > 3 and toks[0] != '"' and toks[-1] != '"')
