# SPDX-License-Identifier: Apache-2.0
"""Layers with multi-head latent attention compared with PyTorch, as DeepSeek-V2's paper defines them: keys and values are always expanded,
also where the machine absorbs their matrices. With YaRN's angles, and with a mixture of experts behind a layer without experts."""
import math

import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(77)
HIDDEN, HEADS, NOPE, ROPE, VALUES, KV_RANK, FFN, LAYERS = 256, 4, 32, 16, 48, 64, 512, 2
FACTOR_OF_GATES = "factor of gates"
EPSILON, THETA = 1e-5, 10000.0
FACTOR, CONTEXT, FAST, SLOW = 40.0, 64, 32.0, 1.0


def norm(x, gain):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON) * gain


def frequencies(yarn):
    plain = THETA ** (-torch.arange(0, ROPE, 2, dtype=torch.float64) / ROPE)
    if not yarn:
        return plain
    low, high = (ROPE * math.log(CONTEXT / (turns * 2 * math.pi)) / (2 * math.log(THETA)) for turns in (FAST, SLOW))
    low, high = max(math.floor(low), 0), min(math.ceil(high), ROPE - 1)
    scaled = ((torch.arange(ROPE // 2, dtype=torch.float64) - low) / max(high - low, 0.001)).clamp(0, 1)
    return plain / FACTOR * scaled + plain * (1 - scaled)


def rope(x, first, yarn):
    """x [tokens, heads, ROPE]; angles as the machine receives them, in bf16."""
    angles = torch.arange(first, first + x.shape[0], dtype=torch.float64)[:, None] * frequencies(yarn)
    cos, sin = (f(angles).to(torch.float32).to(torch.bfloat16).to(torch.float64)[:, None, :] for f in (torch.cos, torch.sin))
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def attention(a, w, cache, scale, yarn):
    """cache [context, KV_RANK + ROPE]."""
    tokens, context = a.shape[0], cache.shape[0]
    queries = norm(a @ w["q_a"], w["q_a_gain"]) if "q_a" in w else a
    q_nope, q_rope = (queries @ w["q"]).view(tokens, HEADS, NOPE + ROPE).split([NOPE, ROPE], -1)
    made, turned = (a @ w["kv_a"]).split([KV_RANK, ROPE], -1)
    latent = torch.cat([cache[:, :KV_RANK], norm(made, w["kv_a_gain"])])
    k_rope = torch.cat([cache[:, KV_RANK:], rope(turned[:, None], context, yarn)[:, 0]])
    k_nope, v = (latent @ w["kv_b"]).view(context + tokens, HEADS, NOPE + VALUES).split([NOPE, VALUES], -1)
    q = torch.cat([q_nope, rope(q_rope, context, yarn)], -1)
    k = torch.cat([k_nope, k_rope[:, None].expand(-1, HEADS, -1)], -1)
    scores = torch.einsum("qhd,khd->hqk", q, k) * scale
    seen = torch.arange(tokens)[:, None] + context >= torch.arange(tokens + context)[None, :]
    scores = scores.masked_fill(~seen, -math.inf)
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).reshape(tokens, HEADS * VALUES) @ w["o"]


def swiglu(x, gate, up, down):
    return (torch.nn.functional.silu(x @ gate) * (x @ up)) @ down


def feed_forward(x, w, dense):
    if dense:
        return swiglu(x, w["dense_gate"], w["dense_up"], w["dense_down"])
    if "router" not in w:
        return swiglu(x, w["gate"], w["up"], w["down"])
    gates = (x @ w["router"]).softmax(-1).gather(1, w["routing"])
    if FACTOR_OF_GATES in w:  # DeepSeek-V3: sigmoids that add up to this factor
        gates = torch.sigmoid(x @ w["router"]).gather(1, w["routing"])
        gates = gates / gates.sum(-1, keepdim=True) * w[FACTOR_OF_GATES]
    experts = [tuple(w[n].chunk(w["router"].shape[1])[e] for n in ("gate", "up", "down")) for e in range(w["router"].shape[1])]
    out = torch.stack([sum(g * swiglu(row, *experts[e]) for g, e in zip(gates[i], w["routing"][i])) for i, row in enumerate(x)])
    return out + swiglu(x, w["shared_gate"], w["shared_up"], w["shared_down"])


def case(name, sequences, tokens, context=0, q_rank=0, yarn=False, experts=0, gate_factor=0, **settings):
    def weights(rows, columns, count=1):
        return "bf16", random.uniform(-1, 1, (LAYERS, count * rows, columns)) * math.sqrt(3 / rows)

    def gain(columns):
        return "fp32", random.uniform(0.5, 1.5, (LAYERS, 1, columns))

    scale = 1.7 / math.sqrt(NOPE + ROPE) if yarn else 1 / math.sqrt(NOPE + ROPE)
    inputs = {"x": ("bf16", random.uniform(-1, 1, (sequences * tokens, HIDDEN))), "attention_gain": gain(HIDDEN), "mlp_gain": gain(HIDDEN),
              "q": weights(q_rank or HIDDEN, HEADS * (NOPE + ROPE)), "kv_a": weights(HIDDEN, KV_RANK + ROPE), "kv_a_gain": gain(KV_RANK),
              "kv_b": weights(KV_RANK, HEADS * (NOPE + VALUES)), "o": weights(HEADS * VALUES, HIDDEN),
              "gate": weights(HIDDEN, FFN, experts or 1), "up": weights(HIDDEN, FFN, experts or 1), "down": weights(FFN, HIDDEN, experts or 1)}
    if q_rank:
        inputs |= {"q_a": weights(HIDDEN, q_rank), "q_a_gain": gain(q_rank)}
    if context:
        inputs["k_cache"] = ("bf16", random.uniform(-1, 1, (LAYERS, sequences * context, KV_RANK + ROPE)))
    if experts:
        wanted = random.uniform(size=(LAYERS, sequences * tokens, experts))
        inputs |= {"router": weights(HIDDEN, experts), "routing": ("int32", wanted.argsort(-1)[..., :2]),
                   "shared_gate": weights(HIDDEN, 128), "shared_up": weights(HIDDEN, 128), "shared_down": weights(128, HIDDEN),
                   "dense_gate": weights(HIDDEN, 384), "dense_up": weights(HIDDEN, 384), "dense_down": weights(384, HIDDEN)}
        settings |= {"model.experts": experts, "model.shared_ffn": 128, "model.dense_layers": 1, "model.dense_ffn": 384}
        settings |= {"model.gate_function": "sigmoid", "model.gate_factor": gate_factor} if gate_factor else {"model.normalised_gates": "false"}

    def definition(t):
        out = []
        for s in range(sequences):
            x = t["x"][s * tokens:(s + 1) * tokens]
            for l in range(LAYERS):
                w = {n: t[n][l] for n in t if n not in ("x", "k_cache")}
                if experts:
                    w["routing"] = w["routing"][s * tokens:(s + 1) * tokens]
                if gate_factor:
                    w[FACTOR_OF_GATES] = gate_factor
                cache = t["k_cache"][l][s * context:(s + 1) * context] if context else torch.zeros(0, KV_RANK + ROPE, dtype=torch.float64)
                x = x + attention(norm(x, w["attention_gain"]), w, cache, scale, yarn)
                x = x + feed_forward(norm(x, w["mlp_gain"]), w, experts and l == 0)
            out.append(x)
        return {"out": torch.cat(out)}

    # As cases_transformer.py: some twelve roundings in each of the parts of two layers.
    allowed = 6 * 2**-9 / math.sqrt(3) * math.sqrt(48) * 4
    settings = {"model.hidden": HIDDEN, "model.heads": HEADS, "model.kv_heads": HEADS, "model.head_dim": NOPE + ROPE, "model.ffn": FFN,
                "model.theta": THETA, "model.latent.kv_rank": KV_RANK, "model.latent.q_rank": q_rank, "model.latent.nope": NOPE,
                "model.latent.rope": ROPE, "model.latent.values": VALUES, "layers": LAYERS, "model.layers": LAYERS, "batch": sequences,
                **settings}
    if yarn:
        settings |= {"model.rope.scaling": "yarn", "model.rope.factor": FACTOR, "model.rope.original_context": CONTEXT,
                     "model.rope.beta_fast": FAST, "model.rope.beta_slow": SLOW, "model.query_scale": scale}
    settings |= {"phase": "decode", "context": context} if context else {"phase": "prefill", "tokens": tokens}
    set_ = {f"workload.{k}" if not k.startswith("machine.") else k: v for k, v in settings.items()}
    return GoldenCase(name, "transformer/tiny.yaml", inputs, definition, {"out": (allowed, 2**-8, "roundings of activations to bf16")}, set_)


CASES = [
    case("latent prefill on a core", 2, 48),
    case("latent prefill on two ranks of two cores, in slices, with latent queries and YaRN", 1, 128, q_rank=96, yarn=True,
         **{"parallel.tensor": 2, "machine.chip.lnc": 2, "overlap": 2}),
    case("latent decode on a core, with YaRN", 3, 1, context=77, yarn=True),
    case("latent decode on four ranks of two cores, with latent queries", 4, 1, context=100, q_rank=96,
         **{"parallel.tensor": 4, "machine.chip.lnc": 2}),
    case("latent prefill of a mixture behind a layer without experts", 1, 64, experts=4, **{"parallel.tensor": 2, "parallel.expert": 2}),
    case("latent decode of a mixture behind a layer without experts", 4, 1, context=50, experts=4, yarn=True, **{"parallel.tensor": 2}),
    case("latent prefill of a mixture with gates of sigmoids", 1, 64, experts=4, q_rank=96, gate_factor=2.5,
         **{"parallel.tensor": 2, "parallel.expert": 2}),
    case("latent decode of a mixture with gates of sigmoids", 4, 1, context=50, experts=4, gate_factor=2.5, **{"parallel.tensor": 2}),
]
