#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run four workloads on Trainium2 and on the machine of trainium2_5.yaml, and print each time and speed-up beside its closed form."""
import pathlib
import sys
import tempfile

import tahoma

AFTER = str(pathlib.Path(__file__).resolve().parent / "trainium2_5.yaml")
CLOCK, GB, US = 2.4e9, 1e9, 1e6
# What the closed forms take from the two machines: cores and rows and columns of the array, bytes a second of HBM and of a chip's links.
MACHINES = {"trainium2_ultraserver": (8, 128, 128, 2900 * GB, (2 * 128 + 2 * 128) * GB),
            AFTER: (12, 256, 128, 5800 * GB, (2 * 256 + 2 * 128) * GB)}


def ceil_div(a, b):
    return -(-a // b)


def product(m, n, k, rows, columns):
    """Microseconds of one core: passes of n columns, one a cycle."""
    return ceil_div(k, rows) * ceil_div(m, columns) * n / CLOCK * US


def gemm(cores, rows, columns, hbm, links):
    m, n, k, parts = 6144, 6144, 4096, (cores // 4, 4)
    return {"kind": "gemm", "workload": {"m": m, "n": n, "k": k, "shard": {"m": parts[0], "n": parts[1]}}}, \
        product(m // parts[0], n // parts[1], k, rows, columns)


def attention(cores, rows, columns, hbm, links):
    heads, tokens, d = 24, 2048, 128
    # Scores and their product with the values; the heads of a core follow each other. d is the contraction of the scores.
    return {"kind": "attention", "workload": {"heads": heads, "q_len": tokens, "kv_len": tokens, "d": d, "causal": False, "cores": cores}}, \
        heads // cores * (product(tokens, tokens, d, rows, columns) + product(d, tokens, tokens, rows, columns))


def decode(cores, rows, columns, hbm, links):
    batch, context, kv_heads, d = 24, 8192, 12, 128
    return {"kind": "decode", "workload": {"batch": batch, "context": context, "kv_heads": kv_heads, "group": 8, "d": d, "cores": cores}}, \
        2 * 2 * batch * context * kv_heads * d / hbm * US


def all_reduce(cores, rows, columns, hbm, links):
    mib, chips = 32, 16
    return {"kind": "collective", "workload": {"operation": "all_reduce", "dtype": "bf16", "bytes": f"{mib} MiB", "ranks": "chips", "over": "machine"}}, \
        2 * (chips - 1) / chips * (mib << 20) / links * US


WORKLOADS = {"GEMM 6144 x 6144 x 4096 on a chip": (gemm, "passes of a core"),
             "attention of 24 heads of 128 on a chip": (attention, "passes of a core"),
             "decode of 24 sequences on a chip": (decode, "the cache over the bandwidth of HBM"),
             "all_reduce of 32 MiB over 16 chips": (all_reduce, "bytes over a chip's links")}


def main():
    print(f"{'':<40}{'before':>10}{'bound':>10}{'after':>10}{'bound':>10}{'speed-up':>10}{'bound':>7}")
    wrong = []
    for name, (workload, why) in WORKLOADS.items():
        times, bounds = [], []
        for machine, figures in MACHINES.items():
            case, bound = workload(*figures)
            torus = {"machine.torus.z": 1} if workload is all_reduce else {"machine.torus": "{x: 1, y: 1, z: 1}"}
            with tempfile.TemporaryDirectory() as folder:
                times.append(tahoma.run({**case, "machine": machine}, mode="timing", out=folder, set=torus).time_us)
            bounds.append(bound)
        wrong += [name for time, bound in zip(times, bounds) if time < bound]
        cells = (times[0], bounds[0], times[1], bounds[1])
        print(f"{name:<40}" + "".join(f"{cell:>7.1f} us" for cell in cells)
              + f"{times[0] / times[1]:>10.2f}{bounds[0] / bounds[1]:>7.2f}  {why}", flush=True)
    if wrong:
        sys.exit(f"faster than the closed form: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
