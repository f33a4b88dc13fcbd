#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the first line of a run says, and whether repetitions agree with it. `first` prints the headlines of ten kinds of runs; `ranks`
prints, for regression cases, how the critical path and tahoma explain rank the resources (README.md)."""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKLOADS = ROOT / "workloads"
REASONS = pathlib.Path(__file__).resolve().parent / "differences.csv"
FIRST = [
    ("GEMM, functional mode", ["run", "gemm/chip.yaml"]),
    ("the same, timing mode", ["run", "gemm/chip.yaml", "--mode", "timing"]),
    ("attention", ["run", "attention/one_core.yaml", "--mode", "timing"]),
    ("decode layer", ["run", "transformer/tiny.yaml", "--mode", "timing", "--set", "workload.phase=decode",
                      "--set", "workload.batch=4", "--set", "workload.context=200"]),
    ("all_reduce", ["run", "collective/all_reduce_ring.yaml", "--mode", "timing"]),
    ("copies", ["run", "micro/programs/kernel_dma_1k.yaml", "--mode", "timing"]),
    ("NKI kernel", ["run", "nki/tutorial/tiled.yaml"]),
    ("links in RTL", ["run", "collective/permute.yaml", "--mode", "timing", "--set", "workload.bytes=4 KiB", "--set",
                      "machine.link.port.model=rtl"]),
    ("dead link", ["run", "collective/all_reduce_faults.yaml", "--mode", "timing"]),
    ("point of a sweep", ["sweep", "gemm/chip.yaml", "--mode", "timing", "--sweep", "machine.chip.hbm.bandwidth=400GB/s,800GB/s"]),
]
RANKED = {
    "kernels": ["gemm_chip_timing", "gemm_one_core", "gemm_row_loads", "gemm_naive", "attention_one_core", "rms_norm_timing", "vector_add",
                "convolution_resident_fp16", "all_reduce_cores", "all_reduce_mesh", "all_reduce_ring", "all_gather", "barrier",
                "reduce_scatter", "send_recv"],
    "laws": ["dma_doorbells", "dma_idle_load", "handover_engines", "kernel_dma_1k", "lane_vector", "tensor_matmul_fp16"],
    "transformer": ["gemm_few_tokens", "flash", "decode_paged", "softmax", "mlp_swiglu", "cross_entropy", "router", "transformer_decode",
                    "quantise"],
}


def call(binary, words, folder):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(binary).parent / "python")}
    done = subprocess.run([binary, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: exit status {done.returncode}: {done.stderr.strip()}")


def summary_in(folder):
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


def first_lines(binary, _):
    print("| run | first line |\n|---|---|")
    for name, (command, case, *words) in FIRST:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            call(binary, [command, WORKLOADS / case, *words, "--out", "out", *(["--no-report"] if command == "run" else [])], folder)
            texts = sorted(folder.glob("out/**/summary.txt"), key=lambda file: (len(file.parts), file))
            print(f"| {name} | {texts[-1].read_text(encoding='utf-8').splitlines()[0]} |", flush=True)
    return 0


def ranks(values):
    """The rank of each value, the mean of equal ones."""
    ordered = sorted(values)
    return [(ordered.index(value) + len(ordered) - ordered[::-1].index(value)) / 2 + 0.5 for value in values]


def correlation(one, other):
    """Spearman's rank correlation; None if all values of one side are equal."""
    a, b = ranks(one), ranks(other)
    mean = (len(a) + 1) / 2
    spread = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / spread if spread else None


class Compared:
    """The two rankings of a run that was explained."""

    def __init__(self, summary, explained):
        self.shares = {share["resource"]: share["share_percent"] for share in summary["critical_path"]["resources"]}
        self.savings = {row["resource"]: row["shorter_percent"] for row in explained["resources"]
                        if not row["part_of"] and row["shorter_percent"] is not None}
        self.time = summary["headline"]["time"]
        names = list(self.savings)
        # What is not shown in either list takes part as equal: a share or a saving below 0.05 %.
        seen = lambda value: value if value >= 0.05 else 0
        self.rho = correlation([seen(self.shares.get(name, 0)) for name in names], [seen(self.savings[name]) for name in names])
        limits, bottleneck = summary["limits"], explained["bottleneck"]
        self.path = limits["resource"] if limits else ""
        self.explain = bottleneck["resource"] if bottleneck else ""

    def row(self):
        pair = lambda name, values: f"{name} {values.get(name, 0):.1f} %" if name else "none"
        return [self.time, pair(self.path, self.shares), pair(self.explain, self.savings), "-" if self.rho is None else f"{self.rho:.2f}"]


def words_of(case, file):
    """The arguments of tahoma run for a regression case, in timing mode."""
    words = [(file.parent / case["workload"]).resolve(), "--mode", "timing"]
    if "machine" in case:
        named = file.parent / case["machine"]
        words += ["--machine", named.resolve() if named.is_file() else case["machine"]]
    for path, value in case.get("set", {}).items():
        words += ["--set", f"{path}={str(value).lower() if isinstance(value, bool) else value}"]
    return words


def reasons():
    with REASONS.open(encoding="utf-8", newline="") as file:
        return {row["case"]: row["why"] for row in csv.DictReader(file)}


def rank_table(binary, wanted):
    known, rows, troubles = reasons(), {}, []
    for name, cases in RANKED.items():
        file = WORKLOADS / "regression" / f"{name}.yaml"
        runs = yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]["runs"]
        for case in cases:
            if wanted and case not in wanted:
                continue
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                try:
                    call(binary, ["run", *words_of(runs[case], file), "--no-report", "--explain", "--out", "out"], folder)
                except RuntimeError as failure:
                    troubles.append(f"{case}: {failure}")
                    continue
                rows[case] = Compared(summary_in(folder / "out"), json.loads((folder / "out/explain.json").read_text(encoding="utf-8")))
                print(f"{case}: {' | '.join(rows[case].row())}", file=sys.stderr, flush=True)
    differing = [case for case, row in rows.items() if row.path != row.explain]
    print("| case | time | path | explain | rank correlation | same first |\n|---|---|---|---|---|---|")
    for case, row in rows.items():
        print(f"| {case} | {' | '.join(row.row())} | {'no' if case in differing else 'yes'} |")
    known_rho = sorted(row.rho for row in rows.values() if row.rho is not None)
    print(f"\n{len(rows)} cases: the same resource first in {len(rows) - len(differing)}; rank correlation median "
          f"{known_rho[len(known_rho) // 2]:.2f}, least {known_rho[0]:.2f}")
    if differing:
        print("\n| the first resources differ | why |\n|---|---|")
    for case in differing:
        print(f"| {case} | {known.get(case, '**not explained**')} |")
        troubles += [] if case in known else [f"{case}: the first resources differ, and {REASONS.name} does not say why"]
    troubles += [f"{REASONS.name} explains {case}, whose first resources are the same" for case in rows if case in known and case not in differing]
    print(*troubles, sep="\n", file=sys.stderr)
    return 1 if troubles else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="the tahoma to ask")
    parser.add_argument("what", choices=["first", "ranks"])
    parser.add_argument("cases", nargs="*", help="of ranks; default: all")
    options = parser.parse_args()
    return {"first": first_lines, "ranks": rank_table}[options.what](str(pathlib.Path(options.binary).resolve()), options.cases)


if __name__ == "__main__":
    sys.exit(main())
