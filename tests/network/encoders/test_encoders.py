from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from spanlin.config.network import ContextConfig, LexicalConfig
from spanlin.network.batch import LexicalInput
from spanlin.network.encoders.bilstm import BiLstm
from spanlin.network.encoders.dropout import SharedDropout
from spanlin.network.encoders.lexical import LexicalEmbedding
from spanlin.network.encoders.transformer import LEARNED_POSITIONS, PartitionedTransformer, _sinusoids

CONFIG = ContextConfig(width=16, layers=1, heads=2, head_width=8, feed_forward_width=16, dropout=0.0)


def test_the_halves_of_a_bilstm_vector_have_read_from_either_side() -> None:
    torch.manual_seed(1)
    encoder = BiLstm(5, CONFIG).eval()
    x = torch.randn(2, 9, 5)
    counts = torch.tensor([9, 6])
    before = encoder(x, counts)
    for position in range(6):
        changed = x.clone()
        changed[:, position] += 1
        after = encoder(changed, counts)
        for row, count in enumerate(counts.tolist()):
            moved = (before[row, :count] != after[row, :count]).view(count, 2, 8).any(dim=2)
            assert moved[:, 0].tolist() == [place >= position for place in range(count)]
            assert moved[:, 1].tolist() == [place <= position for place in range(count)]


def test_a_bilstm_equals_the_two_directions_of_torch() -> None:
    torch.manual_seed(1)
    encoder = BiLstm(5, CONFIG).eval()
    oracle = torch.nn.LSTM(5, 8, batch_first=True, bidirectional=True)
    for name, value in encoder.rightward[0].state_dict().items():
        oracle.get_parameter(name).data.copy_(value)
    for name, value in encoder.leftward[0].state_dict().items():
        oracle.get_parameter(f"{name}_reverse").data.copy_(value)
    x = torch.randn(3, 7, 5)
    counts = torch.tensor([7, 1, 4])
    found = encoder(x, counts)
    for row, count in enumerate(counts.tolist()):
        torch.testing.assert_close(found[row, :count], oracle(x[row : row + 1, :count])[0][0])


def test_a_transformer_lets_content_and_position_meet_in_attention_alone() -> None:
    torch.manual_seed(1)
    encoder = PartitionedTransformer(5, CONFIG).eval()
    counts = torch.tensor([6])
    # The same word everywhere: attention then mixes equal content, so no position can leak into it.
    alike = encoder(torch.randn(1, 1, 5).expand(1, 6, 5), counts)[0]
    quarters = alike.view(6, 4, 4)  # content, position, content, position
    torch.testing.assert_close(quarters[:, [0, 2]], quarters[:1, [0, 2]].expand(6, 2, 4))
    assert not quarters[0, [1, 3]].allclose(quarters[1, [1, 3]])


def test_positions_are_sines_and_cosines_of_falling_rates() -> None:
    found = _sinusoids(3, 4, torch.device("cpu"))
    for position in range(3):
        angles = (position, position / 100)  # 10000 ** (-2 / 4) is a hundredth
        assert found[position].tolist() == pytest.approx([*map(math.sin, angles), *map(math.cos, angles)])


def test_a_transformer_knows_the_order_of_words() -> None:
    torch.manual_seed(1)
    encoder = PartitionedTransformer(5, CONFIG).eval()
    x = torch.randn(1, 6, 5)
    there = encoder(x, torch.tensor([6]))
    back = encoder(x.flip(1), torch.tensor([6])).flip(1)
    assert not there.allclose(back, atol=1e-3)


def test_learned_positions_start_again_after_the_last_one() -> None:
    torch.manual_seed(1)
    encoder = PartitionedTransformer(5, replace(CONFIG, positions="learned")).eval()
    count = LEARNED_POSITIONS + 7
    found = encoder(torch.randn(1, count, 5), torch.tensor([count]))
    assert found.shape == (1, count, 16)
    assert found.isfinite().all()
    places = encoder._places(count, torch.device("cpu"))
    assert places[LEARNED_POSITIONS:].equal(places[:7])
    assert len({tuple(place) for place in places.tolist()}) == LEARNED_POSITIONS


def test_a_joint_norm_makes_content_and_position_one_vector() -> None:
    torch.manual_seed(1)
    encoder = PartitionedTransformer(5, replace(CONFIG, joint_norm=True, positions="learned")).eval()
    found = encoder(torch.randn(2, 6, 5), torch.tensor([6, 4]))
    torch.testing.assert_close(found.mean(dim=-1), torch.zeros(2, 6), atol=1e-5, rtol=0)
    torch.testing.assert_close(found.var(dim=-1, unbiased=False), torch.ones(2, 6), atol=1e-3, rtol=0)
    halves = torch.cat([found[..., :4], found[..., 8:12]], dim=-1)
    assert not halves.mean(dim=-1).allclose(torch.zeros(2, 6), atol=1e-2)


def test_attention_may_be_divided_by_the_root_of_the_models_width() -> None:
    torch.manual_seed(1)
    encoder = PartitionedTransformer(5, replace(CONFIG, attention_scale="model")).eval()
    twin = PartitionedTransformer(5, CONFIG).eval()
    twin.load_state_dict(encoder.state_dict())
    x, counts = torch.randn(2, 6, 5), torch.tensor([6, 4])
    assert not encoder(x, counts).allclose(twin(x, counts))
    with torch.no_grad():
        for half in range(2):  # the queries: a head is 8 wide, the model 16
            twin.get_parameter(f"layers.0.queries_keys_values.{half}.weight")[:8] *= 2**-0.5
    torch.testing.assert_close(encoder(x, counts), twin(x, counts))


def test_shared_dropout_drops_the_same_features_at_every_position() -> None:
    torch.manual_seed(1)
    dropout = SharedDropout(0.25)
    x = torch.ones(400, 5, 20)
    dropped = dropout(x)
    assert dropped.equal(dropped[:, :1].expand_as(dropped))
    assert sorted(dropped.unique().tolist()) == [0.0, pytest.approx(4 / 3)]
    assert dropped.mean().item() == pytest.approx(1, abs=0.03)
    assert dropout.eval()(x).equal(x)


def test_a_width_of_0_leaves_an_embedding_out() -> None:
    def embedding(**widths: int) -> LexicalEmbedding:
        config = LexicalConfig(**({"word_width": 0, "char_width": 0} | widths))  # type: ignore[arg-type]
        return LexicalEmbedding(config, word_count=9, char_count=9, tag_count=9, vectors=None)

    for key, part in (("word_width", "words"), ("char_width", "spelling"), ("tag_width", "tags")):
        made = embedding(**{key: 6})
        assert {name for name, _ in made.named_children()} == {part, "dropout", "joined_dropout", "norm"}
        assert made.width == 6


def test_embeddings_may_be_dropped_once_more_all_together() -> None:
    torch.manual_seed(1)
    config = LexicalConfig(word_width=40, char_width=0, dropout=0.0, joined_dropout=0.5)
    made = LexicalEmbedding(config, word_count=9, char_count=9, tag_count=9, vectors=None)
    made.norm = torch.nn.Identity()  # type: ignore[assignment]
    words = torch.randint(9, (3, 5))
    nothing = torch.zeros(3, 5, dtype=torch.long)
    given = LexicalInput(
        words=words, vectors=nothing, tags=nothing, spellings=nothing, spelling_lengths=nothing, spelling_of=nothing
    )
    assert made.words is not None
    whole, dropped = made.words(words), made(given)
    is_dropped = dropped == 0
    assert is_dropped.equal(is_dropped[:, :1].expand_as(is_dropped)), "the same features at every position"
    assert 0.3 < is_dropped.float().mean() < 0.7
    torch.testing.assert_close(dropped[~is_dropped], 2 * whole[~is_dropped])
    assert made.eval()(given).equal(whole)
