"""Every kind of value that prose may have, and the text with its values."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.deviations import value_at
from experiments.kept_figures import KeptFigures
from experiments.placeholders import Placeholders, public_methods
from experiments.results import Results
from experiments.row_settings import settings_now, settings_then
from experiments.values import ResultValues
from experiments.verdicts import Judged


class Values(Placeholders):
    """Placeholders of results and of all other files that are kept."""

    def __init__(self, found: Results, judged: Sequence[Judged] = (), kept: KeptFigures | None = None) -> None:
        self._found = found
        kinds = public_methods(ResultValues(found, judged)) | public_methods(kept or KeptFigures())
        super().__init__(kinds, has_setting=self.has_setting, is_run=self.is_run)

    def has_setting(self, row: str, key: str, value: str, treebank: str = "") -> bool:
        """Return whether a row has this value at a key of its configuration: in all its results, if it has any.

        With a treebank, those on it.
        """
        of_results = [
            settings_then(result.config)
            for result in self._found.all
            if result.row == row and treebank in ("", result.treebank) and result.config
        ]
        settings = of_results or [settings_now(row)]
        return all(str(value_at(each, key, "no such key")) == value for each in settings)

    def is_run(self, rows: str, treebank: str) -> bool:
        """Return whether all rows, separated by commas, have results on a treebank that can be compared."""
        names = rows.split(",")
        return all(self._found.of(row, treebank) for row in names) and self._found.comparable(names, treebank)
