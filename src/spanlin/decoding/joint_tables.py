"""The tables G, L and R of `joint_chart` for all constituents that end at one split point j.

They cover the words from the first constituent that ends there, and count words and split points from its start.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from spanlin.decoding.greedy import IntArray
from spanlin.decoding.joint_scores import JointScores
from spanlin.decoding.scores import FloatArray
from spanlin.trees.tree import Span


class EndTables:
    """The tables, filled by width; what they find inside the constituents (i, j) is put into `inside`.

    `span` is from the first of these constituents' starts to j. `units` are the left and right ends of all units;
    `inside` is F, [n + 1, n + 1, n], known for units that end before j.
    """

    def __init__(self, scores: JointScores, units: tuple[IntArray, IntArray], inside: FloatArray, span: Span) -> None:
        first, last = span
        is_inside = (units[0] >= first) & (units[1] <= last)
        lefts, rights = units[0][is_inside], units[1][is_inside]
        labels = np.where(rights == last, scores.right[lefts, rights], scores.left[lefts, rights])
        lefts, rights, end = lefts - first, rights - first, last - first
        kept = len(lefts)
        self._first, self._end = first, end
        self._lefts, self._rights = lefts, rights
        self._numbers = np.full((end + 1, end + 1), -1)  # of the units by their ends
        self._numbers[lefts, rights] = np.arange(kept)
        self._arcs = scores.arcs[first:last, first + 1 : last + 1]  # by dependent and head, words from 0
        self._empty = scores.empty[first : last + 1, last]
        self._splits = scores.splits[first : last + 1, last]
        inside = inside[first:, first:, first:]  # a view
        self._inside = inside
        # A row for each word of each unit: unit by unit, and, in another order, word by word.
        lengths = rights - lefts
        self._unit_starts = np.cumsum(lengths) - lengths
        self._row_units = np.repeat(np.arange(kept), lengths)
        self._row_words = np.arange(len(self._row_units)) - np.repeat(self._unit_starts - lefts, lengths)
        self._by_word = np.argsort(self._row_words, kind="stable")
        self._word_starts = np.searchsorted(self._row_words[self._by_word], np.arange(end))
        # A unit by its head word, with its label; that of one that ends at j is added when it is found.
        is_last = rights == end
        self._labels = labels
        self._weights = inside[lefts, rights, :end] + labels[:, np.newaxis]
        self._weights[is_last & (lengths > 1)] = -np.inf
        every = np.arange(kept)
        self._right_sides = np.full((kept, end + 1), -np.inf)  # R by unit and e
        self._left_sides = np.full((kept, end + 1), -np.inf)  # L by unit and k
        self._right_sides[every, rights] = 0.0
        self._left_sides[every, lefts] = 0.0
        # G by k, e and a. One that reaches j has the empty label of its words, unless it is a single unit.
        self._blocks = np.full((end + 1, end + 1, end), -np.inf)
        self._links = np.full((kept, end + 1, end + 1), -np.inf)  # G and its best arc from a word of a unit, by k and e
        for width in range(1, end + 1):
            self._fill_blocks(width)
            self._fill_links(width)
            self._fill_right_sides(width)
            self._fill_left_sides(width)

    def _fill_blocks(self, width: int) -> None:
        end = self._end
        starts = np.arange(end - width + 1)
        sides = self._left_sides[:, starts] + self._right_sides[:, width:]
        rows = sides[self._row_units] + self._weights[self._row_units, self._row_words, np.newaxis]
        found = np.maximum.reduceat(rows[self._by_word], self._word_starts, axis=0).T  # [starts, words]
        self._blocks[starts, starts + width] = found
        start = end - width
        number = int(self._numbers[start, end])
        several = found[-1] if width > 1 else np.full(end, -np.inf)
        if width > 1:
            self._inside[start, end, :end] = several
            if number >= 0:
                self._weights[number] = several + self._labels[number]
        several = several + self._empty[start]
        self._blocks[start, end] = several if number < 0 else np.maximum(several, self._weights[number])

    def _fill_links(self, width: int) -> None:
        starts = np.arange(self._end - width + 1)
        heads = starts[:, np.newaxis] + np.arange(width)
        own = self._blocks[starts[:, np.newaxis], starts[:, np.newaxis] + width, heads]  # [starts, width]
        arcs = sliding_window_view(self._arcs, width, axis=0)  # [starts, governors, width]
        from_word = (own[:, np.newaxis] + arcs).max(axis=2)
        from_unit = np.maximum.reduceat(from_word.T[self._row_words], self._unit_starts, axis=0)
        self._links[:, starts, starts + width] = from_unit

    def _fill_right_sides(self, width: int) -> None:
        (units,) = (self._rights + width <= self._end).nonzero()
        stops = self._rights[units] + width
        starts = self._rights[units, np.newaxis] + np.arange(width)
        joins = self._right_joins(starts, stops[:, np.newaxis])
        units_, stops_ = units[:, np.newaxis], stops[:, np.newaxis]
        options = self._right_sides[units_, starts] + joins + self._links[units_, starts, stops_]
        self._right_sides[units, stops] = options.max(axis=1)

    def _fill_left_sides(self, width: int) -> None:
        (units,) = (self._lefts >= width).nonzero()
        if not units.size:
            return
        starts = self._lefts[units] - width
        stops = starts[:, np.newaxis] + np.arange(1, width + 1)
        units_, starts_ = units[:, np.newaxis], starts[:, np.newaxis]
        options = (
            self._links[units_, starts_, stops] + self._left_joins(units_, stops) + self._left_sides[units_, stops]
        )
        self._left_sides[units, starts] = options.max(axis=1)

    def _right_joins(self, starts: IntArray, stops: IntArray | int) -> FloatArray:
        """Return what a split before a block counts; one that reaches j has its label already."""
        joins: FloatArray = self._splits[starts] + np.where(np.equal(stops, self._end), 0.0, self._empty[starts])
        return joins

    def _left_joins(self, units: IntArray | int, stops: IntArray) -> FloatArray:
        """Return what a split after a block counts: without an empty label if only the last unit follows."""
        only_last = (stops == self._lefts[units]) & (self._rights[units] == self._end)
        joins: FloatArray = self._splits[stops] + np.where(only_last, 0.0, self._empty[stops])
        return joins

    @property
    def size(self) -> int:
        """How many numbers the largest table has."""
        return int(self._links.size)

    def units_of(self, span: Span, head: int, heads: IntArray) -> list[tuple[Span, int]]:
        """Return the units of the best constituent over a span that ends at j, each with its head word.

        The arcs between them are put into `heads`. Words and spans are those of the sentence, from 0; those in `heads`
        count from 1.
        """
        first = self._first
        found: list[tuple[Span, int]] = []
        waiting = [(span.left - first, span.right - first, head - first, False)]
        while waiting:
            start, stop, head, may_be_single = waiting.pop()
            unit = self._unit_in(start, stop, head, may_be_single)
            left, right = int(self._lefts[unit]), int(self._rights[unit])
            found.append((Span(first + left, first + right), first + head))
            blocks = []
            while start < left:
                stops = np.arange(start + 1, left + 1)
                options = self._links[unit, start, stops] + self._left_joins(unit, stops)
                block_stop = start + 1 + int((options + self._left_sides[unit, stops]).argmax())
                blocks.append((start, block_stop))
                start = block_stop
            while stop > right:
                starts = np.arange(right, stop)
                options = self._right_sides[unit, starts] + self._right_joins(starts, stop)
                block_start = right + int((options + self._links[unit, starts, stop]).argmax())
                blocks.append((block_start, stop))
                stop = block_start
            for block_start, block_stop in blocks:
                arcs = self._arcs[block_start:block_stop, left:right]
                options = self._blocks[block_start, block_stop, block_start:block_stop, np.newaxis] + arcs
                word, governor = np.unravel_index(int(options.argmax()), options.shape)
                heads[first + block_start + word] = first + left + governor + 1
                waiting.append((block_start, block_stop, block_start + int(word), True))
        return found

    def _unit_in(self, start: int, stop: int, head: int, may_be_single: bool) -> int:
        """Return the unit of the best block with this head word."""
        options = self._left_sides[:, start] + self._weights[:, head] + self._right_sides[:, stop]
        number = int(self._numbers[start, stop])
        if stop == self._end and number >= 0 and stop - start > 1:
            single = float(options[number])
            options[number] = -np.inf
            # Several units that reach j have an empty label over them, unless they are the constituent itself.
            if may_be_single and single >= options.max() + self._empty[start]:
                return number
        unit = int(options.argmax())
        assert options[unit] > -np.inf
        return unit
