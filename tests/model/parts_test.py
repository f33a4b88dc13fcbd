#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Layers whose checkpoints `tahoma model --weights` does not take, beside PyTorch: parts_test.py CASE --binary build/tahoma

A case of the workload `transformer` gets random inputs as .npy files, and its outputs are compared with a definition in double, written for
this test after the papers and the published model code. The cases `nemotron`, `super` and `granite` compare logits of a prompt and of greedily chosen tokens: each
step gets the keys, states and tokens that the one before has left. The tolerance counts roundings as generation_test.py does; --plant NAME zeroes an
input of the machine alone, which must be found.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch

from parts_inputs import Inputs

DEVIATIONS = 4
HIDDEN, HEADS, KV_HEADS, HEAD, FFN, EPSILON, THETA = 128, 4, 2, 32, 192, 1e-5, 10000.0
KEY_HEADS, VALUE_HEADS, KEY, VALUE, TAPS = 2, 4, 32, 64, 4
GROUPS, MAMBA_HEADS, STATE, MAMBA, MOST_STEP = 2, 8, 192, 32, 2.0
MODEL = {"name": "parts", "hidden": HIDDEN, "heads": HEADS, "kv_heads": KV_HEADS, "head_dim": HEAD, "ffn": FFN, "epsilon": EPSILON,
         "theta": THETA}


def rms_norm(x, gain):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPSILON) * gain


def rotate(x, first, features=HEAD):
    """[tokens, heads, HEAD], of which the first features turn, at positions from `first` on."""
    half, x, rest = features // 2, x[..., :features], x[..., features:]
    angles = (first + torch.arange(len(x), dtype=torch.float64))[:, None] * THETA ** (-torch.arange(half, dtype=torch.float64) / half)
    a, b = x.chunk(2, dim=-1)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1)


def attention(inputs, layer, x, gated, rotated=True, features=HEAD):
    tokens = len(x)
    q, k, v = [(x @ inputs.of(name, layer)).reshape(tokens, -1, HEAD) for name in "qkv"]
    q, k = (rotate(q, 0, features), rotate(k, 0, features)) if rotated else (q, k)
    k, v = [part.repeat_interleave(HEADS // KV_HEADS, dim=1) for part in (k, v)]
    scores = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(HEAD)
    scores = scores + torch.full((tokens, tokens), -math.inf, dtype=torch.float64).triu(1)
    o = torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).reshape(tokens, -1)
    if gated:
        o = o * torch.sigmoid(x @ inputs.of("attention_gate", layer))
    return o @ inputs.of("o", layer)


def convolved(x, past, taps):
    """silu of the sum of the last TAPS tokens of each feature."""
    rows = torch.cat([past, x])
    return torch.nn.functional.silu(sum(taps[j] * rows[j:j + len(x)] for j in range(TAPS)))


def delta_rule(inputs, layer, x, states, past):
    """Yang et al. 2024, token by token: the state of a head of values forgets, and takes what it does not know of a key."""
    tokens = len(x)
    parts = {}
    for name, columns in (("q", slice(0, KEY_HEADS * KEY)), ("k", slice(KEY_HEADS * KEY, 2 * KEY_HEADS * KEY)),
                          ("v", slice(2 * KEY_HEADS * KEY, None))):
        parts[name] = convolved(x @ inputs.of(f"delta_{name}", layer), past[:, columns], inputs.of(f"delta_taps_{name}", layer))
    q, k = [parts[name].reshape(tokens, KEY_HEADS, KEY).repeat_interleave(VALUE_HEADS // KEY_HEADS, dim=1) for name in "qk"]
    q, k = [part / torch.sqrt((part * part).sum(-1, keepdim=True) + 1e-6) for part in (q, k)]
    v = parts["v"].reshape(tokens, VALUE_HEADS, VALUE)
    beta = torch.sigmoid(x @ inputs.of("delta_b", layer))
    decay = inputs.of("delta_rate", layer) * torch.nn.functional.softplus(x @ inputs.of("delta_a", layer) + inputs.of("delta_shift", layer))
    made = []
    for t in range(tokens):
        states = states * decay[t].exp()[:, None, None]
        change = beta[t][:, None] * (v[t] - torch.einsum("hk,hkv->hv", k[t], states))
        states = states + k[t][:, :, None] * change[:, None, :]
        made.append(torch.einsum("hk,hkv->hv", q[t] / math.sqrt(KEY), states))
    z = (x @ inputs.of("delta_z", layer)).reshape(tokens, VALUE_HEADS, VALUE)
    o = rms_norm(torch.stack(made), inputs.of("delta_gain", layer)) * torch.nn.functional.silu(z)
    return o.reshape(tokens, -1) @ inputs.of("delta_o", layer)


def add_layers(inputs):
    for name in ("attention_gain", "mlp_gain"):
        inputs.vector(name, 1, HIDDEN, 1, 0.5)
    for name, rows, columns in (("q", HIDDEN, HEADS * HEAD), ("k", HIDDEN, KV_HEADS * HEAD), ("v", HIDDEN, KV_HEADS * HEAD),
                                ("o", HEADS * HEAD, HIDDEN), ("gate", HIDDEN, FFN), ("up", HIDDEN, FFN), ("down", FFN, HIDDEN)):
        inputs.matrix(name, rows, columns)


def add_delta(inputs):
    keys, values = KEY_HEADS * KEY, VALUE_HEADS * VALUE
    for name, columns in (("q", keys), ("k", keys), ("v", values), ("z", values), ("b", VALUE_HEADS), ("a", VALUE_HEADS)):
        inputs.matrix(f"delta_{name}", HIDDEN, columns)
    inputs.matrix("delta_o", values, HIDDEN)
    for name, columns in (("q", keys), ("k", keys), ("v", values)):
        inputs.vector(f"delta_taps_{name}", TAPS, columns, 0, 1)
    inputs.vector("delta_rate", 1, VALUE_HEADS, -0.3, 0.29)
    inputs.vector("delta_shift", 1, VALUE_HEADS, 0, 1)
    inputs.vector("delta_gain", 1, VALUE, 1, 0.5)


def feed_forward(inputs, layer, x):
    b = rms_norm(x, inputs.of("mlp_gain", layer))
    return x + (torch.nn.functional.silu(b @ inputs.of("gate", layer)) * (b @ inputs.of("up", layer))) @ inputs.of("down", layer)


def delta_prefill():
    """Two sequences through a layer with a delta rule, and one of attention with gates."""
    sequences, tokens, inputs = 2, 80, Inputs(2)
    add_layers(inputs)
    add_delta(inputs)
    inputs.matrix("attention_gate", HIDDEN, HEADS * HEAD)
    inputs.add("x", inputs.random(sequences * tokens, HIDDEN))
    rows = []
    for x in inputs.all["x"].to(torch.float64).split(tokens):
        past = torch.zeros(TAPS - 1, 2 * KEY_HEADS * KEY + VALUE_HEADS * VALUE, dtype=torch.float64)
        states = torch.zeros(VALUE_HEADS, KEY, VALUE, dtype=torch.float64)
        x = feed_forward(inputs, 0, x + delta_rule(inputs, 0, rms_norm(x, inputs.of("attention_gain", 0)), states, past))
        rows.append(feed_forward(inputs, 1, x + attention(inputs, 1, rms_norm(x, inputs.of("attention_gain", 1)), True)))
    workload = {"phase": "prefill", "batch": sequences, "tokens": tokens, "layers": 2, "parallel": {"tensor": 2}}
    model = {"layers": 2, "delta": DELTA, "global_every": 2, "attention_gate": True}
    return inputs, torch.cat(rows), workload, model, 2 * 14 + 12


def delta_decode():
    """A token of each of three sequences, with states and earlier tokens."""
    sequences, inputs = 3, Inputs(1)
    add_layers(inputs)
    add_delta(inputs)
    inputs.add("x", inputs.random(sequences, HIDDEN))
    inputs.add("delta_states", inputs.random(1, sequences * VALUE_HEADS * KEY, VALUE), True)
    inputs.add("delta_past", inputs.random(1, (TAPS - 1) * sequences, 2 * KEY_HEADS * KEY + VALUE_HEADS * VALUE))
    rows = []
    for s in range(sequences):
        x = inputs.all["x"][s:s + 1].to(torch.float64)
        states = inputs.of("delta_states", 0).reshape(sequences, VALUE_HEADS, KEY, VALUE)[s]
        past = inputs.of("delta_past", 0)[s::sequences]
        rows.append(feed_forward(inputs, 0, x + delta_rule(inputs, 0, rms_norm(x, inputs.of("attention_gain", 0)), states, past)))
    workload = {"phase": "decode", "batch": sequences, "context": 32, "layers": 1, "parallel": {"tensor": 2}}
    return inputs, torch.cat(rows), workload, {"layers": 1, "delta": DELTA}, 14 + 8


def mamba(inputs, layer, x, states, past):
    """Dao and Gu 2024, token by token: the state of a head forgets, and takes the product of a B and a step's share of an input. Returns the
    projected outputs, the states, and the products in front of the convolution."""
    tokens, made = len(x), []
    raw = torch.cat([x @ inputs.of(f"delta_{name}", layer) for name in "qkv"], dim=-1)
    taps, bias = [torch.cat([inputs.of(f"delta_{what}_{name}", layer) for name in "qkv"], dim=-1) for what in ("taps", "bias")]
    rows = torch.cat([past, raw])
    mixed = torch.nn.functional.silu(bias + sum(taps[j] * rows[j:j + tokens] for j in range(TAPS)))
    c, b, v = mixed.split([GROUPS * STATE, GROUPS * STATE, MAMBA_HEADS * MAMBA], dim=-1)
    b, c = [part.reshape(tokens, GROUPS, STATE).repeat_interleave(MAMBA_HEADS // GROUPS, dim=1) for part in (b, c)]
    v = v.reshape(tokens, MAMBA_HEADS, MAMBA)
    step = torch.nn.functional.softplus(x @ inputs.of("delta_a", layer) + inputs.of("delta_shift", layer)).clamp(max=MOST_STEP)
    decay = (step * inputs.of("delta_rate", layer)).exp()
    for t in range(tokens):
        states = states * decay[t][:, None, None] + b[t][:, :, None] * (step[t][:, None] * v[t])[:, None, :]
        made.append(torch.einsum("hn,hnp->hp", c[t], states) + inputs.of("delta_skip", layer)[0][:, None] * v[t])
    gated = torch.stack(made).reshape(tokens, -1) * torch.nn.functional.silu(x @ inputs.of("delta_z", layer))
    normed = rms_norm(gated.reshape(tokens, GROUPS, -1), inputs.of("delta_gain", layer).reshape(GROUPS, -1)).reshape(tokens, -1)
    return normed @ inputs.of("delta_o", layer), states, rows[len(rows) - TAPS + 1:]


def add_mamba(inputs):
    keys, values = GROUPS * STATE, MAMBA_HEADS * MAMBA
    for name, columns in (("q", keys), ("k", keys), ("v", values), ("z", values), ("a", MAMBA_HEADS)):
        inputs.matrix(f"delta_{name}", HIDDEN, columns)
    inputs.matrix("delta_o", values, HIDDEN)
    for name, columns in (("q", keys), ("k", keys), ("v", values)):
        inputs.vector(f"delta_taps_{name}", TAPS, columns, 0, 1)
        inputs.vector(f"delta_bias_{name}", 1, columns, 0, 0.5)
    inputs.vector("delta_rate", 1, MAMBA_HEADS, -0.5, 0.49)
    inputs.vector("delta_shift", 1, MAMBA_HEADS, 0, 1)
    inputs.vector("delta_skip", 1, MAMBA_HEADS, 1, 0.5)
    inputs.vector("delta_gain", 1, values, 1, 0.5)


def squared(inputs, layer, x):
    """A feed-forward part without a gate, with relu(.)^2 (Nemotron-H)."""
    b = rms_norm(x, inputs.of("mlp_gain", layer))
    return x + torch.relu(b @ inputs.of("up", layer)).square() @ inputs.of("down", layer)


def mamba_prefill(tensor):
    """Two sequences through M-, M and *-: a layer without a feed-forward part is between two with one."""
    sequences, tokens, inputs = 2, 160, Inputs(3)
    add_layers(inputs)
    del inputs.all["gate"]
    add_mamba(inputs)
    inputs.add("x", inputs.random(sequences * tokens, HIDDEN))
    rows = []
    for x in inputs.all["x"].to(torch.float64).split(tokens):
        for layer in range(2):
            past = torch.zeros(TAPS - 1, 2 * GROUPS * STATE + MAMBA_HEADS * MAMBA, dtype=torch.float64)
            states = torch.zeros(MAMBA_HEADS, STATE, MAMBA, dtype=torch.float64)
            x = x + mamba(inputs, layer, rms_norm(x, inputs.of("attention_gain", layer)), states, past)[0]
            x = squared(inputs, layer, x) if layer == 0 else x
        rows.append(squared(inputs, 2, x + attention(inputs, 2, rms_norm(x, inputs.of("attention_gain", 2)), False, rotated=False)))
    workload = {"phase": "prefill", "batch": sequences, "tokens": tokens, "layers": 3, "parallel": {"tensor": tensor}}
    return inputs, torch.cat(rows), workload, NEMOTRON | {"layers": 3, "sublayers": "M-M*-"}, 3 * 14 + 12


def mamba_decode(tensor):
    """A token of each of three sequences, with states and earlier tokens, through two layers."""
    sequences, inputs = 3, Inputs(2)
    add_layers(inputs)
    del inputs.all["gate"]
    add_mamba(inputs)
    inputs.add("x", inputs.random(sequences, HIDDEN))
    inputs.add("delta_states", inputs.random(2, sequences * MAMBA_HEADS * STATE, MAMBA), True)
    inputs.add("delta_past", inputs.random(2, (TAPS - 1) * sequences, 2 * GROUPS * STATE + MAMBA_HEADS * MAMBA))
    rows = []
    for s in range(sequences):
        x = inputs.all["x"][s:s + 1].to(torch.float64)
        for layer in range(2):
            states = inputs.of("delta_states", layer).reshape(sequences, MAMBA_HEADS, STATE, MAMBA)[s]
            x = x + mamba(inputs, layer, rms_norm(x, inputs.of("attention_gain", layer)), states, inputs.of("delta_past", layer)[s::sequences])[0]
        rows.append(squared(inputs, 1, x))
    workload = {"phase": "decode", "batch": sequences, "context": 32, "layers": 2, "parallel": {"tensor": tensor}}
    return inputs, torch.cat(rows), workload, NEMOTRON | {"layers": 2, "sublayers": "MM-"}, 2 * 14 + 8


def layer_norm(x, inputs, name, layer):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], inputs.of(f"{name}_gain", layer)[0], inputs.of(f"{name}_norm_bias", layer)[0], EPSILON)


def encoder(sums):
    """Two layers of an encoder with layer norms: in front of the sublayers (ViT), or of the sums behind them (BERT)."""
    tokens, inputs = 64, Inputs(2)
    add_layers(inputs)
    del inputs.all["gate"]
    for name, columns in (("attention_norm_bias", HIDDEN), ("mlp_norm_bias", HIDDEN), ("q_bias", HEADS * HEAD), ("k_bias", KV_HEADS * HEAD),
                          ("v_bias", KV_HEADS * HEAD), ("o_bias", HIDDEN), ("up_bias", FFN), ("down_bias", HIDDEN)):
        inputs.vector(name, 1, columns, 0, 1)
    inputs.add("x", inputs.random(tokens, HIDDEN))
    x = inputs.all["x"].to(torch.float64)
    for layer in range(2):
        a = x if sums else layer_norm(x, inputs, "attention", layer)
        q, k, v = [(a @ inputs.of(name, layer) + inputs.of(f"{name}_bias", layer)).reshape(tokens, -1, HEAD) for name in "qkv"]
        k, v = [part.repeat_interleave(HEADS // KV_HEADS, dim=1) for part in (k, v)]
        scores = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(HEAD)
        o = torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).reshape(tokens, -1)
        x = x + o @ inputs.of("o", layer) + inputs.of("o_bias", layer)
        if sums:
            x = layer_norm(x, inputs, "attention", layer)
        b = x if sums else layer_norm(x, inputs, "mlp", layer)
        x = x + torch.nn.functional.gelu(b @ inputs.of("up", layer) + inputs.of("up_bias", layer)) @ inputs.of("down", layer) + inputs.of("down_bias", layer)
        if sums:
            x = layer_norm(x, inputs, "mlp", layer)
    workload = {"phase": "prefill", "batch": 1, "tokens": tokens, "layers": 2, "parallel": {"tensor": 2}}
    model = {"layers": 2, "bidirectional": True, "norm": "layer_bias", "gated": False, "activation": "gelu", "qkv_bias": True,
             "o_bias": True, "mlp_bias": True, "rope": {"local": False}}
    if sums:
        model |= {"norm_sums": True, "pre_norm": False}
    return inputs, x, workload, model, 2 * 18


def bamba():
    """A layer of Mamba-2 and one of attention that turns half of a head, each with SwiGLU behind it."""
    tokens, inputs = 96, Inputs(2)
    add_layers(inputs)
    add_mamba(inputs)
    inputs.add("x", inputs.random(tokens, HIDDEN))
    x = inputs.all["x"].to(torch.float64)
    past = torch.zeros(TAPS - 1, 2 * GROUPS * STATE + MAMBA_HEADS * MAMBA, dtype=torch.float64)
    states = torch.zeros(MAMBA_HEADS, STATE, MAMBA, dtype=torch.float64)
    x = feed_forward(inputs, 0, x + mamba(inputs, 0, rms_norm(x, inputs.of("attention_gain", 0)), states, past)[0])
    x = feed_forward(inputs, 1, x + attention(inputs, 1, rms_norm(x, inputs.of("attention_gain", 1)), False, features=HEAD // 2))
    workload = {"phase": "prefill", "batch": 1, "tokens": tokens, "layers": 2, "parallel": {"tensor": 2}}
    model = {"layers": 2, "sublayers": "M-*-", "delta": NEMOTRON["delta"], "rope": {"features": HEAD // 2}}
    return inputs, x, workload, model, 2 * 14 + 12


def padded(decodes):
    """Groups of five query heads with a sixth one, so that four ranks share them: what is made has nothing of it."""
    sequences, tokens, inputs, group, real = 2, 64, Inputs(1), 6, 5
    add_layers(inputs)
    for name, rows, columns in (("q", HIDDEN, KV_HEADS * group * HEAD), ("o", KV_HEADS * group * HEAD, HIDDEN)):
        inputs.matrix(name, rows, columns)
    kept = torch.tensor([h * HEAD + i for h in range(KV_HEADS * group) if h % group < real for i in range(HEAD)])
    unused = torch.ones(KV_HEADS * group * HEAD, dtype=torch.bool)
    unused[kept] = False
    inputs.all["o"][:, unused] = 0
    inputs.add("x", inputs.random(sequences * (1 if decodes else tokens), HIDDEN))
    for name in ("k_cache", "v_cache"):
        if decodes:
            inputs.add(name, inputs.random(1, sequences * tokens, KV_HEADS * HEAD))
    rows = []
    for s, x in enumerate(inputs.all["x"].to(torch.float64).split(1 if decodes else tokens)):
        a, before = rms_norm(x, inputs.of("attention_gain", 0)), tokens if decodes else 0
        q, k, v = [(a @ weights).reshape(len(a), -1, HEAD) for weights in (inputs.of("q", 0)[:, kept], inputs.of("k", 0), inputs.of("v", 0))]
        q, k = rotate(q, before), rotate(k, before)
        if decodes:
            k, v = [torch.cat([inputs.of(name, 0)[s * tokens:(s + 1) * tokens].reshape(tokens, -1, HEAD), part])
                    for name, part in (("k_cache", k), ("v_cache", v))]
        k, v = [part.repeat_interleave(real, dim=1) for part in (k, v)]
        scores = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(HEAD)
        scores = scores + torch.full(scores.shape[1:], -math.inf, dtype=torch.float64).triu(1 + before)
        o = torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).reshape(len(a), -1)
        rows.append(feed_forward(inputs, 0, x + o @ inputs.of("o", 0)[kept]))
    workload = {"phase": "decode", "context": tokens} if decodes else {"phase": "prefill", "tokens": tokens}
    workload |= {"batch": sequences, "layers": 1, "parallel": {"tensor": 4}}
    return inputs, torch.cat(rows), workload, {"layers": 1, "heads": KV_HEADS * group, "padding_heads": KV_HEADS}, 14 + 8


DELTA = {"value_heads": VALUE_HEADS, "key_heads": KEY_HEADS, "key_dim": KEY, "value_dim": VALUE, "taps": TAPS}
# Mamba-2 with states of more features than the array has rows.
NEMOTRON = {"delta": {"rule": "mamba2", "value_heads": MAMBA_HEADS, "key_heads": GROUPS, "key_dim": STATE, "value_dim": MAMBA, "taps": TAPS,
                      "tap_bias": True, "most_rate": MOST_STEP},
            "gated": False, "activation": "relu", "squared": True, "rope": {"local": False, "global": False}}
# With more cores than groups, these, and then ranks, share the norm of a group.
CASES = {"mamba_prefill": lambda: mamba_prefill(1), "mamba_prefill_cores": lambda: mamba_prefill(2), "mamba_decode": lambda: mamba_decode(1),
         "mamba_decode_ranks": lambda: mamba_decode(4), "delta_prefill": delta_prefill, "delta_decode": delta_decode, "vit": lambda: encoder(False),
         "bert": lambda: encoder(True), "bamba": bamba, "padded_prefill": lambda: padded(False), "padded_decode": lambda: padded(True)}


class Nemotron:
    """ME*EM-: experts that are no SwiGLU, a shared one, a layer with one other feed-forward part; sigmoids as gates."""
    LAYERS, EXPERTS, CHOSEN, SHARED, FACTOR, VOCABULARY, PROMPT, STEPS = 3, 4, 2, 96, 2.5, 512, 48, 6
    DENSE, GATED, LATENT, ROUNDINGS = 160, False, 0, 18
    MODEL = {"sublayers": "ME*EM-", "gate_function": "sigmoid", "gate_factor": 2.5, "dense_ffn": 160}
    MIXED = {"layers": 3, "experts": 4, "experts_per_token": 2, "shared_ffn": 96, "vocabulary": 512}

    def __init__(self):
        self.inputs = inputs = Inputs(self.LAYERS)
        add_layers(inputs)
        add_mamba(inputs)
        width = self.LATENT or HIDDEN
        for name in ("gate", "up", "down"):
            del inputs.all[name]
        for name, rows, columns in (("gate", width, FFN), ("up", width, FFN), ("down", FFN, width))[0 if self.GATED else 1:]:
            inputs.add(name, inputs.random(self.LAYERS, self.EXPERTS * rows, columns) / math.sqrt(rows))
        inputs.matrix("router", HIDDEN, self.EXPERTS)
        for part, features in (("shared", self.SHARED), ("dense", self.DENSE)):
            for name, rows, columns in (("gate", HIDDEN, features), ("up", HIDDEN, features), ("down", features, HIDDEN))[0 if self.GATED else 1:]:
                if features > 0:
                    inputs.matrix(f"{part}_{name}", rows, columns)
        if self.LATENT:
            inputs.matrix("expert_in", HIDDEN, self.LATENT)
            inputs.matrix("expert_out", self.LATENT, HIDDEN)
        inputs.add("embedding", inputs.random(self.VOCABULARY, HIDDEN))
        successor = torch.randperm(self.VOCABULARY, generator=inputs.generator)  # so that the largest logit has a margin
        inputs.add("head", (inputs.random(self.VOCABULARY, HIDDEN) + inputs.all["embedding"][successor]).T / math.sqrt(HIDDEN))
        inputs.add("final_gain", 1 + inputs.random(1, HIDDEN) / 4, True)
        self.experts = torch.stack([torch.stack([torch.randperm(self.EXPERTS, generator=inputs.generator)[:self.CHOSEN]
                                                 for _ in range(self.PROMPT + self.STEPS)]) for _ in range(self.LAYERS)])

    def part(self, x, layer, prefix, expert=slice(None)):
        """One feed-forward part: relu(.)^2, or SwiGLU if it has a gate."""
        def matrix(name):
            whole = self.inputs.of(prefix + name, layer)
            return whole if isinstance(expert, slice) else whole.reshape(self.EXPERTS, -1, whole.shape[-1])[expert]
        up = x @ matrix("up")
        hidden = torch.nn.functional.silu(x @ matrix("gate")) * up if self.GATED else torch.relu(up).square()
        return hidden @ matrix("down")

    def gates(self, logits, chosen):
        return self.FACTOR * torch.sigmoid(logits[chosen]) / torch.sigmoid(logits[chosen]).sum()

    def mixture(self, layer, x):
        b = rms_norm(x, self.inputs.of("mlp_gain", layer))
        logits = b @ self.inputs.of("router", layer)
        seen = b @ self.inputs.of("expert_in", layer) if self.LATENT else b
        made = torch.zeros_like(seen)
        for t in range(len(x)):
            chosen = self.experts[layer, t]
            for gate, e in zip(self.gates(logits[t], chosen), chosen):
                made[t] += gate * self.part(seen[t], layer, "", e)
        return x + self.part(b, layer, "shared_") + (made @ self.inputs.of("expert_out", layer) if self.LATENT else made)

    def logits(self, ids):
        """Of the last token: the whole sequence from its begin."""
        inputs, x = self.inputs, self.inputs.all["embedding"][ids].to(torch.float64)
        for layer in range(self.LAYERS):
            a = rms_norm(x, inputs.of("attention_gain", layer))
            if layer == 1:
                x = x + attention(inputs, layer, a, False, rotated=False)
            else:
                past = torch.zeros(TAPS - 1, 2 * GROUPS * STATE + MAMBA_HEADS * MAMBA, dtype=torch.float64)
                x = x + mamba(inputs, layer, a, torch.zeros(MAMBA_HEADS, STATE, MAMBA, dtype=torch.float64), past)[0]
            if self.DENSE == 0 or layer < 2:
                x = self.mixture(layer, x)
            else:
                x = x + self.part(rms_norm(x, inputs.of("mlp_gain", layer)), layer, "dense_")
        return rms_norm(x[-1], inputs.all["final_gain"][0].to(torch.float64)) @ inputs.all["head"].to(torch.float64)

    def step(self, binary, folder, ids, kept, paths):
        """Runs the prompt, or the last token behind what the steps before it have left; returns logits and what this one leaves."""
        new, before = (ids[-1:], len(ids) - 1) if kept else (ids, 0)
        here = folder / str(len(ids))
        here.mkdir()
        own = {"ids": np.array([new], np.int32), "routing": self.experts[:, before:len(ids)].numpy().astype(np.int32)}
        if kept:
            own |= {"k_cache": kept["keys"], "v_cache": kept["values"], "delta_states": kept["states"], "delta_past": kept["past"]}
        for name, value in own.items():
            np.save(here / f"{name}.npy", value)
        workload = {"batch": 1, "layers": self.LAYERS, "logits": True, "parallel": {"tensor": 2},
                    "model": MODEL | NEMOTRON | self.MIXED | self.MODEL, "inputs": paths | {name: str(here / f"{name}.npy") for name in own}}
        workload |= {"phase": "decode", "context": before} if kept else {"phase": "prefill", "tokens": len(ids)}
        case = {"kind": "transformer", "machine": "trainium2_one_chip", "mode": "functional", "workload": workload}
        (here / "case.yaml").write_text(json.dumps(case))
        subprocess.run([binary, "run", str(here / "case.yaml"), "--save-outputs", "--out", str(here / "out")], check=True,
                       stdout=subprocess.DEVNULL)
        made = {name: np.load(here / "out" / f"{name}.npy") for name in ("logits", "keys", "values", "states", "past")}
        if kept:
            made |= {name: np.concatenate([kept[name], made[name]], axis=1) for name in ("keys", "values")}
        return made

    def compare(self, binary, plant):
        ids = torch.randint(self.VOCABULARY, (self.PROMPT,), generator=self.inputs.generator).tolist()
        right, kept = True, None
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            paths = self.inputs.write(folder, plant)
            for _ in range(self.STEPS):
                kept = self.step(binary, folder, ids, kept, paths)
                if plant in kept:
                    kept[plant] = np.zeros_like(kept[plant])
                wanted = self.logits(ids)
                size = float(wanted.square().mean().sqrt())
                allowed = DEVIATIONS * size * 2**-8 * math.sqrt((self.LAYERS * self.ROUNDINGS + 16) / 3)
                error, token = float(np.abs(kept["logits"] - wanted.numpy()).max()), int(wanted.argmax())
                same = token == int(kept["logits"].argmax())
                print(f"{len(ids)} tokens: largest error {error / size:.4f} of the root mean square, allowed {allowed / size:.4f}, "
                      f"token {token}{'' if same else ' missed'}")
                right = right and error <= allowed and same
                ids.append(token)
        return right if plant else not right


class Super(Nemotron):
    """Experts of latent vectors; each of both products with them is rounded, and so are the ranks' sums."""
    LATENT, ROUNDINGS = 64, 22
    MODEL = Nemotron.MODEL | {"expert_latent": 64}


class Granite(Nemotron):
    """ME*EME of Granite 4: SwiGLU, experts whose gates are a softmax, and a shared one, behind each Mamba-2 and attention."""
    DENSE, GATED = 0, True
    MODEL = {"sublayers": "ME*EME", "gated": True, "squared": False, "activation": "silu"}

    def gates(self, logits, chosen):
        return logits[chosen].softmax(-1)


GENERATIONS = {"nemotron": Nemotron, "super": Super, "granite": Granite}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=[*CASES, *GENERATIONS])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--plant", help="an input that the machine gets as zeros")
    arguments = parser.parse_args()
    if arguments.case in GENERATIONS:
        return GENERATIONS[arguments.case]().compare(arguments.binary, arguments.plant)
    inputs, wanted, workload, model, roundings = CASES[arguments.case]()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        case = {"kind": "transformer", "machine": "trainium2_one_chip", "mode": "functional",
                "workload": workload | {"model": MODEL | model, "inputs": inputs.write(folder, arguments.plant)}}
        (folder / "case.yaml").write_text(json.dumps(case))
        subprocess.run([arguments.binary, "run", str(folder / "case.yaml"), "--save-outputs", "--out", str(folder / "out")], check=True,
                       stdout=subprocess.DEVNULL)
        got = np.load(folder / "out" / "out.npy")
    size = float(wanted.square().mean().sqrt())
    allowed = DEVIATIONS * size * 2**-8 * math.sqrt(roundings / 3)
    error = float(np.abs(got - wanted.numpy()).max())
    print(f"{arguments.case}: largest error {error / size:.4f} of the root mean square, allowed {allowed / size:.4f}")
    return error <= allowed if arguments.plant else error > allowed


if __name__ == "__main__":
    sys.exit(main())
