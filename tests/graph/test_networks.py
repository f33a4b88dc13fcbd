# SPDX-License-Identifier: Apache-2.0
"""Exported networks with random weights beside PyTorch."""

import json
import warnings

import numpy as np
import pytest

from graph_run import command, run

torch = pytest.importorskip("torch")
nn = torch.nn
F32 = 2e-6  # of the largest output: sums of some hundred fp32 terms through some layers


def perceptron():
    return nn.Sequential(nn.Linear(96, 200), nn.GELU(), nn.Linear(200, 50), nn.Softmax(-1)), torch.randn(40, 96)


def convolutions():
    layers = nn.Sequential(nn.Conv2d(3, 16, 7, stride=2, padding=3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
                           nn.Conv2d(16, 32, 3, padding=1, groups=4), nn.Hardswish(), nn.Conv2d(32, 32, 5, padding=4, dilation=2, groups=32),
                           nn.SiLU(), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
    layers[1].running_mean.uniform_(-1, 1)
    layers[1].running_var.uniform_(0.5, 2)
    return layers, torch.randn(2, 3, 32, 32)


def encoder():
    return nn.TransformerEncoderLayer(64, 4, 128, activation="gelu", batch_first=True), torch.randn(2, 24, 64)


class Tokens(nn.Module):
    """Embedding, causal attention written out, tied output."""

    def __init__(self):
        super().__init__()
        self.table, self.places = nn.Embedding(100, 48), nn.Embedding(16, 48)
        self.norm, self.project, self.out = nn.LayerNorm(48), nn.Linear(48, 144), nn.Linear(48, 48)

    def forward(self, ids):
        n, t = ids.shape
        x = self.table(ids) + self.places(torch.arange(t))
        q, k, v = (p.view(n, t, 4, 12).transpose(1, 2) for p in self.project(self.norm(x)).chunk(3, -1))
        scores = (q @ k.transpose(-2, -1)) / 12 ** 0.5
        scores = scores.masked_fill(torch.triu(torch.ones(t, t, dtype=torch.bool), 1), float("-inf"))
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, 48))
        return x @ self.table.weight.t()


def tokens():
    return Tokens(), torch.randint(0, 100, (2, 16))


NETWORKS = {f.__name__: f for f in (perceptron, convolutions, encoder, tokens)}


def exported(name, folder):
    torch.manual_seed(1)
    module, x = NETWORKS[name]()
    module.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, x, folder / "model.onnx", input_names=["x"], output_names=["y"])
    with torch.no_grad():
        want = module(x).numpy()
    values = x.numpy()
    return folder / "model.onnx", {"x": values.astype(np.int32) if values.dtype == np.int64 else values}, want


def error(got, want):
    return np.abs(got - want).max() / np.abs(want).max()


@pytest.mark.parametrize("name", NETWORKS)
def test_values_are_those_of_pytorch(tmp_path, name):
    model, inputs, want = exported(name, tmp_path)
    summary, outputs = run(tmp_path, model, inputs, "--check", "races,uninitialised")
    assert summary["golden"]["passed"]
    assert outputs["y"].shape == want.shape
    assert error(outputs["y"], want) < F32


@pytest.mark.parametrize("name", ["convolutions", "encoder"])
def test_bf16_is_within_its_rounding(tmp_path, name):
    model, inputs, want = exported(name, tmp_path)
    summary, outputs = run(tmp_path, model, {}, "--floats", "bf16")
    assert summary["golden"]["passed"]
    assert outputs["y"].shape == want.shape


@pytest.mark.parametrize("name", NETWORKS)
def test_both_modes_take_the_same_time(tmp_path, name):
    model, _, _ = exported(name, tmp_path)
    functional, _ = run(tmp_path, model, {})
    done = command(model, "--mode", "timing", "--out", tmp_path / "timing", "--slim", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["simulated_time_ns"] == functional["simulated_time_ns"]


def test_two_cores_compute_what_one_does(tmp_path):
    model, inputs, want = exported("convolutions", tmp_path)
    summary, outputs = run(tmp_path, model, inputs, "--cores", "2")
    assert summary["golden"]["passed"]
    assert error(outputs["y"], want) < F32


def test_two_chips_compute_what_one_core_does(tmp_path):
    model, inputs, want = exported("perceptron", tmp_path)
    rows = {name: np.resize(values, (16, *values.shape[1:])) for name, values in inputs.items()}
    summary, outputs = run(tmp_path, model, rows, "--chips", "2", "--batch", "16")
    assert summary["golden"]["passed"]
    assert error(outputs["y"], np.resize(want, (16, *want.shape[1:]))) < F32


# The checker has to see a wrong node: another model's outputs differ from PyTorch's.
def test_another_seed_gives_other_values(tmp_path):
    model, _, want = exported("perceptron", tmp_path)
    _, outputs = run(tmp_path, model, {})
    assert error(outputs["y"], want) > 1e-2


def test_the_plan_names_every_node_and_runs_nothing(tmp_path):
    model, _, _ = exported("encoder", tmp_path)
    done = command(model, "--plan", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "gemm" in done.stdout and "attention" in done.stdout and "sum of the bounds" in done.stdout
    assert not (tmp_path / "out").exists()
