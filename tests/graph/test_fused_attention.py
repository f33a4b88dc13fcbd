# SPDX-License-Identifier: Apache-2.0
"""Attention operators of opset 23 and of com.microsoft, beside definitions in NumPy that follow their schemas."""

import numpy as np
import pytest

from fused_models import held, node, write
from graph_run import command, refusal, run

F32 = 3e-6  # of the largest output: sums of some hundred fp32 terms
INF = np.inf


def normal(*dims, seed=0):
    return np.random.default_rng(seed + sum(dims)).standard_normal(dims).astype(np.float32)


def softmax(scores):
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def apart(x, heads):
    """[batch, tokens, heads * size] as [batch, heads, tokens, size]."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def merged(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def causal(queries, keys, first, window=None):
    at, key = np.arange(queries)[:, None] + first, np.arange(keys)[None]
    hidden = (key > at) | (False if window is None else key <= at - window)
    return np.where(hidden, -INF, 0)


def attend(q, k, v, scale=None, softcap=0, mask=0.0):
    """The result, and the scores after each step. Heads of k and v are repeated."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    products = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    capped = softcap * np.tanh(products / softcap) if softcap else products
    weights = softmax(capped + mask)
    return weights @ v, [products, capped, capped + mask, weights]


def kernels(file):
    done = command(file, "--plan", "--out", file.parent / "plan")
    assert done.returncode == 0, done.stderr
    return [line[62:82].strip() for line in done.stdout.splitlines()[1:-1]]


def check(tmp_path, nodes, inputs, want, constants=None, opset=17, one_kernel=True):
    """All outputs of the model are those of `want`, by name; attention is one kernel, and both modes take the same time."""
    file = write(tmp_path / "model.onnx", nodes, inputs, want, constants, opset)
    summary, outputs = run(tmp_path, file, held(inputs), "--check", "races,uninitialised")
    assert summary["golden"]["passed"]
    for name, values in want.items():
        assert outputs[name].shape == values.shape, name
        assert np.abs(outputs[name] - values).max() <= F32 * np.abs(values).max(), name
    if one_kernel and not any(name in inputs and np.asarray(values).dtype.kind == "i" for name, values in inputs.items()):
        assert "attention" in kernels(file) and "softmax" not in kernels(file)
    return file


# Attention of opset 23.

X23 = {"Q": normal(2, 4, 9, 16), "K": normal(2, 4, 9, 16, seed=1), "V": normal(2, 4, 9, 24, seed=2)}


def standard(names="Q K V", outputs=("y",), **attributes):
    return node("Attention", names.split(), outputs, domain="", **attributes)


@pytest.mark.parametrize("opset", [23, 24])
def test_standard_attention(tmp_path, opset):
    check(tmp_path, [standard()], X23, {"y": attend(*X23.values())[0]}, opset=opset)


def test_standard_attention_is_causal_behind_its_past(tmp_path):
    past = {"PK": normal(2, 2, 5, 16, seed=3), "PV": normal(2, 2, 5, 24, seed=4)}
    x = {"Q": normal(2, 4, 7, 16), "K": normal(2, 2, 7, 16, seed=1), "V": normal(2, 2, 7, 24, seed=2)}
    k, v = np.concatenate([past["PK"], x["K"]], 2), np.concatenate([past["PV"], x["V"]], 2)
    want = {"y": attend(x["Q"], k, v, 0.3, mask=causal(7, 12, 5))[0], "pk": k, "pv": v}
    check(tmp_path,
          [node("Attention", ["Q", "K", "V", "", "PK", "PV"], ["y", "pk", "pv"], domain="", is_causal=1, scale=0.3)],
          {**x, **past}, want, opset=23)


def test_standard_attention_of_three_dimensions(tmp_path):
    x = {"Q": normal(2, 9, 96), "K": normal(2, 11, 32, seed=1), "V": normal(2, 11, 48, seed=2)}
    want = merged(attend(apart(x["Q"], 6), apart(x["K"], 2), apart(x["V"], 2))[0])
    check(tmp_path, [standard(q_num_heads=6, kv_num_heads=2)], x, {"y": want}, opset=23)


def test_standard_attention_with_fewer_queries_than_keys_is_causal_from_the_first(tmp_path):
    x = {"Q": normal(1, 2, 4, 16), "K": normal(1, 2, 8, 16, seed=1), "V": normal(1, 2, 8, 16, seed=2)}
    check(tmp_path, [standard(is_causal=1)], x, {"y": attend(*x.values(), mask=causal(4, 8, 0))[0]}, opset=23)


def test_a_mask_of_numbers_is_added(tmp_path):
    mask = normal(2, 1, 9, 9, seed=5)
    check(tmp_path, [standard("Q K V M", is_causal=1)], {**X23, "M": mask},
          {"y": attend(*X23.values(), mask=mask + causal(9, 9, 0))[0]}, opset=23)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("direction", [0, 1])
def test_a_query_that_sees_no_key_has_the_result_zero(tmp_path, known, direction):
    shown = np.random.default_rng(6).random((2, 1, 9, 9)) < 0.5
    shown[0, 0, 3] = False
    shown[1, 0, 2, :3] = False  # blind only if causal
    mask = np.where(shown, 0, -INF) + (causal(9, 9, 0) if direction else 0)
    want = attend(*X23.values(), mask=mask)[0]
    assert not want[0, :, 3].any() and (not want[1, :, 2].any()) == bool(direction)
    inputs, constants = (X23, {"M": shown}) if known else ({**X23, "M": shown}, {})
    check(tmp_path, [standard("Q K V M", is_causal=direction)], inputs, {"y": want}, constants, opset=23)


@pytest.mark.parametrize("mode", range(4))
def test_scores_are_an_output(tmp_path, mode):
    y, scores = attend(*X23.values(), softcap=2.0, mask=normal(9, 9))
    nodes = [node("Attention", ["Q", "K", "V", "M"], ["y", "", "", "s"], domain="", softcap=2.0, qk_matmul_output_mode=mode)]
    check(tmp_path, nodes, {**X23, "M": normal(9, 9)}, {"y": y, "s": scores[mode]}, opset=23, one_kernel=False)


def test_products_are_an_output(tmp_path):
    y, scores = attend(*X23.values(), scale=0.3)
    check(tmp_path, [node("Attention", ["Q", "K", "V"], ["y", "", "", "s"], domain="", scale=0.3)], X23, {"y": y, "s": scores[0]}, opset=23, one_kernel=False)


# Attention of com.microsoft.

def projected(x, w, b):
    return x.astype(np.float64) @ w + b


@pytest.mark.parametrize("mask", ["none", "keys", "queries", "lengths", "ends"])
def test_projecting_attention(tmp_path, mask):
    x, w, b = normal(2, 10, 32), normal(32, 144) / 4, normal(144)
    q, k, v = (apart(p, 4) for p in np.split(projected(x, w, b), 3, -1))
    shown = np.ones((2, 1, 1, 10), bool)
    values = {"none": None, "keys": np.array([[1] * 10, [1] * 6 + [0] * 4]), "lengths": np.array([10, 6]), "ends": np.array([10, 7, 0, 2]),
              "queries": np.tril(np.ones((2, 10, 10), int))}[mask]
    if mask == "keys":
        shown = values[:, None, None] > 0
    if mask == "queries":
        shown = values[:, None] > 0
    if mask in ("lengths", "ends"):
        at = np.arange(10)[None]
        shown = ((at < values[:2, None]) & (at >= (values[2:, None] if mask == "ends" else 0)))[:, None, None]
    inputs = {"x": x, **({} if values is None else {"m": values.astype(np.int32)})}
    nodes = [node("Attention", ["x", "w", "b"] + ([] if values is None else ["m"]), num_heads=4)]
    check(tmp_path, nodes, inputs, {"y": merged(attend(q, k, v, mask=np.where(shown, 0, -10000.0))[0])}, {"w": w, "b": b})


def test_projecting_attention_with_a_past_and_a_bias(tmp_path):
    x, w, b, past, bias = normal(2, 3, 32), normal(32, 96) / 4, normal(96), normal(2, 2, 4, 5, 8), normal(1, 4, 3, 8)
    q, k, v = (apart(p, 4) for p in np.split(projected(x, w, b), 3, -1))
    k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    nodes = [node("Attention", ["x", "w", "b", "", "past", "bias"], ["y", "present"], num_heads=4, unidirectional=1)]
    want = {"y": merged(attend(q, k, v, mask=bias + causal(3, 8, 5))[0]), "present": np.stack([k, v])}
    check(tmp_path, nodes, {"x": x, "past": past, "bias": bias}, want, {"w": w, "b": b})


def test_values_may_have_another_size(tmp_path):
    x, w = normal(1, 6, 16), normal(16, 80) / 4
    q, k, v = (apart(p, 2) for p in np.split(projected(x, w, 0), [32, 64], -1))
    check(tmp_path, [node("Attention", ["x", "w"], num_heads=2, qkv_hidden_sizes=[32, 32, 16], scale=0.5)], {"x": x},
          {"y": merged(attend(q, k, v, 0.5)[0])}, {"w": w})


def test_multi_head_attention(tmp_path):
    q, k, v, b = normal(2, 5, 32), normal(2, 9, 32, seed=1), normal(2, 9, 48, seed=2), normal(112)
    mask = np.array([[1] * 9, [1] * 4 + [0] * 5], np.int32)
    parts = [apart(x + y, 4) for x, y in zip((q, k, v), np.split(b, [32, 64]))]
    want = merged(attend(*parts, mask=np.where(mask[:, None, None] > 0, 0, -1e4))[0])
    check(tmp_path, [node("MultiHeadAttention", ["q", "k", "v", "b", "m"], num_heads=4)], {"q": q, "k": k, "v": v, "m": mask}, {"y": want}, {"b": b})


def test_packed_heads(tmp_path):
    qkv = normal(2, 7, 4, 3, 16)
    q, k, v = (qkv[:, :, :, i].swapaxes(1, 2) for i in range(3))
    check(tmp_path, [node("MultiHeadAttention", ["x"], num_heads=4)], {"x": qkv}, {"y": merged(attend(q, k, v)[0])})
    kv, q = normal(2, 9, 4, 2, 16, seed=1), normal(2, 7, 64)
    want = merged(attend(apart(q, 4), kv[:, :, :, 0].swapaxes(1, 2), kv[:, :, :, 1].swapaxes(1, 2))[0])
    check(tmp_path, [node("MultiHeadAttention", ["q", "kv"], num_heads=4)], {"q": q, "kv": kv}, {"y": want})


def test_multi_head_attention_with_a_past(tmp_path):
    q, k, v = (normal(2, 3, 32, seed=s) for s in range(3))
    pk, pv = (normal(2, 4, 6, 8, seed=s) for s in (3, 4))
    keys, values = np.concatenate([pk, apart(k, 4)], 2), np.concatenate([pv, apart(v, 4)], 2)
    nodes = [node("MultiHeadAttention", ["q", "k", "v", "", "", "", "pk", "pv"], ["y", "k2", "v2"], num_heads=4, unidirectional=1)]
    want = {"y": merged(attend(apart(q, 4), keys, values, mask=causal(3, 9, 6))[0]), "k2": keys, "v2": values}
    check(tmp_path, nodes, {"q": q, "k": k, "v": v, "pk": pk, "pv": pv}, want)


def test_keys_from_a_cache(tmp_path):
    q, k, v = normal(2, 3, 32), normal(2, 4, 9, 8), normal(2, 4, 9, 8, seed=1)
    check(tmp_path, [node("MultiHeadAttention", ["q", "k", "v"], num_heads=4)], {"q": q, "k": k, "v": v},
          {"y": merged(attend(apart(q, 4), k, v)[0])})


# Group query attention.

def angles(places, pairs):
    at = np.arange(places)[:, None] * 10.0 ** -np.arange(pairs)[None]
    return {"cos": np.cos(at).astype(np.float32), "sin": np.sin(at).astype(np.float32)}


def turned(x, table, places, interleaved=False):
    """x [batch, heads, tokens, size] rotated by the angles of the places of its tokens."""
    cos, sin = (table[n][places].astype(np.float64) for n in ("cos", "sin"))
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else np.split(x, 2, -1)
    y = a * cos - b * sin, a * sin + b * cos
    return np.stack(y, -1).reshape(x.shape) if interleaved else np.concatenate(y, -1)


def group(inputs, outputs=("y",), **attributes):
    return node("GroupQueryAttention", inputs, outputs, num_heads=4, kv_num_heads=2, **attributes)


@pytest.mark.parametrize("interleaved", [False, True])
def test_a_prompt(tmp_path, interleaved):
    q, k, v, table = normal(2, 9, 64), normal(2, 9, 32, seed=1), normal(2, 9, 32, seed=2), angles(32, 8)
    a, b = (turned(apart(x, n), table, np.arange(9), interleaved) for x, n in ((q, 4), (k, 2)))
    nodes = [group(["q", "k", "v", "", "", "last", "total", "cos", "sin"], ["y", "k2", "v2"], do_rotary=1, rotary_interleaved=int(interleaved))]
    want = {"y": merged(attend(a, b, apart(v, 2), mask=causal(9, 9, 0))[0]), "k2": b, "v2": apart(v, 2)}
    check(tmp_path, nodes, {"q": q, "k": k, "v": v}, want, {**table, "last": np.array([8, 8], np.int32), "total": np.array(9, np.int32)})


@pytest.mark.parametrize("cache", ["grows", "has_room", "is_empty"])
def test_one_more_token(tmp_path, cache):
    past = 0 if cache == "is_empty" else 6
    places = {"grows": past, "has_room": 11, "is_empty": 5}[cache]
    x, table = normal(1, 1, 128), angles(32, 8)
    pk, pv = normal(1, 2, places, 16, seed=1), normal(1, 2, places, 16, seed=2)
    q, k, v = np.split(x, [64, 96], -1)
    q, k, v = turned(apart(q, 4), table, [past]), turned(apart(k, 2), table, [past]), apart(v, 2)
    keys, values = (np.concatenate([p[:, :, :past], n], 2) for p, n in ((pk, k), (pv, v)))
    stored = [np.concatenate([a, p[:, :, past + 1:]], 2) for a, p in ((keys, pk), (values, pv))]
    nodes = [group(["x", "", "", "pk", "pv", "last", "total", "cos", "sin"], ["y", "k2", "v2"], do_rotary=1)]
    inputs = {"x": x, "pk": pk, "pv": pv, "last": np.array([past], np.int32)}
    check(tmp_path, nodes, inputs, {"y": merged(attend(q, keys, values)[0]), "k2": stored[0], "v2": stored[1]},
          {**table, "total": np.array([past + 1], np.int32)})


def test_a_window_and_a_cap(tmp_path):
    q, k, v = normal(1, 12, 64), normal(1, 12, 32, seed=1), normal(1, 12, 32, seed=2)
    constants = {"last": np.array([11], np.int32), "total": np.array(12, np.int32)}
    names = ["q", "k", "v", "", "", "last", "total"]
    want = attend(apart(q, 4), apart(k, 2), apart(v, 2), mask=causal(12, 12, 0, 4))[0]
    check(tmp_path, [group(names, local_window_size=4)], {"q": q, "k": k, "v": v}, {"y": merged(want)}, constants)
    want = attend(apart(q, 4), apart(k, 2), apart(v, 2), 0.2, 3.0, causal(12, 12, 0))[0]
    check(tmp_path, [group(names, scale=0.2, softcap=3.0)], {"q": q, "k": k, "v": v}, {"y": merged(want)}, constants, one_kernel=False)


def test_norms_of_queries_and_keys_and_no_direction(tmp_path):
    q, k, v, g = normal(2, 6, 64), normal(2, 6, 32, seed=1), normal(2, 6, 32, seed=2), normal(16) + 2
    a, b = (apart(x, n) / np.sqrt((apart(x, n).astype(float) ** 2).mean(-1, keepdims=True) + 1e-6) * g for x, n in ((q, 4), (k, 2)))
    last = np.array([5, 3], np.int32)
    mask = np.where(np.arange(6)[None, None, None] <= last[:, None, None, None], 0, -1e9)
    nodes = [group(["q", "k", "v", "", "", "last", "total"] + [""] * 7 + ["g", "g"], causal=0)]
    check(tmp_path, nodes, {"q": q, "k": k, "v": v}, {"y": merged(attend(a, b, apart(v, 2), mask=mask)[0])},
          {"g": g, "last": last, "total": np.array(6, np.int32)})


# What is refused, by name.

GQA = {"q": normal(2, 1, 64), "k": normal(2, 1, 32), "v": normal(2, 1, 32), "pk": normal(2, 2, 6, 16), "pv": normal(2, 2, 6, 16),
       "last": np.array([6, 6], np.int32), "total": np.array([7], np.int32)}


@pytest.mark.parametrize("nodes, inputs, words", [
    ([group(list(GQA))], GQA, ["E-ONX-010", "groupqueryattention", "'total'"]),
    ([group([*list(GQA)[:6], "t"])], {k: v for k, v in GQA.items() if k != "total"}, ["E-ONX-010", "seqlens_k", "batch of 1"]),
    ([group([*GQA, "", "", "", "", "s"])], {**GQA, "s": normal(4)}, ["E-ONX-005", "head_sink"]),
    ([group(list(GQA), smooth_softmax=1)], GQA, ["E-ONX-005", "smooths"]),
    ([node("MultiHeadAttention", ["q", "q", "q", "", "m"], num_heads=4)], {"q": normal(2, 5, 32), "m": np.zeros(8, np.int32)},
     ["E-ONX-010", "multiheadattention", "mask of shape 8"]),
    ([node("MultiHeadAttention", ["q", "q", "q"], ["y", "", "", "s"], num_heads=4)], {"q": normal(2, 5, 32)}, ["E-ONX-005", "'qk'"]),
    ([node("MultiHeadAttention", ["q", "q", "q"], num_heads=5)], {"q": normal(2, 5, 32)}, ["E-ONX-004", "5 heads"]),
    ([node("Attention", ["q", "w"], num_heads=4, do_rotary=1)], {"q": normal(2, 5, 32), "w": normal(32, 96)}, ["E-ONX-005", "do_rotary"]),
    ([node("PackedAttention", ["q"])], {"q": normal(2, 5)}, ["E-ONX-003", "com.microsoft.PackedAttention"]),
])
def test_what_is_not_supported_is_refused_with_its_node(tmp_path, nodes, inputs, words):
    file = write(tmp_path / "model.onnx", nodes, inputs, {n: np.zeros(1) for n in nodes[0].output if n}, {"t": np.array([7], np.int32)})
    text = refusal(file, "--out", tmp_path / "out")
    for word in words:
        assert word in text


def test_a_wrong_definition_is_seen(tmp_path):
    with pytest.raises(AssertionError):
        check(tmp_path, [standard()], X23, {"y": attend(*X23.values(), scale=0.2)[0]}, opset=23)
