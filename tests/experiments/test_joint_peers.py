from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.peers.dependency_training import forms, write_parses
from click.testing import CliRunner
from experiments.joint_peers import PEERS, Run, has_ended_well, main

from experiments import joint_peers

SENTENCE = "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"

RIGHT = [(2, "nsubj"), (0, "root")]
WRONG_RELATION = [(2, "obj"), (0, "root")]

PRETENDED = """
import json, sys
from pathlib import Path
arguments = sys.argv[1:]
report = Path(arguments[arguments.index("--out") + 1])
found = json.loads(report.read_text()) if report.exists() else {"minutes": 1.5, "epochs": 3}
if "--measure" in arguments:
    found["parsing"] = {"sentences_per_second": 1000.0}
    if "--beside" in arguments:
        found["parsing"]["beside"] = arguments[arguments.index("--beside") + 1]
report.write_text(json.dumps(found))
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for treebank in ("ewt", "gum"):
        for part in ("train", "dev"):
            path = tmp_path / "data" / f"{treebank}-dep" / f"{part}.conllu"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SENTENCE, encoding="utf-8")
    return tmp_path / "data"


def pretend_to_train(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str = PRETENDED) -> None:
    """Put a program in the place of every training, and the parses where it would leave them."""
    script = tmp_path / "pretended.py"
    script.write_text(program, encoding="utf-8")
    real_command = Run.command

    def command(self: Run, *more: str) -> list[str]:
        for name in self.peer.treebanks:
            gold = self.file(name, "dev")
            parses = [RIGHT if name == "ewt" else WRONG_RELATION for _ in forms(gold)]
            write_parses(gold, parses, self.folder / f"report.{name}.conllu")
        return [sys.executable, str(script), *real_command(self, *more)[3:]]

    monkeypatch.setattr(Run, "command", command)


def run_main(tmp_path: Path, data: Path, *more: str) -> tuple[int, str]:
    options = ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs"), "--data", str(data)]
    found = CliRunner().invoke(main, [*options, "--device", "cpu", "--minutes", "1", "--seed", "1", *more])
    return found.exit_code, found.output


def test_parses_are_scored_by_our_scorer_and_the_rate_is_added(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_to_train(monkeypatch, tmp_path)
    code, output = run_main(tmp_path, data, "supar-minilm")
    assert code == 0, output
    found = json.loads((tmp_path / "results" / "supar-minilm-1.json").read_text(encoding="utf-8"))
    assert found["dependencies"]["ewt"] == {"uas": 100.0, "las": 100.0, "las_with_subtypes": 100.0}
    assert found["dependencies"]["gum"] == {"uas": 100.0, "las": 50.0, "las_with_subtypes": 50.0}
    assert found["parsing"] == {"sentences_per_second": 1000.0}
    assert found["minutes"] == 1.5


def test_a_peer_that_has_a_result_is_not_trained_again(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_to_train(monkeypatch, tmp_path)
    run_main(tmp_path, data, "stanza-ewt")
    before = (tmp_path / "results" / "stanza-ewt-1.json").read_text(encoding="utf-8")
    pretend_to_train(monkeypatch, tmp_path, "raise SystemExit(1)")
    assert run_main(tmp_path, data, "stanza-ewt")[0] == 0
    assert (tmp_path / "results" / "stanza-ewt-1.json").read_text(encoding="utf-8") == before


def test_a_folder_of_ours_is_measured_beside_a_peer_and_not_while_it_trains(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_to_train(monkeypatch, tmp_path)
    started = []
    real_start = Run.start

    def start(self: Run, *more: str) -> subprocess.Popen[bytes]:
        started.append(more)
        return real_start(self, *more)

    monkeypatch.setattr(Run, "start", start)
    code, output = run_main(tmp_path, data, "--beside", "ours-int8", "spacy-ewt")
    assert code == 0, output
    assert started == [(), ("--measure", "--beside", "ours-int8")]
    found = json.loads((tmp_path / "results" / "spacy-ewt-1.json").read_text(encoding="utf-8"))
    assert found["parsing"]["beside"] == "ours-int8"


def test_a_peer_that_fails_is_named_and_the_others_keep_their_results(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_to_train(
        monkeypatch, tmp_path, "import sys\nif any('mpnet' in a for a in sys.argv): sys.exit(1)" + PRETENDED
    )
    code, output = run_main(tmp_path, data, "supar-mpnet", "supar-minilm")
    assert code == 1
    assert "failed: supar-mpnet-1; see log.txt" in output
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["supar-minilm-1.json"]


def test_a_process_is_ended_when_its_time_is_up() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    assert not has_ended_well(process, 0.1)
    assert process.returncode is not None


def test_every_peer_names_a_training_command_that_is_there() -> None:
    folder = Path(joint_peers.__file__).parents[1] / "bench" / "peers"
    assert all((folder / f"train_{peer.name}_dependencies.py").exists() for peer in PEERS.values())
