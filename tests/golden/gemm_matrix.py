#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The GEMM over shapes, dtypes and machine sizes, with every pair of them covered at least once.

For each case, with races and uninitialised memory checked in every run: the golden check passes in functional mode; timing mode reports the same statistics to the last digit; a
second functional run writes the same bytes into every file but manifest.json.

    gemm_matrix.py --binary PATH [--case N] [--list]
"""

import argparse
import filecmp
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

SHAPES = {  # name: (m, n, k)
    "one": (1, 1, 1),
    "odd": (127, 129, 257),
    "tall": (2500, 65, 200),
    "wide": (65, 2500, 200),
    "deep": (130, 520, 70000),  # a K panel of 512 columns is 68 MiB in bf16: more than SBUF holds
    "square": (640, 1024, 768),
}
DTYPES = ("bf16", "fp16", "fp32")
MACHINES = {  # name: (preset, shards to take in turn); a shard's product divides the cores
    "core": ("trainium2_one_chip", ({"m": 1, "n": 1, "k": 1},)),
    "chip": ("trainium2_one_chip", ({"m": 2, "n": 2, "k": 2}, {"m": 8, "n": 1, "k": 1}, {"m": 1, "n": 1, "k": 8})),
    "server": ("trainium2_server", ({"m": 4, "n": 4, "k": 8}, {"m": 16, "n": 8, "k": 1}, {"m": 1, "n": 8, "k": 16})),
    "ultraserver": ("trainium2_ultraserver",
                    ({"m": 8, "n": 8, "k": 8}, {"m": 4, "n": 2, "k": 64}, {"m": 64, "n": 8, "k": 1})),
}


def cases():
    rows = []
    for (s, shape), (t, machine) in itertools.product(enumerate(SHAPES), enumerate(MACHINES)):
        preset, shards = MACHINES[machine]
        rows.append((shape, DTYPES[(s + t) % 3], machine, preset, shards[s % len(shards)]))
    return rows


def run(binary, case, mode, out):
    shape, dtype, _, preset, shard = case
    m, n, k = SHAPES[shape]
    shard_text = "{" + ", ".join(f"{axis}: {count}" for axis, count in shard.items()) + "}"
    work = out.parent / "case.yaml"
    work.write_text(f"kind: gemm\nmachine: {preset}\nworkload:\n  m: {m}\n  n: {n}\n  k: {k}\n  dtype: {dtype}\n"
                    f"  shard: {shard_text}\n")
    done = subprocess.run([binary, "run", str(work), "--mode", mode, "--out", str(out),
                           "--check", "races,uninitialised"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{mode}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads((out / "summary.json").read_text())


def statistics(binary, folder):
    return subprocess.run([binary, "stats", folder, "--format", "json"], check=True, capture_output=True).stdout


def check(binary, case):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        first = run(binary, case, "functional", folder / "first")
        run(binary, case, "functional", folder / "second")
        timing = run(binary, case, "timing", folder / "timing")
        if not (first["golden"]["checked"] and first["golden"]["passed"]):
            sys.exit("the golden check did not pass")
        if timing["simulated_time_ns"] != first["simulated_time_ns"]:
            sys.exit(f"timing takes {timing['simulated_time_ns']} ns, functional {first['simulated_time_ns']} ns")
        if statistics(binary, folder / "timing") != statistics(binary, folder / "first"):
            sys.exit("timing and functional differ in their statistics")
        names = sorted(p.name for p in (folder / "first").iterdir())
        if names != sorted(p.name for p in (folder / "second").iterdir()):
            sys.exit("two runs wrote different files")
        _, different, errors = filecmp.cmpfiles(folder / "first", folder / "second", names, shallow=False)
        if errors or set(different) - {"manifest.json"}:
            sys.exit(f"two runs differ in {sorted(set(different) - {'manifest.json'})}")
        g = first["golden"]
        print(f"    passed: {first['simulated_time_ns']:.1f} ns in both modes, largest error {g['max_abs_error']:.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--case", type=int, help="only this one")
    parser.add_argument("--list", action="store_true", help="print the cases")
    options = parser.parse_args()
    for number, case in enumerate(cases()):
        if options.case is not None and number != options.case:
            continue
        print(f"{number:2}  {case[0]:7} {case[1]:5} {case[2]:12} shard {case[4]}", flush=True)
        if not options.list:
            check(options.binary, case)


if __name__ == "__main__":
    main()
