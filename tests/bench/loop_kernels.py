# SPDX-License-Identifier: Apache-2.0
"""Kernels of loop_bench.py: about n instructions, which Python unrolls, of all engines and of DMA."""
import neuronxcc.nki as old_nki
import neuronxcc.nki.isa as old_nisa
import neuronxcc.nki.language as old_nl
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def new_kernel(x, n):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(max(rows // 128, n // 9)):
        at = 128 * (i % (rows // 128))
        tile = nl.ndarray((128, columns), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[at : at + 128, 0:columns])
        half = nl.ndarray((128, columns), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=half, data=tile, op0=nl.multiply, operand0=0.5)
        product = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=product, stationary=tile[0:128, 0:128], moving=half)
        power = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=power, op=nl.exp, data=product, scale=0.01)
        largest = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=largest, op=nl.maximum, data=power, axis=1)
        scaled = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=scaled, data=power, op0=nl.subtract, operand0=largest)
        total = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=total[0:128, 0:columns], data1=scaled[0:128, 0:columns], data2=half[0:128, 0:columns], op=nl.add)
        nisa.dma_copy(dst=out[at : at + 128, 0:columns], src=total)
    return out


@old_nki.jit
def old_kernel(x, n):
    rows, columns = x.shape
    out = old_nl.ndarray((rows, columns), dtype=x.dtype, buffer=old_nl.shared_hbm)
    i_p, i_f = old_nl.arange(128)[:, None], old_nl.arange(columns)[None, :]
    for i in range(max(rows // 128, n // 9)):
        at = 128 * (i % (rows // 128))
        tile = old_nl.load(x[at + i_p, i_f])
        half = tile * 0.5
        product = old_nisa.nc_matmul(tile[:, 0:128], half)
        power = old_nl.exp(product * 0.01)
        largest = old_nl.max(power, axis=1, keepdims=True)
        total = old_nl.add(power - largest, half)
        old_nl.store(out[at + i_p, i_f], total)
    return out
