# SPDX-License-Identifier: Apache-2.0
"""What the tests of NKI kernels share: quiet settings, random inputs, and the check of a refusal."""
import inspect
import re

import numpy as np
import pytest

import tahoma


@pytest.fixture(autouse=True)
def settings():
    """Every test begins with these settings: values are computed, checks are on, nothing is left behind."""
    tahoma.configure(machine="trainium2_chip", set=(), mode="functional", check="races,uninitialised", out="", trace=False,
                     allocation="rotating", tensor_copy="balanced", compiler="neuron", descriptors="hardware", load_queue="sync")
    yield


@pytest.fixture
def rng(request):
    """Random numbers that are the test's own and the same every time."""
    return np.random.default_rng(sum(request.node.name.encode()))


class Refusal:
    """A kernel that must be refused at the line marked `# here`."""

    def __call__(self, kernel, *args, code, says, grid=None, **kwargs):
        launched = kernel if grid is None else kernel[grid]
        with pytest.raises(tahoma.KernelError) as caught:
            launched(*args, **kwargs)
        error = caught.value
        lines, first = inspect.getsourcelines(kernel.function)
        marked = [first + n for n, line in enumerate(lines) if "# here" in line]
        assert error.code == code, str(error)
        assert re.search(says, error.text), f"expected /{says}/ in: {error.text}"
        if marked:
            assert error.place.endswith(f":{marked[0]}"), f"expected line {marked[0]}: {error}"
            assert "# here" in str(error)
        return error


@pytest.fixture
def refused():
    return Refusal()
