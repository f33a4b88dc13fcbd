# SPDX-License-Identifier: Apache-2.0
"""Convolutions with what follows them in one kernel, and pools, beside PyTorch."""

import warnings

import numpy as np
import pytest

from graph_run import command, run

torch = pytest.importorskip("torch")
nn = torch.nn
F32 = 2e-6  # of the largest output


class Residual(nn.Module):
    """A convolution, the sum with its input, and perhaps relu; the sum may have its operands the other way round."""

    def __init__(self, channels, size, relu, groups=1, turned=False, **other):
        super().__init__()
        self.of = nn.Conv2d(channels, channels, size, padding=size // 2, groups=groups, **other)
        self.relu, self.turned = relu, turned

    def forward(self, x):
        x = x * 2
        y = x + self.of(x) if self.turned else self.of(x) + x
        return y.relu() if self.relu else y


CASES = {
    "several_images_in_a_bank": (Residual(24, 3, True), (5, 24, 14, 14)),
    "bands_of_an_image": (Residual(20, 3, True, turned=True), (1, 20, 60, 50)),
    "groups": (Residual(32, 3, False, groups=4), (2, 32, 9, 11)),
    "several_tiles_of_channels": (Residual(200, 1, True), (3, 200, 10, 10)),
    "without_a_tap_that_all_pixels_have": (Residual(8, 7, True), (2, 8, 3, 3)),
}


def export(tmp_path, module, dims):
    torch.manual_seed(1)
    x = torch.randn(*dims)
    module.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, x, tmp_path / "model.onnx", input_names=["x"], output_names=["y"])
    with torch.no_grad():
        return tmp_path / "model.onnx", x.numpy(), module(x).numpy()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("floats", ["fp32", "bf16"])
def test_a_residual_is_part_of_the_convolution(tmp_path, name, floats):
    model, x, want = export(tmp_path, *CASES[name])
    plan = command(model, "--plan", "--out", tmp_path / "plan").stdout
    assert "Conv+residual" in plan and ("+Relu" in plan) == CASES[name][0].relu
    summary, outputs = run(tmp_path, model, {"x": x}, "--floats", floats, "--check", "races,uninitialised")
    assert summary["golden"]["passed"]
    if floats == "fp32":
        assert np.abs(outputs["y"] - want).max() <= F32 * np.abs(want).max()


class Broadcast(nn.Module):
    def forward(self, x, w, z):
        return nn.functional.conv2d(x, w, padding=1) + z


def test_a_sum_that_is_broadcast_is_no_residual(tmp_path):
    inputs = torch.randn(2, 8, 9, 9), torch.randn(8, 8, 3, 3), torch.randn(9, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(Broadcast(), inputs, tmp_path / "model.onnx", input_names=["x", "w", "z"], output_names=["y"])
    assert "residual" not in command(tmp_path / "model.onnx", "--plan", "--out", tmp_path / "plan").stdout
    summary, outputs = run(tmp_path, tmp_path / "model.onnx", dict(zip("xwz", (x.numpy() for x in inputs))))
    want = Broadcast()(*inputs).numpy()
    assert summary["golden"]["passed"] and np.abs(outputs["y"] - want).max() <= F32 * np.abs(want).max()


class One(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)


# Rows that SBUF cannot hold, several of them and one.
@pytest.mark.parametrize("pool, dims", [
    (nn.MaxPool2d(3, 2, 1), (1, 2, 5, 30000)), (nn.AvgPool2d((5, 3), 1, (2, 1), count_include_pad=False), (1, 2, 9, 20000)),
    (nn.LocalResponseNorm(5), (1, 12, 110, 110)), (nn.AvgPool1d(4, 3), (1, 3, 70000))])
def test_pools_of_wide_rows(tmp_path, pool, dims):
    model, x, want = export(tmp_path, One(pool), dims)
    summary, outputs = run(tmp_path, model, {"x": x}, "--check", "races,uninitialised")
    assert summary["golden"]["passed"]
    assert np.abs(outputs["y"] - want).max() <= F32 * np.abs(want).max()


# Rows of more pixels than a PSUM bank, with many channels and few.
@pytest.mark.parametrize("layer, dims", [
    (nn.Conv2d(20, 8, 3, padding=1), (2, 20, 6, 1100)), (nn.Conv2d(3, 8, (3, 5), (1, 2), padding=1), (1, 3, 7, 1300)),
    (nn.Conv2d(140, 4, (2, 3), dilation=2), (1, 140, 5, 600))])
def test_images_of_wide_rows(tmp_path, layer, dims):
    model, x, want = export(tmp_path, One(layer), dims)
    summary, outputs = run(tmp_path, model, {"x": x}, "--check", "races,uninitialised")
    assert summary["golden"]["passed"]
    assert np.abs(outputs["y"] - want).max() <= F32 * np.abs(want).max()
