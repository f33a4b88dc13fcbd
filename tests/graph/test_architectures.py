# SPDX-License-Identifier: Apache-2.0
"""Public architectures with random weights, small, beside PyTorch."""

import numpy as np
import pytest

from graph_run import run

torch = pytest.importorskip("torch")

from architectures import ARCHITECTURES, export  # noqa: E402  (it needs torch)

F32 = 1e-5  # of the largest output: deeper networks than in test_networks.py


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_values_are_those_of_pytorch(tmp_path, name):
    module, inputs = export(name, tmp_path / "model.onnx", batch=2)
    with torch.no_grad():
        want = module(*inputs).numpy()
    values = {f"in{i}": x.numpy().astype(np.int32 if x.dtype == torch.int64 else np.float32) for i, x in enumerate(inputs)}
    summary, outputs = run(tmp_path, tmp_path / "model.onnx", values)
    assert summary["golden"]["passed"]
    assert outputs["out"].shape == want.shape
    assert np.abs(outputs["out"] - want).max() <= F32 * np.abs(want).max()
