"""When a predicted word is right, given the gold word that it is aligned with: a test for each of the scores."""

from __future__ import annotations

from spanlin.dependencies.sentence import EMPTY
from spanlin.evaluation.ud_alignment import Alignment
from spanlin.evaluation.ud_text import UDWord


class PairTests:
    """What of two aligned words has to be the same; a head is, if the predicted one is aligned with the gold one."""

    def __init__(self, alignment: Alignment) -> None:
        self._gold = alignment.gold.words
        self._predicted = alignment.predicted.words
        self._gold_of = alignment.gold_of

    def upos(self, gold: UDWord, predicted: UDWord) -> bool:
        return gold.upos == predicted.upos

    def xpos(self, gold: UDWord, predicted: UDWord) -> bool:
        return gold.xpos == predicted.xpos

    def features(self, gold: UDWord, predicted: UDWord) -> bool:
        return gold.features == predicted.features

    def all_tags(self, gold: UDWord, predicted: UDWord) -> bool:
        return self.upos(gold, predicted) and self.xpos(gold, predicted) and self.features(gold, predicted)

    def lemma(self, gold: UDWord, predicted: UDWord) -> bool:
        return gold.lemma in (EMPTY, predicted.lemma)  # where there is no gold lemma, any will do

    def head(self, gold: UDWord, predicted: UDWord) -> bool:
        if gold.head is None or predicted.head is None:
            return gold.head is predicted.head
        return self._gold_of.get(predicted.head) == gold.head

    def head_and_relation(self, gold: UDWord, predicted: UDWord) -> bool:
        return gold.relation == predicted.relation and self.head(gold, predicted)

    def head_and_full_relation(self, gold: UDWord, predicted: UDWord) -> bool:
        return gold.full_relation == predicted.full_relation and self.head(gold, predicted)

    def morphology(self, gold: UDWord, predicted: UDWord) -> bool:
        """MLAS: head, relation, tag and features, and the same of all function words that depend on it."""
        if not (self.head_and_relation(gold, predicted) and self._same_tag(gold, predicted)):
            return False
        own, others = gold.function_words, predicted.function_words
        return [self._gold_of.get(place) for place in others] == own and all(
            self._gold[one].relation == self._predicted[two].relation
            and self._same_tag(self._gold[one], self._predicted[two])
            for one, two in zip(own, others, strict=True)
        )

    def head_relation_and_lemma(self, gold: UDWord, predicted: UDWord) -> bool:
        return self.head_and_relation(gold, predicted) and self.lemma(gold, predicted)

    def _same_tag(self, gold: UDWord, predicted: UDWord) -> bool:
        return self.upos(gold, predicted) and self.features(gold, predicted)
