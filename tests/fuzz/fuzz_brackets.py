"""Fuzzing of the bracket reader, guided by the branches it takes. Needs `pip install atheris`.

    python tests/fuzz/fuzz_brackets.py -runs=1000000 -seed=1

Options are libFuzzer's. Atheris knows which inputs reach new branches; but most of the reader's decisions are inside
one regular expression, which it cannot see, and random bytes hardly ever are a tree. So half of the mutations are our
own: they start from trees in many layouts and change brackets, line ends and labels. The same mutations, without
atheris, are a quick seeded test in the normal suite.
"""

from __future__ import annotations

import random
import sys


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["spanlin.trees"]):
        from bracket_checks import check_reading, damage, random_input

    def mutate(raw: bytes, max_size: int, seed: int) -> bytes:
        generator = random.Random(seed)
        kind = generator.randrange(6)
        if kind < 3:
            return bytes(atheris.Mutate(raw, max_size))
        return (random_input(generator) if kind == 3 else damage(raw, generator))[:max_size]

    arguments = [sys.argv[0], "-max_len=400", *sys.argv[1:]]
    atheris.Setup(arguments, check_reading, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
