"""Part-of-speech tags as a parser will see them: each sentence tagged by a model that was not trained on it.

The training trees are cut into k blocks in a row, so that most documents stay whole. For each block a parser with a
tag head, and without tags as input, is trained on all the others and tags it; one more, trained on all blocks, tags
the dev trees and is kept. Finished work is never repeated: a killed run resumes where it stopped.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from spanlin.atomic_files import atomic_file, recover_folder
from spanlin.config.training import DistillationConfig, TrainingConfig, TreebankConfig, config_to_toml
from spanlin.errors import CheckpointError, ConfigError, TrainingError, TreeError
from spanlin.network.device import choose_device
from spanlin.training.checkpoint import Model, load_model
from spanlin.training.loop import train
from spanlin.training.metrics import Event, Watcher
from spanlin.training.parsing import predict_tags
from spanlin.trees.brackets import read_trees, write_trees
from spanlin.trees.labelled import labelled_splits
from spanlin.trees.tree import Leaf, Tree, rebuild

_MARK = "jackknife.json"


@dataclass(frozen=True, kw_only=True)
class TaggedFile:
    """A file of trees with predicted tags, and how many of them are the gold ones."""

    path: Path
    word_count: int
    correct: int

    @property
    def accuracy(self) -> float:
        """The percentage of words with their gold tag."""
        return 100.0 * self.correct / self.word_count


@dataclass(frozen=True, kw_only=True)
class TaggedTreebank:
    """A treebank with predicted tags; `tagger` is the checkpoint that was trained on all of its training trees."""

    name: str
    train: TaggedFile
    dev: TaggedFile | None
    folds: tuple[TaggedFile, ...]
    tagger: Path


@dataclass(frozen=True, kw_only=True)
class JackknifeResult:
    """The treebanks that are done; if `interrupted`, the same call resumes with the others."""

    treebanks: tuple[TaggedTreebank, ...]
    interrupted: bool


def jackknife_tags(
    config: TrainingConfig,
    folder: str | Path,
    *,
    folds: int = 10,
    treebanks: Sequence[str] = (),
    device: str = "",
    watch: Watcher | None = None,
) -> JackknifeResult:
    """Write copies of a configuration's treebanks with predicted tags in place of gold ones.

    Treebank NAME gets `folder/NAME/train.txt`, `dev.txt`, the tagged `folds/` and `tagger/`, a checkpoint. Each of
    the k + 1 trainings per treebank is the configuration's own run, dev trees included, without tags as input and
    without teachers. `treebanks` names those to do, if not all.
    """
    chosen = _choose_treebanks(config, treebanks)
    if folds < 2:
        raise ConfigError(f"folds must be at least 2, got {folds}")
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise TrainingError("tagging runs in one process: for several GPUs, give each its own treebank instead")
    settings = _tagger_config(config)
    done: list[TaggedTreebank] = []
    for treebank in chosen:
        place = Path(folder).resolve() / treebank.name
        job = _Job(settings, treebank, place, folds=folds, device=device, watch=watch)
        try:
            done.append(job.run())
        except _InterruptedError:
            return JackknifeResult(treebanks=tuple(done), interrupted=True)
    return JackknifeResult(treebanks=tuple(done), interrupted=False)


class _InterruptedError(Exception):
    """A training was stopped by the user."""


class _Job:
    """The tagging of one treebank."""

    def __init__(
        self,
        config: TrainingConfig,
        treebank: TreebankConfig,
        folder: Path,
        *,
        folds: int,
        device: str,
        watch: Watcher | None,
    ) -> None:
        self.config = config
        self.treebank = treebank
        self.folder = folder
        self.fold_count = folds
        self.device = device
        self.watch = watch

    def run(self) -> TaggedTreebank:
        gold = list(read_trees(self.treebank.train))
        dev_gold = list(read_trees(self.treebank.dev)) if self.treebank.dev else []
        if len(gold) < self.fold_count:
            raise TrainingError(f"{self.treebank.train}: {len(gold)} trees cannot be cut into {self.fold_count} folds")
        self.claim_folder()
        edges = [len(gold) * fold // self.fold_count for fold in range(self.fold_count + 1)]
        folds = [
            self.tag_fold(number, gold[:left] + gold[right:], gold[left:right])
            for number, (left, right) in enumerate(pairwise(edges), start=1)
        ]
        train_file = self.folder / "train.txt"
        if not train_file.exists():
            _write((tree for fold in folds for tree in read_trees(fold.path)), train_file)
        tagger = self.train_on_all()
        dev = None
        if dev_gold:
            dev_file = self.folder / "dev.txt"
            if not dev_file.exists():
                self.tag(load_model(tagger), dev_gold, dev_file)
            dev = _compare(dev_gold, dev_file)
            self.note(f"dev: {dev.accuracy:.2f}% of the tags right")
        return TaggedTreebank(
            name=self.treebank.name, train=_compare(gold, train_file), dev=dev, folds=tuple(folds), tagger=tagger
        )

    def claim_folder(self) -> None:
        """Make the folder, or check that what it holds was made from the same trees in the same way."""
        digest = hashlib.sha256(str(self.fold_count).encode())
        for source in (self.treebank.train, self.treebank.dev):
            digest.update(hashlib.sha256(Path(source).read_bytes() if source else b"").digest())
        alone = dataclasses.replace(self.config, treebanks=(self.treebank,))
        digest.update(config_to_toml(alone).encode())
        mark = json.dumps({"made_from": digest.hexdigest()})
        path = self.folder / _MARK
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                self.require_empty_folder()
                with atomic_file(path) as stream:
                    stream.write(mark.encode())
            (self.folder / "folds").mkdir(exist_ok=True)
            found = path.read_text(encoding="utf-8")
        except OSError as error:
            raise TrainingError(f"{self.folder}: cannot be written: {error.strerror}") from error
        if found != mark:
            raise CheckpointError(
                f"{self.folder}: it holds tags of other trees, another configuration or another number of folds: "
                "choose another folder"
            )

    def require_empty_folder(self) -> None:
        """Raise a CheckpointError if the folder holds other files, which would be mixed up with tagged trees."""
        leftover = f".{_MARK}."  # of a start that was killed
        others = sorted(path.name for path in self.folder.iterdir() if not path.name.startswith(leftover))
        if others:
            raise CheckpointError(f"{self.folder}: holds {others[0]} already, not tagged trees: choose another folder")

    def tag_fold(self, number: int, others: Sequence[Tree], held_out: Sequence[Tree]) -> TaggedFile:
        """Return a fold with the tags of a model that was trained on the others."""
        path = self.folder / "folds" / f"{number:02}.txt"
        place = self.folder / "folds" / f"run-{number:02}"
        if not path.exists():
            self.note(f"fold {number} of {self.fold_count}")
            place.mkdir(exist_ok=True)
            train_file = place / "train.txt"
            if not train_file.exists():
                _write(others, train_file)
            self.tag(load_model(self.train(str(train_file), place / "run")), held_out, path)
        shutil.rmtree(place, ignore_errors=True)
        tagged = _compare(held_out, path)
        self.note(f"fold {number} of {self.fold_count}: {tagged.accuracy:.2f}% of the tags right")
        return tagged

    def train_on_all(self) -> Path:
        """Return the checkpoint of the model that is trained on all training trees."""
        tagger = self.folder / "tagger"
        place = self.folder / "run-all"
        if not tagger.exists():
            self.note("all folds, for the dev trees")
            self.train(self.treebank.train, place).rename(tagger)
        shutil.rmtree(place, ignore_errors=True)
        return tagger

    def train(self, train_file: str, place: Path) -> Path:
        """Return the best checkpoint of a run, which may have been begun before."""
        treebank = dataclasses.replace(self.treebank, train=train_file, weight=1.0)
        config = dataclasses.replace(self.config, treebanks=(treebank,))
        recover_folder(place / "last")
        result = train(config, place, resume=(place / "last").exists(), device=self.device, watch=self.watch)
        if result.interrupted:
            raise _InterruptedError
        return result.best

    def tag(self, model: Model, trees: Sequence[Tree], path: Path) -> None:
        """Write the trees with the tags of a model."""
        device = choose_device(self.device)
        model.network.to(device)
        examples = model.featurizer(map(labelled_splits, trees), has_tree=False)
        precision = self.config.precision if device.type == "cuda" else "fp32"
        found = predict_tags(model, examples, device=device, precision=precision)
        _write(map(with_tags, trees, found), path)

    def note(self, text: str) -> None:
        if self.watch is not None:
            self.watch(Event(kind="note", text=f"{self.treebank.name}: {text}"))


def with_tags(tree: Tree, tags: Iterable[str]) -> Tree:
    """Return the tree with these tags on its words, from left to right."""
    waiting = iter(tags)
    (tagged,) = rebuild(
        tree,
        leaf=lambda leaf: (Leaf(next(waiting), leaf.word),),
        constituent=lambda label, children: (Tree(label, children),),
    )
    assert isinstance(tagged, Tree)
    return tagged


def _choose_treebanks(config: TrainingConfig, names: Sequence[str]) -> list[TreebankConfig]:
    known = [treebank.name for treebank in config.treebanks if treebank.train]
    for name in names:
        if name not in known:
            raise ConfigError(f"no treebank {name!r} in the configuration; it has {', '.join(known)}")
    chosen = [treebank for treebank in config.treebanks if treebank.name in (names or known)]
    for treebank in chosen:
        if Path(treebank.name).name != treebank.name or treebank.name == "..":
            raise ConfigError(f"treebank {treebank.name!r}: its name must be usable as the name of a folder")
    return chosen


def _tagger_config(config: TrainingConfig) -> TrainingConfig:
    """Return the configuration of a model that gives tags and needs none."""
    network = config.network
    if network.loss.tag_weight <= 0:
        raise ConfigError("network.loss.tag_weight is 0: a tagger learns nothing without it")
    lexical = network.lexical
    if network.input == "lexical":
        lexical = dataclasses.replace(lexical, tag_width=0)
    network = dataclasses.replace(network, lexical=lexical, scorer=dataclasses.replace(network.scorer, tag_head=True))
    return dataclasses.replace(config, network=network, distillation=DistillationConfig())


def _write(trees: Iterable[Tree], path: Path) -> None:
    try:
        write_trees(trees, path)
    except TreeError as error:
        raise TrainingError(f"{error}; the same call resumes from here") from error


def _compare(gold: Sequence[Tree], path: Path) -> TaggedFile:
    pairs = [
        (one.tag, two.tag)
        for tree, tagged in zip(gold, read_trees(path), strict=True)
        for one, two in zip(tree.leaves, tagged.leaves, strict=True)
    ]
    return TaggedFile(path=path, word_count=len(pairs), correct=sum(one == two for one, two in pairs))
