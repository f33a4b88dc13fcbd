#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of tracing NKI kernels: processor time for each instruction, beside the kernel's own Python.

The same loops run twice, alternately: traced, and with stubs that do nothing in the place of nki.isa and of views. The goal is
at most 20 us for an instruction above the kernel's own Python.

    PYTHONPATH=build/python tests/bench/tracing_bench.py
"""
import contextlib
import inspect
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "python"))

import numpy as np  # noqa: E402

import tahoma  # noqa: E402
import nki  # noqa: E402
import nki.isa as nisa  # noqa: E402
import nki.language as nl  # noqa: E402
import neuronxcc.nki as old_nki  # noqa: E402
import neuronxcc.nki.isa  # noqa: E402, F401
import neuronxcc.nki.language as old_nl  # noqa: E402
from tahoma import context  # noqa: E402

ROUNDS, INSTRUCTIONS = 5, 4000


class Nothing:
    """Stands in for modules, functions, tiles and views."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __add__(self, other):
        return self

    __radd__ = __iadd__ = __sub__ = __mul__ = __rmul__ = __and__ = __lt__ = __add__


def elementwise(isa, a, b, n):
    for i in range(n):
        isa.tensor_tensor(dst=a[0:128, 0:256], data1=a[0:128, 256:512], data2=b[0:128, 0:256], op=nl.add)


def activation(isa, a, b, n):
    for i in range(n):
        isa.activation(dst=a, op=nl.exp, data=b, scale=0.5)


def matmul(isa, a, b, n):
    for i in range(n):
        isa.nc_matmul(dst=b, stationary=a[0:128, 0:128], moving=a[0:128, 0:512])


def load(isa, a, b, n):
    for i in range(n):
        isa.dma_copy(dst=a, src=b[128 * (i % 8) : 128 * (i % 8) + 128, 0:512])


def old_style(old, x, a, b, result, n):
    for i in range(n):
        a[:, :] = old.language.add(a, b)


def old_load_and_store(old, x, a, b, result, n):
    at = old.language.mgrid[0:128, 0:512]
    for i in range(n // 2):
        tile = old.language.load(x[128 * (i % 8) + at.p, at.x])
        old.language.store(result[at.p, at.x], value=tile)


def old_matmul(old, x, a, b, result, n):
    total = old.language.zeros((128, 512), dtype=old.language.float32, buffer=old.language.psum)
    for i in range(n):
        total[...] += old.isa.nc_matmul(a[:, 0:128], b[...])


def old_masks(old, x, a, b, result, n):
    rows, columns = old.language.arange(128)[:, None], old.language.arange(512)[None, :]
    for i in range(n // 2):
        at = 128 * (i % 8) + rows
        tile = old.language.load(x[at, columns], mask=(at < 1000) & (columns < 500))
        old.language.store(result[rows, columns], tile, mask=at < 1000)


def old_softmax(old, x, a, b, result, n):
    for i in range(n // 6):
        largest = old.language.max(a, axis=1, keepdims=True)
        powers = old.language.exp(a - largest)
        total = old.language.sum(powers, axis=1, keepdims=True)
        b[...] = powers * old.language.reciprocal(total)


def kernel_of(body, space, dtype):
    @nki.jit
    def kernel(x):
        a = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
        b = x if space is None else nl.ndarray((128, 512), dtype=dtype, buffer=space)
        nisa.memset(dst=a, value=0)
        if space is not None and space is not nl.psum:
            nisa.memset(dst=b, value=0)
        with measured():
            body(nisa, a, b, INSTRUCTIONS)
        result = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=result, src=a)
        return result

    return kernel


def old_kernel_of(body):
    @old_nki.jit
    def kernel(x):
        a, b = old_nl.load(x[0:128, 0:512]), old_nl.load(x[128:256, 0:512])
        result = old_nl.ndarray((128, 512), dtype=a.dtype, buffer=old_nl.shared_hbm)
        with measured():
            body(old_nki, x, a, b, result, INSTRUCTIONS)
        old_nl.store(result, a)
        return result

    return kernel


spent = []  # seconds and recorded instructions of each run


@contextlib.contextmanager
def measured():
    tracer = context.current().tracer
    start, before = time.process_time(), tracer.entries
    yield
    spent.append((time.process_time() - start, tracer.entries - before))


CASES = [
    ("tensor_tensor of three views", elementwise, kernel_of(elementwise, nl.sbuf, nl.bfloat16)),
    ("activation", activation, kernel_of(activation, nl.sbuf, nl.bfloat16)),
    ("nc_matmul", matmul, kernel_of(matmul, nl.psum, nl.float32)),
    ("dma_copy of a row range", load, kernel_of(load, None, None)),
    ("older style: a[:, :] = nl.add(a, b)", old_style, old_kernel_of(old_style)),
    ("older style: nl.load, nl.store by mgrid", old_load_and_store, old_kernel_of(old_load_and_store)),
    ("older style: masks and nl.arange", old_masks, old_kernel_of(old_masks)),
    ("older style: softmax by functions", old_softmax, old_kernel_of(old_softmax)),
    ("older style: t[...] += nisa.nc_matmul", old_matmul, old_kernel_of(old_matmul)),
]


def main():
    x = np.zeros((1024, 512), dtype=np.float32)
    print(f"{'instruction':40s} {'traced':>10s} {'own Python':>11s} {'tracing':>9s} {'ratio':>7s}")
    worst = 0.0
    for name, body, kernel in CASES:
        nothing = [Nothing()] * (len(inspect.signature(body).parameters) - 1)
        traced, own = [], []
        for _ in range(ROUNDS):
            spent.clear()
            tahoma.trace(kernel, x)
            seconds, instructions = spent[0]
            traced.append(1e6 * seconds / instructions)
            start = time.process_time()
            body(*nothing, INSTRUCTIONS)
            own.append(1e6 * (time.process_time() - start) / instructions)
        both, alone = statistics.median(traced), statistics.median(own)
        worst = max(worst, both - alone)
        print(f"{name:40s} {both:7.2f} us {alone:8.2f} us {both - alone:6.2f} us {both / alone:7.1f}")
    print(f"the largest cost of tracing is {worst:.1f} us an instruction; the goal is 20 us")


if __name__ == "__main__":
    main()
