"""Our own parser under the same protocol, from a model folder that `spanlin export` wrote."""

from __future__ import annotations

import statistics
from typing import Any

from bench.peers import protocol
from bench.peers.bare_encoder import BareEncoder
from bench.peers.protocol import Figures, Job, Words


class Spanlin:
    """`Parser.brackets`; it sorts by length and batches by word pieces itself."""

    batch_unit = "word pieces"

    def __init__(self, parser: Any, *, device: str) -> None:
        self.parser = parser
        self.batches = (500, 1000, 1500, 3000, 6000) if device == "cpu" else (16_384, 32_768, 65_536)

    def single(self, sentence: Words) -> str:
        return str(next(iter(self.parser.bracket_lines([sentence]))))

    def many(self, sentences: list[Words], batch: int) -> list[str]:
        found: list[str] = list(self.parser.bracket_lines(sentences, batch_tokens=batch))
        return found


def load(job: Job) -> Spanlin:
    """Load a model folder as a user would."""
    from spanlin.parser import Parser

    options: dict[str, Any] = {} if job.device == "cpu" else {"device": job.device}
    return Spanlin(Parser.load(job.model, threads=job.threads, **options), device=job.device)


def train(job: Job) -> str:
    """Return where the weights come from: ours are trained beforehand."""
    return "trained by its own code beforehand"


def limit(job: Job, parser: protocol.LoadedParser, found: Figures) -> Figures:
    """Return the rate of the encoder alone over the same sentences, and our share of it."""
    if job.device != "cpu":
        return device_limit(job, found)
    graph = job.settings.get("bare_encoder")
    return onnx_limit(job, parser, graph) if graph else {}


def device_limit(job: Job, found: Figures) -> Figures:
    """Return where the device's time goes at the best batch size, and what share of it end to end keeps."""
    from bench.breakdown import breakdown

    sentences = protocol.read_sentences(job.sentences)
    shares = breakdown(job.model, sentences, batch=found["best_batch"], device=job.device).figures()
    return shares | {"bare_encoder_share": found["best_rate"] / shares["bare_encoder_rate"]}


def onnx_limit(job: Job, parser: protocol.LoadedParser, graph: str) -> Figures:
    """Return the rates of an encoder's ONNX graph, batch size by batch size, and our shares of them."""
    sentences = protocol.read_sentences(job.sentences)
    rates: dict[int, float] = {}
    shares: dict[int, float] = {}
    for batch in job.batches or parser.batches:
        encoder = BareEncoder(graph, f"{job.model}/tokenizer.json", sentences, batch=batch, threads=job.threads)
        # Turn by turn, so that whatever else the machine does slows both alike.
        pairs = [(encoder.seconds(), protocol.timed(parser, sentences, batch)) for _ in range(max(3, job.repeats))]
        rates[batch] = len(sentences) / min(bare for bare, _ in pairs)
        shares[batch] = statistics.median(bare / whole for bare, whole in pairs)
    best = max(rates, key=lambda batch: rates[batch])
    return {
        "bare_encoder_rate": rates[best],
        "bare_encoder_share": shares[best],
        "bare_encoder_best_batch": best,
        "bare_encoder_rate_by_batch": {str(batch): rate for batch, rate in rates.items()},
        "bare_encoder_share_by_batch": {str(batch): share for batch, share in shares.items()},
    }


if __name__ == "__main__":
    # The runtime is named beside the package, so that its size counts however it came to be installed.
    protocol.main(
        train=train,
        load=load,
        distributions=("spanlin", "click", "numpy", "onnxruntime", "rich", "tokenizers"),
        device_distributions=("safetensors", "torch"),
        extra=limit,
    )
