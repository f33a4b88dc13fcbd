# SPDX-License-Identifier: Apache-2.0
"""Attention as PyTorch's exporter writes it becomes one kernel: its values, its times, and what must not become one."""

import json
import math
import warnings

import numpy as np
import pytest

from graph_run import command, run

torch = pytest.importorskip("torch")
nn = torch.nn
F32 = 2e-6  # of the largest output: sums of some hundred fp32 terms through some layers
INF = float("inf")


class Heads(nn.Module):
    """Projections, heads, scores; `score` scales and masks them."""

    def __init__(self, heads, size, score, groups=None, value=None, of_q=1.0, of_k=1.0):
        super().__init__()
        self.heads, self.size, self.score, self.groups, self.value = heads, size, score, groups or heads, value or size
        self.factors = of_q, of_k
        self.q, self.k = nn.Linear(48, heads * size), nn.Linear(48, self.groups * size)
        self.v, self.out = nn.Linear(48, self.groups * self.value), nn.Linear(heads * self.value, 48)

    def forward(self, x, memory=None, mask=None):
        memory = x if memory is None else memory
        n = x.shape[0]
        q, k, v = (p(y).view(n, -1, h, d).transpose(1, 2) for p, y, h, d in (
            (self.q, x, self.heads, self.size), (self.k, memory, self.groups, self.size), (self.v, memory, self.groups, self.value)))
        if self.groups != self.heads:
            k, v = (z[:, :, None].expand(-1, -1, self.heads // self.groups, -1, -1).reshape(n, self.heads, -1, z.shape[-1]) for z in (k, v))
        scores = self.score(q * self.factors[0] @ (k * self.factors[1]).transpose(-1, -2), mask)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, x.shape[1], -1))


class Windows(nn.Module):
    """Windows of an image: one product for all three, a bias for each head, a mask for each window."""

    def __init__(self, width, heads, tokens, windows):
        super().__init__()
        self.heads, self.qkv, self.bias = heads, nn.Linear(width, 3 * width), nn.Parameter(torch.randn(heads, tokens, tokens))
        self.register_buffer("mask", (torch.rand(windows, tokens, tokens) > 0.7) * -100.0)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q * (c // self.heads) ** -0.5 @ k.transpose(-2, -1) + self.bias
        scores = (scores.view(-1, *self.mask.shape[:1], self.heads, n, n) + self.mask[:, None]).view(b, self.heads, n, n)
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c)


class Pixels(nn.Module):
    """Keys and values with pixels side by side, by Einsum."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Conv1d(64, 192, 1)

    def forward(self, x):
        q, k, v = self.qkv(x).reshape(x.shape[0] * 4, 48, -1).chunk(3, 1)
        return torch.einsum("bts,bcs->bct", torch.einsum("bct,bcs->bts", q / 2, k / 2).softmax(-1), v)


class Twice(nn.Module):
    """The result of one is the query of another, with the same keys."""

    def forward(self, q, k, v):
        y = ((q @ k.transpose(-1, -2) / 4).softmax(-1) @ v).transpose(-2, -1).transpose(-2, -1)
        return (y @ k.transpose(-1, -2) / 4).softmax(-1) @ v


class Multi(nn.Module):
    def __init__(self, first):
        super().__init__()
        self.of = nn.MultiheadAttention(64, 4, batch_first=not first)

    def forward(self, x):
        return self.of(x, x, x, need_weights=False)[0]


def plain(size):
    return lambda scores, mask: scores / math.sqrt(size)


def by_shape(scores, mask):
    return scores / torch.sqrt(torch.tensor(scores.shape[-1], dtype=torch.float32))


def later(scores):
    t, s = scores.shape[-2:]
    return torch.ones(t, s, dtype=torch.bool).triu(1 + s - t)


def causal(scores, mask):
    return scores / 8 + torch.full(scores.shape[-2:], -INF).triu(1 + scores.shape[-1] - scores.shape[-2])


def causal_choice(scores, mask):
    return torch.where(~later(scores), scores / 8, torch.tensor(-1e4))


def padding(scores, mask):
    return scores / 8 + (1 - mask[:, None, None, :]) * -10000.0


def hidden(scores, mask):
    return (scores / 8).masked_fill((mask < 0.5)[:, None, None, :], -3e38)


def added(scores, mask):
    return (scores + mask) * 0.3


def normal(*dims):
    return torch.randn(*dims)


def lengths(n, s):
    return (torch.arange(s)[None] < torch.tensor([s - 3 * i for i in range(n)])[:, None]).float()


X = normal(2, 40, 48)
CASES = {
    "sizes_of_80": (Heads(2, 80, lambda s, m: s, of_q=80 ** -0.5), (X,)),
    "sizes_of_96": (Heads(2, 96, lambda s, m: s, of_q=0.3, of_k=0.4), (X,)),
    "sizes_of_128": (Heads(1, 128, by_shape), (normal(1, 130, 48),)),
    "values_of_another_size": (Heads(2, 32, plain(32), value=48), (X,)),
    "one_token": (Heads(4, 32, plain(32)), (normal(1, 1, 48),)),
    "seven_tokens": (Heads(2, 64, causal), (normal(3, 7, 48),)),
    "a_thousand_tokens": (Heads(1, 64, causal), (normal(1, 1000, 48),)),
    "causal_choice": (Heads(2, 64, causal_choice), (X,)),
    "cross": (Heads(2, 64, causal), (normal(2, 9, 48), normal(2, 70, 48))),
    "grouped": (Heads(6, 32, causal, groups=2), (X,)),
    "one_group": (Heads(4, 32, plain(32), groups=1), (normal(2, 150, 48),)),
    "padding": (Heads(2, 64, padding), (X, X, lengths(2, 40))),
    "hidden": (Heads(2, 64, hidden), (X, X, lengths(2, 40))),
    "added": (Heads(2, 64, added), (normal(2, 140, 48), normal(2, 300, 48), normal(2, 2, 140, 300))),
    "windows": (Windows(96, 3, 49, 4), (normal(8, 49, 96),)),
    "pixels": (Pixels(), (normal(2, 64, 30),)),
    "twice": (Twice(), (normal(2, 3, 10, 16), normal(2, 3, 12, 16), normal(2, 3, 12, 16))),
    "matrices": (Twice(), (normal(10, 16), normal(12, 16), normal(12, 16))),
    "batch_first": (Multi(False), (normal(2, 30, 64),)),
    "tokens_first": (Multi(True), (normal(30, 2, 64),)),
}


def export(tmp_path, module, inputs):
    names = [f"in{i}" for i in range(len(inputs))]
    module.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, inputs, tmp_path / "model.onnx", input_names=names, output_names=["out"], opset_version=14)
    with torch.no_grad():
        return tmp_path / "model.onnx", {n: x.numpy() for n, x in zip(names, inputs)}, module(*inputs).numpy()


def kernels(model):
    done = command(model, "--plan", "--out", model.parent / "plan")
    assert done.returncode == 0, done.stderr
    return [line[62:82].strip() for line in done.stdout.splitlines()[1:-1]]


@pytest.mark.parametrize("name", CASES)
def test_attention_is_one_kernel_with_the_values_of_pytorch(tmp_path, name):
    model, inputs, want = export(tmp_path, *CASES[name])
    assert "attention" in kernels(model) and "softmax" not in kernels(model)
    summary, outputs = run(tmp_path, model, inputs, "--check", "races,uninitialised")
    assert summary["golden"]["passed"]
    assert np.abs(outputs["out"] - want).max() <= F32 * np.abs(want).max()
    done = command(model, "--mode", "timing", "--out", tmp_path / "timing", "--slim", "--format", "json")
    assert json.loads(done.stdout)["simulated_time_ns"] == summary["simulated_time_ns"]


@pytest.mark.parametrize("name", ["sizes_of_80", "seven_tokens", "hidden", "added", "windows"])
@pytest.mark.parametrize("floats", ["bf16", "fp16"])
def test_narrow_types_are_within_their_rounding(tmp_path, name, floats):
    model, inputs, _ = export(tmp_path, *CASES[name])
    summary, _ = run(tmp_path, model, inputs, "--floats", floats)
    assert summary["golden"]["passed"]


def test_a_causal_mask_costs_nothing(tmp_path):
    times = {}
    for name, score in (("full", plain(64)), ("causal", causal)):
        model, _, _ = export(tmp_path, Heads(1, 64, score), (normal(1, 1000, 48),))
        done = command(model, "--mode", "timing", "--out", tmp_path / "timing", "--slim", "--format", "json")
        times[name] = json.loads(done.stdout)["simulated_time_ns"]
    assert times["causal"] < times["full"]


class Returned(nn.Module):
    """Somebody else reads the weights."""

    def forward(self, q, k, v):
        weights = (q @ k.transpose(-1, -2) / 4).softmax(-1)
        return weights @ v + weights.mean()


class Negative(nn.Module):
    def forward(self, q, k, v):
        return (q @ k.transpose(-1, -2) * -0.5).softmax(-1) @ v


@pytest.mark.parametrize("module", [Returned(), Negative()])
def test_other_products_with_a_softmax_keep_their_kernels(tmp_path, module):
    model, inputs, want = export(tmp_path, module, (normal(2, 3, 10, 16), normal(2, 3, 12, 16), normal(2, 3, 12, 16)))
    assert "softmax" in kernels(model) and "attention" not in kernels(model)
    summary, outputs = run(tmp_path, model, inputs)
    assert summary["golden"]["passed"]
    assert np.abs(outputs["out"] - want).max() <= F32 * np.abs(want).max()
