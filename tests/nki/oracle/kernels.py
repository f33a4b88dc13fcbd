# SPDX-License-Identifier: Apache-2.0
"""Kernels for verdicts: right, wrong, refused and hostile ones. All double a matrix, or try to."""
import os
import signal
import sys
import time

import nki
import nki.isa as nisa
import nki.language as nl


def doubled_rows(x, factor, before=lambda: None):
    before()
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for first in range(0, x.shape[0], 128):
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x[first : first + 128, :])
        nisa.tensor_scalar(tile, tile, nl.multiply, factor(first))
        nisa.dma_copy(out[first : first + 128, :], tile)  # the store
    return out


@nki.jit
def right(x):
    return doubled_rows(x, lambda first: 2.0)


@nki.jit
def wrong_from_row_256(x):
    return doubled_rows(x, lambda first: 2.0 if first < 256 else 3.0)


@nki.jit
def unwritten(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    for first in range(0, x.shape[0], 128):
        nisa.dma_copy(out[first : first + 128, :], tile)
    return out


@nki.jit
def too_large(x):
    nl.ndarray((128, 60000), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def raising(x):
    raise ZeroDivisionError("of the kernel")


@nki.jit
def leaving(x):
    sys.exit(0)


@nki.jit
def in_place(x):
    tile = nl.load(x[0:128, :])
    nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)
    nl.store(x[0:128, :], tile)


def reference(x):
    return 2 * x


# --- hostile ------------------------------------------------------------------------------------------------------------
def _endless():
    while True:
        pass


def _memory():
    kept = []
    while True:
        kept.append(bytearray(32 << 20))


def _forks():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)


def _many_forks():
    while True:
        if os.fork() == 0:
            time.sleep(1000)


def _exits():
    os._exit(0)


def _kills():
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(0, signal.SIGKILL)


def _deaf():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(1000)


def _closes():
    os.closerange(0, 256)


def _noise():
    print('{"id": 0, "status": "done"}\n' * 10000)


def _leaves():
    raise SystemExit(0)


HOSTILE = {"endless": _endless, "memory": _memory, "forks": _forks, "many_forks": _many_forks, "exits": _exits, "kills": _kills, "deaf": _deaf,
           "closes": _closes, "noise": _noise, "leaves": _leaves}


def _hostile(act):
    @nki.jit
    def kernel(x):
        return doubled_rows(x, lambda first: 2.0, act)

    return kernel


endless, memory, forks, many_forks, exits, kills, deaf, closes, noise, leaves = map(_hostile, HOSTILE.values())
