# SPDX-License-Identifier: Apache-2.0
"""tahoma.compile and tahoma.graph beside PyTorch."""

import collections

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import tahoma  # noqa: E402

F32 = 2e-6  # of the largest output: sums of some hundred fp32 terms through some layers


class Several(torch.nn.Module):
    """Returns a structure, of several types."""

    def __init__(self):
        super().__init__()
        self.one, self.drop = torch.nn.Linear(40, 24), torch.nn.Dropout(0.5)

    def forward(self, x, y):
        z = self.drop(self.one(x))
        return {"sum": z + y, "more": [z.softmax(-1), (z > y, x.shape[0])]}


def near(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    assert (got - want).abs().max() <= F32 * want.abs().max()


def test_structures_types_and_the_mode_of_the_module():
    torch.manual_seed(1)
    module, x, y = Several(), torch.randn(6, 40), torch.randn(6, 24)
    net = tahoma.compile(module, (x, y))
    assert module.training
    module.eval()
    with torch.no_grad():
        want = module(x, y)
    got = net(x, y)
    near(got["sum"], want["sum"])
    near(got["more"][0], want["more"][0])
    assert torch.equal(got["more"][1][0], want["more"][1][0]) and got["more"][1][1] == 6
    assert net.last.summary.golden.passed


def test_other_shapes_are_exported_and_times_need_no_values():
    net = tahoma.compile(lambda x: torch.nn.functional.gelu(x) @ x.t(), (torch.randn(20, 130),))
    x = torch.randn(50, 130)
    with torch.no_grad():
        near(net(x), torch.nn.functional.gelu(x) @ x.t())
    functional = net.last.time_ns
    assert net.time(x).time_ns == functional
    assert net.time(torch.randn(2000, 130)).time_ns > functional
    assert net.file(x) == net.file(torch.zeros(50, 130)) != net.file(torch.randn(20, 130))


def test_options_reach_the_run():
    net = tahoma.compile(torch.nn.Linear(64, 64), (torch.randn(64, 64),), floats="bf16", machine="trainium3_chip")
    assert net.time(torch.randn(64, 64)).summary.machine == "trainium3_chip"


def test_half_precision_modules():
    torch.manual_seed(2)
    module, x = torch.nn.Linear(64, 32).to(torch.bfloat16), torch.randn(8, 64).to(torch.bfloat16)
    got = tahoma.compile(module, (x,))(x)
    with torch.no_grad():
        want = module(x)
    assert got.dtype == torch.bfloat16
    assert (got.float() - want.float()).abs().max() <= 2**-8 * want.float().abs().max()


def test_named_tuples_keep_their_names():
    Pair = collections.namedtuple("Pair", "low high")
    net = tahoma.compile(lambda x: Pair(x - 1, x + 1), (torch.zeros(4, 4),))
    got = net(torch.ones(4, 4))
    assert torch.equal(got.low, torch.zeros(4, 4)) and torch.equal(got.high, 2 * torch.ones(4, 4))


def test_what_cannot_be_exported_is_named():
    with pytest.raises(tahoma.ConfigurationError) as error:
        tahoma.compile(lambda x: torch.linalg.svd(x)[0], (torch.randn(4, 4),))
    assert error.value.code == "E-PYT-011" and "svd" in error.value.text


def test_integers_that_32_bits_do_not_hold_are_refused():
    net = tahoma.compile(lambda x: x + 1, (torch.zeros(4, dtype=torch.int64),))
    with pytest.raises(tahoma.ConfigurationError) as error:
        net(torch.tensor([1, 2, 3, 2**40]))
    assert error.value.code == "E-PYT-002" and str(2**40) in error.value.text


def test_a_file_with_inputs_by_name(tmp_path):
    module, x = torch.nn.Linear(24, 24), torch.randn(5, 24)
    torch.onnx.export(module, x, tmp_path / "m.onnx", input_names=["x"], output_names=["y"])
    run = tahoma.graph(tmp_path / "m.onnx", {"x": x}, save_outputs=True)
    with torch.no_grad():
        np.testing.assert_allclose(run.tensors["y"], module(x).numpy(), atol=1e-5)
    with pytest.raises(tahoma.ConfigurationError) as error:
        tahoma.graph(tmp_path / "m.onnx", {"z": x})
    assert error.value.code == "E-ONX-008"
