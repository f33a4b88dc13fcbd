#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Layers whose checkpoints `tahoma model --weights` does not take, beside PyTorch: parts_test.py CASE --binary build/tahoma

A case of the workload `transformer` gets random inputs as .npy files, and its outputs are compared with a definition in double, written for
this test after the papers and the published model code. The tolerance counts roundings as generation_test.py does; --plant NAME zeroes an
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

DEVIATIONS = 4
HIDDEN, HEADS, KV_HEADS, HEAD, FFN, EPSILON, THETA = 128, 4, 2, 32, 192, 1e-5, 10000.0
KEY_HEADS, VALUE_HEADS, KEY, VALUE, TAPS = 2, 4, 32, 64, 4
MODEL = {"name": "parts", "hidden": HIDDEN, "heads": HEADS, "kv_heads": KV_HEADS, "head_dim": HEAD, "ffn": FFN, "epsilon": EPSILON,
         "theta": THETA}


class Inputs:
    """Random tensors by the names of workload.inputs, which bf16, or fp32 for vectors, holds exactly."""

    def __init__(self, layers):
        self.layers, self.generator, self.all, self.vectors = layers, torch.Generator().manual_seed(5), {}, set()

    def add(self, name, value, vector=False):
        self.all[name] = value if vector else value.to(torch.bfloat16).to(torch.float32)
        if vector:
            self.vectors.add(name)

    def random(self, *shape):
        return torch.randn(*shape, generator=self.generator)

    def matrix(self, name, rows, columns):
        self.add(name, self.random(self.layers, rows, columns) / math.sqrt(rows))

    def vector(self, name, rows, columns, middle, reach):
        self.add(name, middle + reach * (2 * torch.rand(self.layers, rows, columns, generator=self.generator) - 1), True)

    def of(self, name, layer):
        return self.all[name][layer].to(torch.float64)

    def write(self, folder, zeroed):
        paths = {}
        for name, value in self.all.items():
            array = np.zeros_like(value.numpy()) if name == zeroed else value.numpy()
            if name not in self.vectors:
                array = (array.view(np.uint32) >> 16).astype(np.uint16)  # bf16 bit by bit
            paths[name] = str(folder / f"{name}.npy")
            np.save(paths[name], array)
        return paths


def rms_norm(x, gain):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPSILON) * gain


def rotate(x, first):
    """[tokens, heads, HEAD], all features, at positions from `first` on."""
    half = HEAD // 2
    angles = (first + torch.arange(len(x), dtype=torch.float64))[:, None] * THETA ** (-torch.arange(half, dtype=torch.float64) / half)
    a, b = x.chunk(2, dim=-1)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def attention(inputs, layer, x, gated):
    tokens = len(x)
    q, k, v = [(x @ inputs.of(name, layer)).reshape(tokens, -1, HEAD) for name in "qkv"]
    q, k = rotate(q, 0), rotate(k, 0)
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


DELTA = {"value_heads": VALUE_HEADS, "key_heads": KEY_HEADS, "key_dim": KEY, "value_dim": VALUE, "taps": TAPS}
CASES = {"delta_prefill": delta_prefill, "delta_decode": delta_decode, "vit": lambda: encoder(False), "bert": lambda: encoder(True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--plant", help="an input that the machine gets as zeros")
    arguments = parser.parse_args()
    inputs, wanted, workload, model, roundings = CASES[arguments.case]()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        case = {"kind": "transformer", "machine": "trainium2_one_chip", "mode": "functional",
                "workload": workload | {"model": MODEL | model, "inputs": inputs.write(folder, arguments.plant)}}
        (folder / "case.yaml").write_text(json.dumps(case))
        subprocess.run([arguments.binary, "run", str(folder / "case.yaml"), "--save-outputs", "--out", str(folder / "out")], check=True,
                       capture_output=True)
        got = np.load(folder / "out" / "out.npy")
    size = float(wanted.square().mean().sqrt())
    allowed = DEVIATIONS * size * 2**-8 * math.sqrt(roundings / 3)
    error = float(np.abs(got - wanted.numpy()).max())
    print(f"{arguments.case}: largest error {error / size:.4f} of the root mean square, allowed {allowed / size:.4f}")
    return error <= allowed if arguments.plant else error > allowed


if __name__ == "__main__":
    sys.exit(main())
