# SPDX-License-Identifier: Apache-2.0
"""Decoder layers of a small model compared with PyTorch: prefill and decode, on one core, several ranks, and pairs of cores; with a
feed-forward part or a mixture of experts, also beside an expert that all tokens share."""
import math

import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(33)
HIDDEN, HEADS, KV_HEADS, D, FFN, LAYERS = 256, 4, 2, 32, 512, 2
EPSILON, THETA = 1e-5, 500000.0
LIMIT = 1.5  # of gates


def norm(x, gain):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON) * gain


def rope(heads, first, rotated=0):
    """heads [tokens, heads, d], of which the first features are rotated, or all; angles as the machine receives them, in bf16."""
    if rotated:
        return torch.cat([rope(heads[..., :rotated], first), heads[..., rotated:]], -1)
    tokens, _, d = heads.shape
    angles = torch.arange(first, first + tokens, dtype=torch.float64)[:, None] * THETA ** (-torch.arange(d // 2, dtype=torch.float64) / (d // 2))
    cos, sin = (f(angles).to(torch.float32).to(torch.bfloat16).to(torch.float64)[:, None, :] for f in (torch.cos, torch.sin))
    a, b = heads[..., : d // 2], heads[..., d // 2:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def swiglu(x, gate, up, down):
    return (torch.nn.functional.silu(x @ gate) * (x @ up)) @ down


def limited(x, gate, up, down):
    """An expert of GPT-OSS: each matrix with its bias."""
    (gate, gate_bias), (up, up_bias), (down, down_bias) = gate, up, down
    g, u = (x @ gate + gate_bias).clamp(max=LIMIT), (x @ up + up_bias).clamp(-LIMIT, LIMIT)
    return (g * torch.sigmoid(1.702 * g) * (u + 1)) @ down + down_bias


def biased_mixture(x, w):
    count = w["router"].shape[1]
    logits = x @ w["router"] + w["router_bias"]
    gates = logits.gather(1, w["routing"]).softmax(-1)
    experts = [tuple((w[n].chunk(count)[e], w[n + "_bias"][e]) for n in ("gate", "up", "down")) for e in range(count)]
    return torch.stack([sum(g * limited(row, *experts[e]) for g, e in zip(gates[i], w["routing"][i])) for i, row in enumerate(x)])


def mixture(x, w):
    """Applies to each row its own experts [rows, experts of a token], with a softmax over their router logits. A shared expert comes
    with gates that are a softmax over all logits, and with a gate of its own."""
    logits = x @ w["router"]
    gates = logits.softmax(-1).gather(1, w["routing"]) if "shared_router" in w else logits.gather(1, w["routing"]).softmax(-1)
    experts = [tuple(w[n].chunk(w["router"].shape[1])[e] for n in ("gate", "up", "down")) for e in range(w["router"].shape[1])]
    out = torch.stack([sum(g * swiglu(row, *experts[e]) for g, e in zip(gates[i], w["routing"][i])) for i, row in enumerate(x)])
    if "shared_router" in w:
        out = out + torch.sigmoid(x @ w["shared_router"]) * swiglu(x, w["shared_gate"], w["shared_up"], w["shared_down"])
    return out


def layer(x, w, cache, rotated=0):
    """Computes one sequence [tokens, hidden] that follows the cache's contents: (k, v) [context, kv_heads, d]."""
    tokens, context = x.shape[0], cache[0].shape[0]
    a = norm(x, w["attention_gain"])
    w = {"q_bias": 0, "k_bias": 0, "v_bias": 0, "o_bias": 0} | w
    q = rope((a @ w["q"] + w["q_bias"]).view(tokens, HEADS, D), context, rotated)
    k = torch.cat([cache[0], rope((a @ w["k"] + w["k_bias"]).view(tokens, KV_HEADS, D), context, rotated)])
    v = torch.cat([cache[1], (a @ w["v"] + w["v_bias"]).view(tokens, KV_HEADS, D)])
    k, v = (t.repeat_interleave(HEADS // KV_HEADS, dim=1) for t in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(D)
    seen = torch.arange(tokens)[:, None] + context >= torch.arange(tokens + context)[None, :]
    scores = scores.masked_fill(~seen, -math.inf)
    if "sinks" in w:  # a score without a value
        scores = torch.cat([scores, w["sinks"].view(HEADS, 1, 1).expand(-1, tokens, 1)], -1)
    o = torch.einsum("hqk,khd->qhd", scores.softmax(-1)[..., : tokens + context], v).reshape(tokens, HEADS * D)
    x = x + o @ w["o"] + w["o_bias"]
    b = norm(x, w["mlp_gain"])
    if "sinks" in w:
        return x + biased_mixture(b, w)
    return x + (mixture(b, w) if "router" in w else swiglu(b, w["gate"], w["up"], w["down"]))


def case(name, sequences, tokens, context=0, experts=0, shared=0, rotated=0, oss=False, **settings):
    decodes = context > 0
    if rotated:
        settings |= {"model.rope.features": rotated}

    def weights(rows, columns, count=1):
        return "bf16", random.uniform(-1, 1, (LAYERS, count * rows, columns)) * math.sqrt(3 / rows)

    inputs = {"x": ("bf16", random.uniform(-1, 1, (sequences * tokens, HIDDEN)))}
    for gain in ("attention_gain", "mlp_gain"):
        inputs[gain] = ("fp32", random.uniform(0.5, 1.5, (LAYERS, 1, HIDDEN)))
    inputs |= {"q": weights(HIDDEN, HEADS * D), "k": weights(HIDDEN, KV_HEADS * D), "v": weights(HIDDEN, KV_HEADS * D),
               "o": weights(HEADS * D, HIDDEN)}
    inputs |= {"gate": weights(HIDDEN, FFN, experts or 1), "up": weights(HIDDEN, FFN, experts or 1), "down": weights(FFN, HIDDEN, experts or 1)}
    if experts:
        wanted = random.uniform(size=(LAYERS, sequences * tokens, experts)) - np.arange(experts) / experts  # prefers the first experts
        inputs |= {"router": weights(HIDDEN, experts), "routing": ("int32", wanted.argsort(-1)[..., :-3:-1])}
        settings |= {"model.experts": experts}
    if shared:
        inputs |= {"shared_gate": weights(HIDDEN, shared), "shared_up": weights(HIDDEN, shared), "shared_down": weights(shared, HIDDEN),
                   "shared_router": weights(HIDDEN, 1)}
        settings |= {"model.shared_ffn": shared, "model.shared_gated": "true", "model.normalised_gates": "false"}
    if oss:
        def vector(columns, rows=1):
            return "fp32", random.uniform(-1, 1, (LAYERS, rows, columns))
        inputs |= {"q_bias": vector(HEADS * D), "k_bias": vector(KV_HEADS * D), "v_bias": vector(KV_HEADS * D), "o_bias": vector(HIDDEN),
                   "sinks": vector(HEADS), "router_bias": vector(experts), "gate_bias": vector(FFN, experts), "up_bias": vector(FFN, experts),
                   "down_bias": vector(HIDDEN, experts)}
        settings |= {"model.qkv_bias": "true", "model.o_bias": "true", "model.mlp_bias": "true", "model.sinks": "true",
                     "model.gate_limit": LIMIT, "model.activation": "gelu_apprx_sigmoid"}
    if decodes:
        for cache in ("k_cache", "v_cache"):
            inputs[cache] = ("bf16", random.uniform(-1, 1, (LAYERS, sequences * context, KV_HEADS * D)))

    def definition(t):
        out = []
        for s in range(sequences):
            x = t["x"][s * tokens:(s + 1) * tokens]
            for l in range(LAYERS):
                cache = [t[c][l][s * context:(s + 1) * context].view(context, KV_HEADS, D) if decodes else torch.zeros(0, KV_HEADS, D, dtype=torch.float64)
                         for c in ("k_cache", "v_cache")]
                w = {n: t[n][l] for n in t if n not in ("x", "k_cache", "v_cache")}
                if experts:
                    w["routing"] = w["routing"][s * tokens:(s + 1) * tokens]
                x = layer(x, w, cache, rotated)
            out.append(x)
        return {"out": torch.cat(out)}

    # Two layers of two parts, some ten roundings to bf16 in each, of rows whose elements are about 2: six deviations of
    # 2^-9 / sqrt(3) times the root of 40, on what has grown to about 4.
    allowed = 6 * 2**-9 / math.sqrt(3) * math.sqrt(40) * 4
    settings = {"model.hidden": HIDDEN, "model.heads": HEADS, "model.kv_heads": KV_HEADS, "model.head_dim": D, "model.ffn": FFN,
                "layers": LAYERS, "model.layers": LAYERS, "batch": sequences, **settings}
    settings |= {"phase": "decode", "context": context} if decodes else {"phase": "prefill", "tokens": tokens}
    set_ = {f"workload.{k}" if not k.startswith("machine.") else k: v for k, v in settings.items()}
    return GoldenCase(name, "transformer/tiny.yaml", inputs, definition, {"out": (allowed, 2**-8, "roundings of activations to bf16")}, set_)


CASES = [
    case("prefill on a core", 2, 48),
    case("prefill on four ranks of two cores, in slices", 1, 128, **{"parallel.tensor": 4, "machine.chip.lnc": 2, "overlap": 2}),
    case("decode on a core", 3, 1, context=77),
    case("prefill in two stages of two groups that share the tokens", 2, 128, **{"parallel.tensor": 2, "parallel.sequence": 2, "parallel.pipeline": 2, "microbatches": 2}),
    case("decode in two stages of two groups that share the caches", 4, 1, context=80, **{"parallel.tensor": 2, "parallel.sequence": 2, "parallel.pipeline": 2, "microbatches": 2}),
    case("prefill of a mixture over blocks of two ranks of two cores", 1, 64, experts=8, **{"parallel.tensor": 4, "parallel.expert": 2, "machine.chip.lnc": 2}),
    case("prefill of a mixture over blocks of one rank", 2, 32, experts=4, **{"parallel.tensor": 4, "parallel.expert": 4}),
    case("decode of a mixture over blocks of two ranks", 6, 1, context=50, experts=8, **{"parallel.tensor": 4, "parallel.expert": 2}),
    case("prefill beside a shared expert, over blocks of two ranks of two cores", 1, 64, experts=8, shared=128,
         **{"parallel.tensor": 4, "parallel.expert": 2, "machine.chip.lnc": 2}),
    case("decode beside a shared expert", 6, 1, context=50, experts=8, shared=256, **{"parallel.tensor": 2, "parallel.expert": 2}),
    case("prefill with a rotation of half of the features", 2, 48, rotated=16, **{"parallel.tensor": 2, "machine.chip.lnc": 2}),
    case("decode with a rotation of half of the features", 3, 1, context=77, rotated=16, **{"parallel.tensor": 2}),
    case("prefill with sinks, and experts with biases and limited gates", 1, 64, experts=4, oss=True,
         **{"parallel.tensor": 2, "parallel.expert": 2, "machine.chip.lnc": 2}),
    case("decode with sinks, and experts with biases and limited gates", 3, 1, context=50, experts=4, oss=True, **{"parallel.tensor": 2}),
    case("decode on more ranks than heads, two replicas", 4, 1, context=100, **{"parallel.tensor": 4, "parallel.data": 2}),
]
