# SPDX-License-Identifier: Apache-2.0
"""Norms as exporters write them, beside PyTorch."""

import warnings

import numpy as np
import pytest

from graph_run import command, run

torch = pytest.importorskip("torch")
nn = torch.nn
F32 = 2e-6  # of the largest output


class One(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)


class RootMeanSquare(nn.Module):
    """`form` is how the root divides, `gain` whether there is one, in front of the norm or behind."""

    def __init__(self, width, form, gain):
        super().__init__()
        self.form, self.gain = form, gain
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        square = x * x if self.form == "product" else x.pow(2)
        mean = square.mean(-1, keepdim=True) + 1e-5
        y = x / mean.sqrt() if self.form == "quotient" else x * torch.rsqrt(mean)
        return y if not self.gain else self.weight * y if self.gain == "first" else y * self.weight


class Centred(nn.Module):
    """No norm: other values than those that are squared are divided."""

    def forward(self, x):
        return (x + 1) * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)


def checked(tmp_path, module, dims, *words):
    torch.manual_seed(1)
    x = torch.randn(*dims)
    module.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, x, tmp_path / "model.onnx", input_names=["x"], output_names=["y"])
    with torch.no_grad():
        want = module(x).numpy()
    plan = command(tmp_path / "model.onnx", "--plan", "--out", tmp_path / "plan").stdout
    summary, outputs = run(tmp_path, tmp_path / "model.onnx", {"x": x.numpy()}, "--check", "races,uninitialised", *words)
    assert summary["golden"]["passed"]
    if not words:
        assert np.abs(outputs["y"] - want).max() <= F32 * np.abs(want).max()
    return plan


@pytest.mark.parametrize("form", ["product", "power", "quotient"])
@pytest.mark.parametrize("gain", ["", "first", "last"])
def test_a_norm_by_the_mean_square_is_one_kernel(tmp_path, form, gain):
    plan = checked(tmp_path, RootMeanSquare(100, form, gain), (2, 70, 100))
    assert "rms_norm" in plan and "reduction" not in plan and "elementwise" not in plan
    checked(tmp_path, RootMeanSquare(100, form, gain), (2, 70, 100), "--floats", "bf16")


def test_a_quotient_of_another_value_is_no_norm(tmp_path):
    assert "rms_norm" not in checked(tmp_path, Centred(), (3, 50))


# Rows that are longer than a kernel takes.
@pytest.mark.parametrize("norm, dims", [
    (nn.GroupNorm(2, 40), (2, 40, 30, 31)), (nn.InstanceNorm2d(3, affine=True), (2, 3, 130, 131)), (nn.LayerNorm([3, 80, 81]), (2, 3, 80, 81)),
    (nn.LayerNorm(20000), (3, 20000)), (RootMeanSquare(20000, "power", "last"), (3, 20000))])
def test_norms_of_long_rows(tmp_path, norm, dims):
    for parameter in norm.parameters():
        nn.init.uniform_(parameter, 0.5, 1.5)
    checked(tmp_path, One(norm), dims)


class Rotated(nn.Module):
    """Few rows of heads, which share one table of angles."""

    def __init__(self, tokens, size):
        super().__init__()
        self.register_buffer("angles", torch.rand(tokens, size))

    def forward(self, x):
        return x * self.angles.cos() + x.flip(-1) * self.angles.sin()


def test_rows_share_an_operand(tmp_path):
    checked(tmp_path, Rotated(96, 64), (2, 5, 96, 64))


# More elements than a tile of each partition has: several pieces of each row.
@pytest.mark.parametrize("dims", [(1000, 1900), (130, 5000), (3, 400001)])
def test_elementwise_operators_of_large_tensors(tmp_path, dims):
    checked(tmp_path, nn.ReLU(), dims)
