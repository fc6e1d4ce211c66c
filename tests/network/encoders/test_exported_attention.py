from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from spanlin.network.encoders.exported_attention import exported_attention


@pytest.mark.parametrize("boolean", [True, False])
def test_attention_is_that_of_torch(boolean: bool) -> None:
    torch.manual_seed(1)
    queries, keys, values = torch.randn(3, 2, 4, 7, 8)
    counts = torch.tensor([7, 3])
    bias = (torch.arange(7) < counts.unsqueeze(1)).view(2, 1, 1, 7)
    if not boolean:
        bias = torch.randn(2, 4, 7, 7).masked_fill(~bias, torch.finfo(torch.float32).min)
    expected = F.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
    torch.testing.assert_close(exported_attention(queries, keys, values, bias), expected)
