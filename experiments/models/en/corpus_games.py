"""Bytes to paragraphs: what people say in games, in the files of each."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from experiments.models.en.corpus_markup import paragraphs, text_of

Extractor = Callable[[bytes, str], Iterator[str]]


def unescape_c(s: str) -> str:
    """Return what a string literal stands for."""
    s = re.sub(r'"\s*\n\s*"', "", s)
    return s.replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n").replace("\\t", " ").replace("\\\n", "\n")


def strings(regex: str, fix: Callable[[str], str] = str) -> Extractor:
    """Return an extractor of the string literals that a pattern finds."""
    rx = re.compile(regex, re.S)

    def run(data: bytes, path: str) -> Iterator[str]:
        for m in rx.finditer(text_of(data, path)):
            s = next(g for g in m.groups() if g is not None)
            yield from re.split(r"\n+", fix(unescape_c(s)))

    return run


def wml(s: str) -> str:
    """Return a line of Wesnoth without its markup."""
    s = re.sub(r"</?(i|b|big|small|span|bold|italic|ref|header|img|tt)\b[^>]*>", "", s.replace('""', '"'))
    return re.sub(r"\{[^}]*\}", "", s)


x_wesnoth = strings(r'_\s*"((?:[^"]|"")*)"', wml)

NAMES = ["James", "Maria", "Smith", "Anna", "Lee", "Elena", "Tom", "Nguyen", "Sarah", "Costa"]
PLACES = ["Winter", "Earth", "New Boston", "Dancer", "Oblate", "Tarazed", "Martini"]


def sky(s: str) -> str:
    """Return a line of Endless Sky with words in the place of its variables."""
    r = random.Random(len(s))
    s = s.replace("<first>", r.choice(NAMES)).replace("<last>", r.choice(NAMES)).replace("<ship>", "the Star")
    s = re.sub(r"<(origin|destination|planet|system|stopovers|waypoints)>", lambda m: r.choice(PLACES), s)
    s = s.replace("<payment>", "50,000 credits").replace("<commodity>", "food").replace("<tons>", "30 tons")
    s = s.replace("<cargo>", "30 tons of food").replace("<bunks>", "three").replace("<date>", "the fourth of May")
    return s.replace("<npc>", "the Raven").replace("<passengers>", "passengers").replace("<fare>", "2,000 credits")


def x_sky(data: bytes, path: str) -> Iterator[str]:
    t = text_of(data, path)
    for m in re.finditer(r"`([^`\n]*)`", t):
        yield sky(m.group(1))
    for m in re.finditer(r'^\s*(?:description|dialog|log|spaceport|blocked|on offer)\s+"([^"\n]*)"', t, re.M):
        yield sky(m.group(1))
    for m in re.finditer(r'^\t\t"([^"\n]{15,}[.?!])"\s*$', t, re.M):
        yield sky(m.group(1))


JSON_KEYS = {
    "description",
    "text",
    "dynamic_line",
    "yes",
    "no",
    "message",
    "messages",
    "start_msg",
    "end_msg",
    "str",
    "msg",
    "npc_dialogue",
    "offer",
    "accepted",
    "rejected",
    "advice",
    "inquire",
    "success",
    "success_lie",
    "failure",
    "concatenate",
    "and",
    "lore",
    "info",
    "examine_action",
    "topic",
    "unwield_msg",
    "menu_text",
    "activation_message",
}


def cata(s: str) -> str:
    """Return a line of Cataclysm with words in the place of its variables."""
    s = re.sub(r"</?color[^>]*>", "", s)
    for a, b in (
        ("<zombies>", "zombies"),
        ("<zombie>", "zombie"),
        ("<mypronoun>", "I"),
        ("<name_g>", "friend"),
        ("<name_b>", "scum"),
        ("<freaking>", "damn"),
        ("<freakin>", "damn"),
        ("<the_cataclysm>", "the cataclysm"),
        ("<swear>", "damn"),
        ("<swear!>", "Damn!"),
        ("<punc>", "."),
        ("<okay>", "okay"),
        ("<ill_die>", "I will die"),
        ("<really>", "really"),
        ("<very>", "very"),
        ("<do_you>", "Do you"),
        ("<done_mouth>", "all done"),
        ("<thirsty>", "thirsty"),
        ("<hungry>", "hungry"),
        ("<fuck_you>", "Get lost!"),
        ("<ill_kill_you>", "I'll kill you"),
        ("<lets_talk>", "Let's talk"),
        ("<greet>", "Hello."),
        ("<no>", "no"),
        ("<yrwp>", "gun"),
        ("<mywp>", "gun"),
    ):
        s = s.replace(a, b)
    return s


def x_cata(data: bytes, path: str) -> Iterator[str]:
    try:
        root = json.loads(text_of(data, path))
    except ValueError:
        return

    def walk(o: Any, key: str) -> Iterator[str]:
        if isinstance(o, dict):
            for k, v in o.items():
                if not k.startswith("//"):
                    yield from walk(v, k)
        elif isinstance(o, list):
            for v in o:
                yield from walk(v, key)
        elif isinstance(o, str) and key in JSON_KEYS and " " in o:
            yield from cata(o).lstrip('&"*').split("\n")

    yield from walk(root, "")


x_gettext_lua = strings(
    r'_\s*\(?\s*(?:"((?:[^"\\\n]|\\.)*)"|\[\[(.*?)\]\])',
    lambda s: (
        re.sub(r"#[a-zA-Z0-9]", "", s).replace("\n\n", "\n").replace("\n", " \n")
        if "\n\n" in s
        else s.replace("\n", " ")
    ),
)
x_gettext_py = strings(
    r'_\("((?:[^"\\]|\\.)*)"\)', lambda s: s.replace("$name", "Nora").replace("$fm{madam/sir}", "madam")
)
x_loc_lua = strings(r'loc\("((?:[^"\\]|\\.)*)"\)', lambda s: s.replace("|", " "))
x_fillets = strings(r'"font_\w+",\s*"((?:[^"\\]|\\.)*)"')
x_freeciv = strings(r'_\("((?:[^"\\]|\\.)*)"\)', lambda s: re.sub(r"(?<!\n)\n(?!\n)", " ", s))
x_yaml = strings(r"(?:^|\n)\s*-\s*['\"]?([A-Z][^\n]*?[.!?])['\"]?\s*(?=\n)")


def x_gearhead(data: bytes, path: str) -> Iterator[str]:
    for l in text_of(data, path).split("\n"):
        if l.lstrip().startswith("%"):
            continue
        for m in re.finditer(r"<([^<>]{20,}[.!?])>", l):
            yield m.group(1)


def x_pot(data: bytes, path: str) -> Iterator[str]:
    for entry in re.split(r"\n\s*\n", text_of(data, path)):
        m = re.search(r'^msgid (".*?")\nmsgstr', entry, re.M | re.S)
        if m:
            s = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', m.group(1)))
            for p in unescape_c(s).split("\n"):
                yield re.sub(r"^`[0-9$#%!@*]", "", p)


def x_crawl(data: bytes, path: str) -> Iterator[str]:
    t = re.sub(r"^#.*$", "", text_of(data, path), flags=re.M)
    for block in re.split(r"^%%%%.*$", t, flags=re.M):
        for p in list(paragraphs(block))[1:]:
            yield re.sub(
                r"^(VISUAL|SPELL|ENCHANT|WARN|SOUND|DANGER)( [A-Z]+)*:",
                "",
                re.sub(r"</?(w|h|lightgrey|darkgrey|white|cyan|yellow|green|red|magenta|blue|brown|light\w+)>", "", p),
            )


def x_freeorion(data: bytes, path: str) -> Iterator[str]:
    t = re.sub(r"^#.*$", "", text_of(data, path), flags=re.M)
    t = re.sub(
        r"\[\[(?:[A-Za-z_]+ )?([^\]]*)\]\]",
        lambda m: m.group(1).replace("_", " ").lower() if "_" in m.group(1) else m.group(1),
        t,
    )
    t = re.sub(r"<[^>]*>", "", t)
    for block in re.split(r"\n\s*\n", t):
        for l in block.split("\n")[1:]:
            yield l.strip("'")


def x_properties(data: bytes, path: str) -> Iterator[str]:
    for l in text_of(data, path).split("\n"):
        if "=" in l and not l.startswith("#"):
            for p in re.split(r"\\n", l.split("=", 1)[1]):
                yield re.sub(r"<[^>]*>", "", p).replace("\\", "")


def x_rpy(data: bytes, path: str) -> Iterator[str]:
    for m in re.finditer(r'^ {4,}(?:\w+ (?:\w+ )*)?"((?:[^"\\]|\\.)*)"\s*$', text_of(data, path), re.M):
        yield re.sub(r"\{[^}]*\}", "", unescape_c(m.group(1)))


def x_map(data: bytes, path: str) -> Iterator[str]:
    """Crossfire maps: what signs, books and people say (msg ... endmsg)."""
    if b"msg\n" not in data[:10_000_000]:
        return
    for m in re.finditer(r"^msg\n(.*?)^endmsg", text_of(data, path), re.M | re.S):
        t = re.sub(r"^@(match|question|reply).*$|^#.*$", "\n\n", m.group(1), flags=re.M)
        yield from paragraphs(re.sub(r"\[/?[a-z]+[^\]]*\]", "", t))
