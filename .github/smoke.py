"""One sentence through an installed spanlin: fails if its tree is not the expected one."""

from spanlin import Parser

EXPECTED = "(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))"

if __name__ == "__main__":
    (parsed,) = Parser.load().parse("Dogs bark.")
    if parsed.brackets() != EXPECTED:
        raise SystemExit(f"expected {EXPECTED}, got {parsed.brackets()}")
