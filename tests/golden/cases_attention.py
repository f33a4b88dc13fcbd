# SPDX-License-Identifier: Apache-2.0
"""Flash attention, forward and backward, compared with PyTorch's softmax and autograd."""
import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(7)

UNIT = {"bf16": 2**-8, "fp16": 2**-11, "fp32": 2**-24}


def forward(q, k, v, causal, window):
    """o and log(sum of exp(scores)); query heads in a row share a head of k and v."""
    share = q.shape[0] // k.shape[0]
    k, v = k.repeat_interleave(share, dim=0), v.repeat_interleave(share, dim=0)
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    if causal:
        last = torch.arange(q.shape[1])[:, None] + k.shape[1] - q.shape[1]
        keys = torch.arange(k.shape[1])[None, :]
        hidden = (keys > last) | ((keys <= last - window) if window else torch.zeros_like(keys > last))
        scores = scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(scores, dim=2) @ v, torch.logsumexp(scores, dim=2)


def forward_of(causal, window):
    return lambda t: dict(zip(("o", "lse"), forward(t["q"], t["k"], t["v"], causal, window)))


def backward_of(causal, window):

    def definition(tensors):
        q, k, v = (tensors[name].clone().requires_grad_(True) for name in "qkv")
        o, _ = forward(q, k, v, causal, window)
        return dict(zip(("dq", "dk", "dv"), torch.autograd.grad(o, (q, k, v), tensors["do"])))

    return definition


def case(kind, heads, kv_heads, q_len, kv_len, d, dtype, causal=False, window=0, cores=0, split=1, layout="heads"):
    backward = kind == "backward"
    query, key = (heads, q_len, d), (heads if kv_heads == 0 else kv_heads, kv_len, d)
    shapes = {"q": query, "k": key, "v": key, **({"do": query} if backward else {})}
    unit = UNIT[dtype]
    # Inputs are at most 1 in magnitude. What probabilities lose by rounding, and their sum, is at most a unit of the dtype of
    # sums of p |v| <= 1 each; scores, exponentials and sums in fp32 add some 2^-24 for each of d, 16 and some for kv.
    fp32 = 2**-24 * (d + 64)
    of_output = (2 * unit + fp32, unit, f"two roundings of sums of p to {dtype}, one of the result, and fp32 sums")
    # A column of p sums to at most ln(n) + 1 < 9 here, |dP - delta| to 2 sqrt(d) in six deviations, before 1 / sqrt(d).
    of_sum = (9 * (2 * unit + 2 * fp32) * 2, unit, f"roundings of P and dS to {dtype} in sums below 18, one of the result, and fp32 sums")
    tolerance = dict.fromkeys(("dq", "dk", "dv"), of_sum) if backward else {
        "o": of_output,
        "lse": (2 * unit + fp32 * 4, 2**-22, f"the relative error of a sum of p rounded to {dtype}")
    }
    settings = {"heads": heads, "kv_heads": kv_heads, "q_len": q_len, "kv_len": kv_len, "d": d, "dtype": dtype, "causal": causal,
                "window": window, "cores": cores, "split": split, **({} if backward else {"lse": True, "layout": layout})}
    return GoldenCase(
        name=f"attention {kind} {heads}/{kv_heads or heads} heads {q_len}x{kv_len} d {d} {dtype}"
        f"{' causal' if causal else ''}{f' window {window}' if window else ''}{f' split {split}' if split > 1 else ''}{' by rows' if layout == 'tokens' else ''}",
        yaml="attention/backward_16k.yaml" if backward else "attention/flash_16k.yaml",
        set={f"workload.{name}": value for name, value in settings.items()},
        inputs={name: (dtype, random.uniform(-1, 1, shape)) for name, shape in shapes.items()},
        expected=(backward_of if backward else forward_of)(causal, window),
        tolerance=tolerance)


CASES = [
    case("forward", 2, 0, 300, 700, 128, "bf16"),
    case("forward", 4, 2, 513, 513, 80, "fp16", causal=True, split=2),
    case("forward", 3, 1, 200, 1100, 64, "fp32", causal=True, window=150, cores=2),
    case("forward", 1, 0, 2048, 2048, 128, "bf16", causal=True),
    case("forward", 6, 2, 333, 515, 128, "bf16", causal=True, cores=1, layout="tokens"),
    case("forward", 2, 1, 333, 515, 256, "bf16", causal=True, window=200, cores=1, layout="tokens"),
    case("backward", 2, 0, 300, 700, 128, "bf16"),
    case("backward", 4, 2, 257, 513, 80, "fp16", causal=True, cores=2),
    case("backward", 3, 1, 200, 1100, 64, "fp32", causal=True, window=150),
    case("backward", 1, 0, 1030, 1030, 128, "bf16", causal=True, split=2),
    case("backward", 2, 1, 200, 300, 256, "bf16", causal=True),
]
