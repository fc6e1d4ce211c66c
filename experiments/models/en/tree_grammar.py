"""Print made-up sentences as Penn Treebank trees: grammars of our own, for what open treebanks lack.

    python -m experiments.models.en.tree_grammar business --trees 6000 --seed 1 > trees.txt
    python -m experiments.models.en.tree_grammar everyday --trees 12000 --seed 1 > trees.txt

`business` is news of companies and markets, `everyday` what people say, ask and text, and headlines. The rules and the
words of each are in a folder of its own, which GRAMMARS names; the README in `business/` says how they are written.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.models.en.corpus_exclusions import key_of
from experiments.models.everyday import read_everyday

from spanlin.trees.brackets import parse_tree

_SHARES = {"": 1.0, "?": 0.35, "??": 0.12}  # how often a symbol marked so is there at all
_DEEPEST = 60
_INFLECTED = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
_SLOT = "V"  # a tag in a rule that stands for the form which the symbol was called with
_SMALL = frozenset({"CC", "DT", "IN", "TO"})  # tags of words that a title writes small
_UNCHANGED = frozenset({"NFP", "-LRB-", "-RRB-"})  # smileys and escaped brackets have no case
_QUOTES = (("``", "''"), ('"', '"'), ('"', '"'), ("\u201c", "\u201d"))


@dataclass(frozen=True, kw_only=True)
class GrammarFiles:
    """Where the rules and words of a grammar are, how long its sentences may be, and whether its quotes vary."""

    folder: str
    lengths: tuple[int, int]
    all_quotes: bool = False
    """Quotes as typed and as printed, too; else only the treebank's."""

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(__file__).parent / self.folder


GRAMMARS = {
    "business": GrammarFiles(folder="business", lengths=(3, 48)),
    "everyday": GrammarFiles(folder="everyday_trees", lengths=(1, 40), all_quotes=True),
}
_LEXICON = "lexicon"  # files that are named so have words, other text files rules


class TooDeepError(Exception):
    """The random choices led into a sentence that nobody would write."""


@dataclass(frozen=True)
class Rule:
    """One way to write a symbol; its tokens are `(LABEL`, `)`, `TAG/word` and `@symbol`."""

    weight: float
    tokens: tuple[str, ...]


def read_rules(files: GrammarFiles) -> dict[str, list[Rule]]:
    """Return the rules of each symbol."""
    grammar: dict[str, list[Rule]] = {}
    symbol = ""
    for line in _lines(files, lexicon=False):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            symbol = line.strip()
            grammar.setdefault(symbol, [])
            continue
        weight, _, rest = line.strip().partition(" ")
        if not re.fullmatch(r"[\d.]+", weight):
            weight, rest = "1", line.strip()
        grammar[symbol].append(Rule(float(weight), tuple(rest.replace(")", " )").split())))
    return grammar


def _lines(files: GrammarFiles, *, lexicon: bool) -> Iterator[str]:
    for path in sorted(files.path.glob("*.txt")):
        if path.name.startswith(_LEXICON) is lexicon:
            yield from path.read_text(encoding="utf-8").splitlines()


def read_lexicon(files: GrammarFiles) -> dict[str, list[str]]:
    """Return the entries of each class of words."""
    lexicon: dict[str, list[str]] = {}
    for line in _lines(files, lexicon=True):
        if line.strip() and not line.startswith("#"):
            name, _, words = line.partition(":")
            lexicon.setdefault(name.strip(), []).extend(words.split())
    return lexicon


def inflect(entry: str, tag: str) -> str:
    """Return the form of a noun or verb that a tag asks for; an entry is `base` or `base|past|participle|ing`."""
    if tag == "NNS" and "|" in entry:
        return entry.split("|")[1]
    if tag in ("NNS", "VBZ"):
        base = entry.split("|", maxsplit=1)[0]
        if tag == "VBZ" and base == "have":
            return "has"
        if re.search(r"(s|x|sh|ch|z)$", base) or (tag == "VBZ" and base.endswith("o")):
            return base + "es"
        return re.sub(r"(?<![aeiou])y$", "ie", base) + "s"
    forms = entry.split("|")
    base = forms[0]
    stem = base[:-1] if base.endswith("e") and not base.endswith("ee") else base
    regular = base + "d" if base.endswith("e") else re.sub(r"(?<![aeiou])y$", "i", base) + "ed"
    past = forms[1] if len(forms) > 1 else regular
    participle = forms[2] if len(forms) > 2 else past
    ing = forms[3] if len(forms) > 3 else stem + "ing"
    return {"VBD": past, "VBN": participle, "VBG": ing}.get(tag, base)


def _numbers(rng: random.Random) -> dict[str, Callable[[], str]]:
    """Return the classes of words that are numbers, each written afresh at every use."""
    halves = ("1/2", "1/4", "3/4", "1/8", "3/8", "5/8", "7/8", "1/16", "5/16", "3/32")

    eighths = ("25", "50", "75", "125", "375", "625", "875")

    def price() -> str:
        return f"{rng.randint(2, 140)}.{rng.choice((*eighths, f'{rng.randint(1, 99):02}'))}"

    def amount() -> str:
        return rng.choice((f"{rng.uniform(1, 990):.1f}", str(rng.randint(2, 900)), f"{rng.uniform(1, 9.9):.2f}"))

    def dec() -> str:
        return f"{rng.uniform(1, rng.choice((9, 99, 999))):.{rng.choice((1, 1, 2))}f}"

    return {
        "int": lambda: str(rng.choice((rng.randint(2, 30), rng.randint(10, 99), rng.randint(100, 990)))),
        "small": lambda: str(rng.randint(2, 40)),
        "round": lambda: str(rng.choice((10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200, 300, 500))),
        "thousands": lambda: f"{rng.randint(1000, 980000):,}",
        "roundthousands": lambda: f"{rng.randint(1, 900) * 100 + 1000:,}",
        "dec": dec,
        "amount": amount,
        "cents": lambda: rng.choice((str(rng.randint(2, 98)), f"{rng.choice((12, 25, 37, 50, 62, 75, 87))}.5")),
        "price": price,
        "pct": lambda: rng.choice(
            (str(rng.randint(2, 95)), f"{rng.uniform(0.1, 39):.1f}", f"{rng.uniform(5, 12):.2f}")
        ),
        "rate": lambda: rng.choice((f"{rng.uniform(5, 12):.2f}", str(rng.randint(5, 13)))),
        "fraction": lambda: rng.choice(halves).replace("/", rng.choice(("\\/", "\\/", "/"))),
        "year": lambda: str(rng.choice((rng.randint(1975, 1996), rng.randint(1985, 2024)))),
        "season": lambda: f"{(year := rng.randint(1984, 2019))}-{(year + 1) % 100:02}",
        "day": lambda: str(rng.randint(1, 30)),
        "age": lambda: str(rng.randint(34, 71)),
        "rule": lambda: str(rng.randint(3, 29)),
        "clock": lambda: f"{rng.randint(1, 12)}:{rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 50)):02}",
        "hour": lambda: str(rng.randint(1, 12)),
        "level": lambda: rng.choice((f"{rng.randint(1000, 40000):,}", str(rng.randint(100, 9000)), amount())),
    }


class Grammar:
    """Draws trees: `@symbol` becomes one of its rules, a word class one of its words, all from one random stream."""

    def __init__(
        self,
        rules: dict[str, list[Rule]],
        lexicon: dict[str, list[str]],
        seed: int,
        *,
        lengths: tuple[int, int] = (3, 48),
        all_quotes: bool = False,
    ) -> None:
        self.rules = rules
        self.lexicon = lexicon
        self.lengths = lengths
        self.all_quotes = all_quotes
        self.random = random.Random(seed)
        self.numbers = _numbers(self.random)

    def tokens(self, symbol: str, form: str = "", depth: int = 0) -> Iterator[str]:
        """Yield `(LABEL`, `)`, `TAG/word` and `!manner`; `form` is what `V/` stands for in this symbol's rules."""
        if depth > _DEEPEST:
            raise TooDeepError
        rules = self.rules[symbol]
        rule = self.random.choices(rules, [rule.weight for rule in rules])[0]
        for token in rule.tokens:
            if token.startswith("@"):
                name = token.rstrip("?")
                if self.random.random() < _SHARES[token[len(name) :]]:
                    called, _, wanted = name[1:].partition(":")
                    yield from self.tokens(called, form if wanted == _SLOT else wanted, depth + 1)
            elif "/" in token and not token.startswith("("):
                tag, _, word = token.partition("/")
                tag = form if tag == _SLOT else tag
                yield f"{tag}/{self._word(word, tag)}"
            else:
                yield token

    def _word(self, pattern: str, tag: str) -> str:
        """Return a word: parts joined by `+`, of which `@class` draws from the lexicon."""
        parts = pattern.split("+")
        return "".join(self._draw(part[1:], tag) if part.startswith("@") else part for part in parts)

    def _draw(self, name: str, tag: str) -> str:
        if name in self.numbers:
            return self.numbers[name]()
        entry = self.random.choice(self.lexicon[name])
        return inflect(entry, tag) if tag in (*_INFLECTED, "NNS") else entry.split("|")[0]

    def sentence(self) -> str:
        """Return one tree of a length that such sentences have."""
        while True:
            try:
                tokens = list(self.tokens("top"))
            except TooDeepError:
                continue
            manner = next((token for token in tokens if token.startswith("!")), "")
            tokens = tidy(
                [token for token in tokens if not token.startswith("!")],
                drop_full_stop=self.random.random() < 0.7,
                manner=manner,
            )
            if self.all_quotes:
                tokens = quoted(tokens, self.random.choice(_QUOTES))
            if self.lengths[0] <= sum(is_leaf(token) for token in tokens) <= self.lengths[1]:
                return brackets(tokens)


def is_leaf(token: str) -> bool:
    """Return whether a token is a word."""
    return token != ")" and not token.startswith("(")


def tidy(tokens: list[str], *, drop_full_stop: bool, manner: str = "") -> list[str]:
    """Return tokens spelt as print has them: one comma where two meet, a or an, a capital at the start.

    With `drop_full_stop`, an abbreviation at the very end gives its full stop to the sentence, as in the treebank. The
    manner `!lower` writes no capitals, as in a chat, and `!title` many, as in a headline.
    """
    leaves = [place for place, token in enumerate(tokens) if is_leaf(token)]
    dropped: set[int] = set()
    last = leaves[0]
    for place in leaves[1:]:
        # Of two commas that meet, the treebank keeps the one of the larger phrase.
        if tokens[last] == ",/," and tokens[place].partition("/")[0] in (",", ".", ":", "-RRB-"):
            dropped.add(last)
        last = place
    kept = [place for place in leaves if place not in dropped]
    words = dict.fromkeys(kept, "")
    for place, following in zip(kept, [*kept[1:], -1], strict=True):
        tag, _, word = tokens[place].partition("/")
        after = tokens[following].partition("/")[2] if following >= 0 else ""
        if tag == "DT" and word == "a" and _sounds_open(after):
            word = "an"
        if drop_full_stop and word.endswith(".") and len(word) > 1 and after == ".":
            word = word[:-1]
        words[place] = f"{tag}/{word}"
    first = next((place for place in kept if words[place].partition("/")[0] not in ("``", "-LRB-", ":")), kept[0])
    for place in kept:
        tag, _, word = words[place].partition("/")
        if manner == "!lower":
            word = word if tag in _UNCHANGED else word.lower()
        elif place == first or (manner == "!title" and tag not in _SMALL and word != "n't"):
            word = f"{word[0].upper()}{word[1:]}"
        words[place] = f"{tag}/{word}"
    return [words.get(place, token) for place, token in enumerate(tokens) if place not in dropped]


def _sounds_open(word: str) -> bool:
    if re.match(r"(8|11(\D|$)|18(\D|$))", word):
        return True
    return bool(re.match(r"(?i)[aeio]|un[^i]|u[^ns]|(?-i:[AEFHILMNORSX][A-Z])", word)) and not re.match(
        r"(?i)one|eu", word
    )


def quoted(tokens: list[str], marks: tuple[str, str]) -> list[str]:
    """Return tokens with other quotation marks than the treebank's, and a capital after each that opens."""
    changed = []
    after_opening = False
    for token in tokens:
        tag, _, word = token.partition("/")
        if token == "''/''":
            token = f"{tag}/{marks[1]}"
        elif token == "``/``":
            token, after_opening = f"{tag}/{marks[0]}", True
        elif after_opening and is_leaf(token):
            token, after_opening = f"{tag}/{word[0].upper()}{word[1:]}", False
        changed.append(token)
    return changed


def brackets(tokens: list[str]) -> str:
    """Return one line of bracketed text."""
    text = " ".join(f"({token.replace('/', ' ', 1)})" if is_leaf(token) else token for token in tokens)
    return text.replace(" )", ")")


def generate(name: str, count: int, seed: int) -> Iterator[str]:
    """Yield trees of a grammar, one a line, the same for the same seed; no tree comes twice.

    None is a sentence of everyday/sentences.txt, on which models are measured.
    """
    files = GRAMMARS[name]
    kept_back = {key_of(sentence.words) for sentence in read_everyday()}
    grammar = Grammar(read_rules(files), read_lexicon(files), seed, lengths=files.lengths, all_quotes=files.all_quotes)
    seen: set[str] = set()
    while len(seen) < count:
        tree = grammar.sentence()
        if tree not in seen and key_of(parse_tree(tree).words) not in kept_back:
            seen.add(tree)
            yield tree


def main() -> None:
    """Print trees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grammar", choices=sorted(GRAMMARS))
    parser.add_argument("--trees", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.stdout.writelines(f"{tree}\n" for tree in generate(arguments.grammar, arguments.trees, arguments.seed))


if __name__ == "__main__":
    main()
