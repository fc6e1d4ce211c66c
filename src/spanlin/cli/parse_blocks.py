"""What `spanlin parse` has other processes do: blocks of its sources to records, ready to be written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanlin.cli.sources import SourceBlock, SourceSentence

if TYPE_CHECKING:
    from spanlin.host.tasks import Answer, BlockParser
    from spanlin.parsed import Parsed
    from spanlin.runtime.options import ParseOptions
    from spanlin.text.forms import InputForm


@dataclass(frozen=True)
class BlockRecords:
    """Makes the record of each sentence of a block; without `write`, plain lines of brackets."""

    form: InputForm
    options: ParseOptions
    write: Callable[[Parsed, SourceSentence], str | None] | None

    def __call__(self, parser: BlockParser, block: SourceBlock, before: int) -> Answer[list[str | None]]:
        """Return the records."""
        from spanlin.host.tasks import Answer

        sentences = self._sentences(block)
        records: list[str | None]
        if self.write is None:
            lines = parser.bracket_items_here(sentences, _words, before=before)
            records = [line for _, line in lines]
        else:
            parses = parser.parse_items_here(sentences, _words, self.options, before=before)
            records = [self.write(parsed, sentence) for sentence, parsed in parses]
        return Answer(len(records), records)

    def _sentences(self, block: SourceBlock) -> Iterator[SourceSentence]:
        from spanlin.text.blocks import TextBlock
        from spanlin.text.forms import read_sentence

        if isinstance(block.content, TextBlock):
            for found in block.content.sentences():
                yield SourceSentence(found.words, found, block.file, block.place)
            return
        assert self.form != "text"
        for line in block.content:
            found = read_sentence(line, self.form)
            yield SourceSentence(found.words, found if self.form == "lines" else None, block.file, block.place)


def _words(sentence: SourceSentence) -> Any:
    return sentence.words
