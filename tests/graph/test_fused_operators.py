# SPDX-License-Identifier: Apache-2.0
"""Norms, activations, rotations and products that optimisers fuse, beside definitions in NumPy that follow their schemas."""

import math

import numpy as np
import pytest

from fused_models import held, node, write
from graph_run import command, refusal, run

F32 = 3e-6  # of the largest output
ERF = np.vectorize(math.erf)


def normal(*dims, seed=0):
    return np.random.default_rng(seed + sum(dims)).standard_normal(dims).astype(np.float32)


def check(tmp_path, nodes, inputs, want, constants=None, opset=17, words=()):
    """All outputs of the model are those of `want`, by name. Returns the plan."""
    file = write(tmp_path / "model.onnx", nodes, inputs, want, constants, opset)
    summary, outputs = run(tmp_path, file, held(inputs), "--check", "races,uninitialised", *words)
    assert summary["golden"]["passed"]
    for name, values in want.items():
        assert outputs[name].shape == values.shape, name
        assert np.abs(outputs[name] - values).max() <= F32 * max(np.abs(values).max(), 1e-3), name
    return command(file, "--plan", "--out", tmp_path / "plan").stdout


def rms(x, gain, epsilon, axes=(-1,)):
    return x / np.sqrt((x.astype(float) ** 2).mean(axes, keepdims=True) + epsilon) * gain


def centred(x, gain, bias, epsilon):
    x = x.astype(float)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) * gain + bias


def gelu(x):
    return 0.5 * x * (1 + ERF(x / math.sqrt(2)))


def gelu_by_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


X, BIAS = normal(3, 5, 48), normal(48)


@pytest.mark.parametrize("op, inputs, want, attributes", [
    ("Gelu", ["x"], gelu(X), {}),
    ("FastGelu", ["x"], gelu_by_tanh(X), {}),
    ("FastGelu", ["x", "b"], gelu_by_tanh(X + BIAS), {}),
    ("BiasGelu", ["x", "b"], gelu(X + BIAS), {}),
    ("BiasAdd", ["x", "b", "x"], X + BIAS + X, {}),
    ("QuickGelu", ["x"], X * sigmoid(1.702 * X), {}),
    ("QuickGelu", ["x"], X * sigmoid(X), {"alpha": 1.0}),
    ("BiasSplitGelu", ["x", "b"], (X + BIAS)[..., :24] * gelu((X + BIAS)[..., 24:]), {}),
])
def test_activations(tmp_path, op, inputs, want, attributes):
    check(tmp_path, [node(op, inputs, **attributes)], {"x": X}, {"y": want}, {"b": BIAS})


def test_swish_of_the_default_domain(tmp_path):
    check(tmp_path, [node("Swish", ["x"], domain="", alpha=0.5)], {"x": X}, {"y": X * sigmoid(0.5 * X)}, opset=24)


@pytest.mark.parametrize("op, domain", [("RMSNormalization", ""), ("SimplifiedLayerNormalization", ""), ("SimplifiedLayerNormalization", "com.microsoft")])
def test_a_norm_by_the_mean_square_is_one_kernel(tmp_path, op, domain):
    plan = check(tmp_path, [node(op, ["x", "g"], domain=domain, epsilon=1e-3)], {"x": X}, {"y": rms(X, BIAS, 1e-3)}, {"g": BIAS}, opset=23)
    assert "rms_norm" in plan and "reduction" not in plan and "elementwise" not in plan


@pytest.mark.parametrize("gain", [(5, 48), (48,), (5, 1)])
def test_a_norm_of_several_dimensions(tmp_path, gain):
    g = normal(*gain)
    check(tmp_path, [node("RMSNormalization", ["x", "g"], domain="", axis=1)], {"x": X}, {"y": rms(X, g, 1e-5, (1, 2))}, {"g": g}, opset=23)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("total", [False, True])
def test_norms_of_a_sum(tmp_path, bias, total):
    skip, g, b = normal(3, 5, 48, seed=1), normal(48, seed=2), normal(48, seed=3)
    outputs = ["y", "", "", "s"] if total else ["y"]
    x = X + skip + (BIAS if bias else 0)
    sums = {"s": x} if total else {}
    check(tmp_path, [node("SkipLayerNormalization", ["x", "k", "g", "b"] + ["o"] * bias, outputs, epsilon=1e-5)], {"x": X, "k": skip},
          {"y": centred(x, g, b, 1e-5), **sums}, {"g": g, "b": b, "o": BIAS})
    check(tmp_path, [node("SkipSimplifiedLayerNormalization", ["x", "k", "g"] + ["o"] * bias, outputs)], {"x": X, "k": skip},
          {"y": rms(x, g, 1e-12), **sums}, {"g": g, "o": BIAS})


def test_a_norm_of_a_sum_without_a_bias_of_its_own(tmp_path):
    check(tmp_path, [node("SkipLayerNormalization", ["x", "k", "g"])], {"x": X, "k": X[:1]}, {"y": centred(X + X[:1], BIAS, 0, 1e-12)}, {"g": BIAS})


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("placed", [False, True])
def test_embeddings(tmp_path, segments, placed):
    rng = np.random.default_rng(3)
    tables = {"w": normal(50, 32), "p": normal(16, 32), "t": normal(2, 32), "g": normal(32, seed=4), "b": normal(32, seed=5)}
    inputs = {"ids": rng.integers(0, 50, (2, 7)).astype(np.int32), "m": np.array([[1] * 7, [1] * 4 + [0] * 3], np.int32)}
    if segments:
        inputs["seg"] = rng.integers(0, 2, (2, 7)).astype(np.int32)
    if placed:
        inputs["at"] = rng.integers(0, 16, (2, 7)).astype(np.int32)
    names = ["ids", "seg" if segments else "", "w", "p", "t" if segments else "", "g", "b", "m", "at" if placed else ""]
    total = tables["w"][inputs["ids"]] + tables["p"][inputs["at"] if placed else np.arange(7)] + (tables["t"][inputs["seg"]] if segments else 0)
    want = {"y": centred(total, tables["g"], tables["b"], 1e-6), "n": np.array([7, 4], np.int32), "s": total}
    check(tmp_path, [node("EmbedLayerNormalization", names, ["y", "n", "s"], epsilon=1e-6)], inputs, want, tables)


# Rotation by positions.

def angles(places, pairs):
    at = np.arange(places)[:, None] * 10.0 ** -np.arange(pairs)[None]
    return {"cos": np.cos(at).astype(np.float32), "sin": np.sin(at).astype(np.float32)}


def turned(x, cos, sin, interleaved, part):
    """x [batch, tokens, heads, size]; angles [batch or 1, tokens, pairs]."""
    cos, sin = cos[:, :, None].astype(float), sin[:, :, None].astype(float)
    head, tail = x[..., :part], x[..., part:]
    a, b = (head[..., 0::2], head[..., 1::2]) if interleaved else np.split(head, 2, -1)
    y = a * cos - b * sin, a * sin + b * cos
    y = np.stack(y, -1).reshape(head.shape) if interleaved else np.concatenate(y, -1)
    return np.concatenate([y, tail], -1)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("part", [16, 8])
def test_rotation(tmp_path, interleaved, part):
    x, table, places = normal(2, 6, 3, 16), angles(20, part // 2), np.array([np.arange(6), np.arange(6) + 9])
    want = turned(x, table["cos"][places], table["sin"][places], interleaved, part)
    how = {"interleaved": interleaved, "rotary_embedding_dim": 0 if part == 16 else part}
    default = node("RotaryEmbedding", ["x", "cos", "sin", "at"], domain="", num_heads=3, **how)
    check(tmp_path, [default], {"x": x.reshape(2, 6, 48), "at": places}, {"y": want.reshape(2, 6, 48)}, table, opset=23)
    contributed = node("RotaryEmbedding", ["x", "at", "cos", "sin"], num_heads=3, **how)
    check(tmp_path, [contributed], {"x": x.reshape(2, 6, 48), "at": places}, {"y": want.reshape(2, 6, 48)}, table)


def test_rotation_of_four_dimensions(tmp_path):
    x, table = normal(2, 3, 6, 16), angles(20, 8)
    back = x.swapaxes(1, 2)
    own = {n: normal(2, 6, 8, seed=s) for s, n in enumerate(("cos", "sin"))}
    want = turned(back, own["cos"], own["sin"], False, 16).swapaxes(1, 2)
    check(tmp_path, [node("RotaryEmbedding", ["x", "cos", "sin"], domain="")], {"x": x, **own}, {"y": want}, opset=23)
    want = turned(back, table["cos"][None, 4:10], table["sin"][None, 4:10], False, 16).swapaxes(1, 2)
    check(tmp_path, [node("RotaryEmbedding", ["x", "at", "cos", "sin"])], {"x": x}, {"y": want}, {**table, "at": np.array([4], np.int64)})


# Products.

@pytest.mark.parametrize("a, b", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_products_with_a_factor(tmp_path, a, b):
    x, w = normal(2, 20, 24), normal(24, 20, seed=1)
    left, right = (x.swapaxes(1, 2) if a else x), w
    right = w if right.shape[0] == left.shape[2] and not b else normal(*((left.shape[2], 12) if not b else (12, left.shape[2])), seed=2)
    want = 0.5 * (left.astype(float) @ (right.T if b else right))
    check(tmp_path, [node("FusedMatMul", ["x", "w"], transA=a, transB=b, alpha=0.5)], {"x": x}, {"y": want}, {"w": right})


def test_gemm_with_an_activation(tmp_path):
    x, w, c = normal(6, 24), normal(10, 24), normal(10)
    y = 2 * (x.astype(float) @ w.T) + c
    check(tmp_path, [node("FusedGemm", ["x", "w", "c"], transB=1, alpha=2.0, activation="LeakyRelu", activation_alpha=0.1)], {"x": x},
          {"y": np.where(y > 0, y, 0.1 * y)}, {"w": w, "c": c})


def convolved(x, w):
    """One image, a kernel of 3x3 with a frame of zeros."""
    padded = np.pad(x.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    pieces = np.stack([padded[:, :, i:i + x.shape[2], j:j + x.shape[3]] for i in range(3) for j in range(3)], 2)
    return np.einsum("nctyx,oct->noyx", pieces, w.reshape(*w.shape[:2], 9))


@pytest.mark.parametrize("activation, function", [
    ({"activation": "Relu"}, lambda y: np.maximum(y, 0)), ({"activation": "Clip", "activation_params": [0.0, 6.0]}, lambda y: np.clip(y, 0, 6)),
    ({"activation": "HardSigmoid", "activation_params": [0.1, 0.4]}, lambda y: np.clip(0.1 * y + 0.4, 0, 1)), ({}, lambda y: y)])
@pytest.mark.parametrize("adds", [False, True])
def test_convolution_with_an_addend_and_an_activation(tmp_path, activation, function, adds):
    x, w, b, z = normal(1, 4, 7, 9), normal(8, 4, 3, 3), normal(8), normal(1, 8, 7, 9)
    y = convolved(x, w) + b[:, None, None] + (z if adds else 0)
    check(tmp_path, [node("FusedConv", ["x", "w", "b"] + ["z"] * adds, pads=[1, 1, 1, 1], **activation)], {"x": x, **({"z": z} if adds else {})},
          {"y": function(y)}, {"w": w, "b": b})


def packed(numbers, bits):
    """The last dimension as bytes, the lowest bits first."""
    each = 8 // bits
    padded = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, -numbers.shape[-1] % each)])
    return (padded.reshape(*padded.shape[:-1], -1, each) << (bits * np.arange(each))).sum(-1).astype(np.uint8)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zeros", ["none", "packed", "numbers"])
@pytest.mark.parametrize("rows", [64, 80])
def test_weights_of_a_few_bits(tmp_path, bits, zeros, rows):
    rng, columns, block = np.random.default_rng(bits), 24, 32
    blocks = -(-rows // block)
    q = rng.integers(0, 2 ** bits, (columns, blocks * block))
    scales = rng.random((columns, blocks)).astype(np.float32) / 2 ** bits
    points = {"none": np.full((columns, blocks), 2 ** (bits - 1)), "packed": rng.integers(0, 2 ** bits, (columns, blocks)),
              "numbers": rng.random((columns, blocks)).astype(np.float32) * 4}[zeros]
    weights = ((q.reshape(columns, blocks, block) - points[..., None]) * scales[..., None]).reshape(columns, -1)[:, :rows].T
    x, bias = normal(3, 5, rows), normal(columns)
    constants = {"q": packed(q.reshape(columns, blocks, block), bits), "s": scales.reshape(-1), "b": bias,
                 "z": packed(points, bits).reshape(-1) if zeros == "packed" else points.astype(np.float32).reshape(-1)}
    names = ["x", "q", "s", "" if zeros == "none" else "z", "", "b"]
    plan = check(tmp_path, [node("MatMulNBits", names, K=rows, N=columns, bits=bits, block_size=block)], {"x": x},
                 {"y": x.astype(float) @ weights + bias}, constants)
    assert "gemm" in plan


# What is refused, by name.

@pytest.mark.parametrize("nodes, inputs, words", [
    ([node("MatMulNBits", ["x", "w", "s"], K=64, N=8, bits=3, block_size=32)], {}, ["E-ONX-005", "matmulnbits", "3 bits"]),
    ([node("MatMulNBits", ["x", "w", "s"], K=64, N=8, bits=4, block_size=16)], {}, ["E-ONX-004", "blocks of 16"]),
    ([node("MatMulNBits", ["x", "v", "s"], K=64, N=8, bits=4, block_size=32)], {"v": np.zeros((8, 2, 16), np.uint8)}, ["E-ONX-010", "input 1"]),
    ([node("FusedMatMul", ["x", "g"], transBatchA=1)], {}, ["E-ONX-005", "transposes batches"]),
    ([node("FusedGemm", ["x", "g"], activation="Softmax")], {}, ["E-ONX-005", "'Softmax'"]),
    ([node("SkipLayerNormalization", ["x", "x", "s"], ["y", "mean"])], {}, ["E-ONX-005", "output 1"]),
    ([node("RotaryEmbedding", ["r", "at", "c", "c"], is_packed_batching=1)], {}, ["E-ONX-005", "packed batches"]),
    ([node("RotaryEmbedding", ["r", "p", "c", "c"])], {"p": np.array([3], np.int32)}, ["E-ONX-010", "rotaryembedding", "'p'"]),
])
def test_what_is_not_supported_is_refused_with_its_node(tmp_path, nodes, inputs, words):
    constants = {"w": np.zeros((8, 2, 16), np.uint8), "s": np.ones(16, np.float32), "g": normal(64, 8), "c": normal(9, 8), "at": np.array([0])}
    file = write(tmp_path / "model.onnx", nodes, {"x": normal(3, 64), "r": normal(1, 2, 32), **inputs}, {n: np.zeros(1) for n in nodes[0].output if n}, constants)
    text = refusal(file, "--out", tmp_path / "out")
    for word in words:
        assert word in text


def test_a_wrong_definition_is_seen(tmp_path):
    with pytest.raises(AssertionError):
        check(tmp_path, [node("FastGelu", ["x"])], {"x": X}, {"y": gelu(X)})
