# SPDX-License-Identifier: Apache-2.0
"""Instructions that fixed cases execute on the host, counted by Valgrind: the same on every run of one binary, whatever else the host
does. Counts belong to a toolchain, because compilers and libraries differ; those of another one are not compared."""

import csv
import pathlib
import re
import shutil
import subprocess
import tempfile

from benches.measure import ROOT

FILE = ROOT / "tests/bench/instructions.csv"
GROWTH = 0.02  # that is allowed
# Cases of workloads/regression, by file: short ones that cover engines, DMA, DRAM, links and values. Valgrind has no room for the values
# of several chips.
CASES = {
    "kernels.yaml": ("gemm_chip_timing", "attention_one_core", "rms_norm_timing", "vector_add", "program"),
    "laws.yaml": ("dma_rows", "dram_closed_gemm", "fabric_permute", "kernel_te_full", "die_cross"),
}


class Unavailable(Exception):
    """Why nothing can be counted here."""


def toolchain(program):
    """The compiler of the program and the C library of this host."""
    noted = subprocess.run(["readelf", "-p", ".comment", program], capture_output=True, text=True, check=False).stdout
    compilers = sorted(set(re.findall(r"GCC: \(([^)]*)\)|(clang version \S+)", noted)))
    library = subprocess.run(["getconf", "GNU_LIBC_VERSION"], capture_output=True, text=True, check=False).stdout.strip()
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=False).stdout.strip()
    return " + ".join([*("".join(names) for names in compilers), library, machine])


def require_countable(program):
    if shutil.which("valgrind") is None or shutil.which("readelf") is None:
        raise Unavailable("valgrind or readelf is not installed (scripts/packages.txt, row bench)")
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    if re.search(r"lib(a|t|ub)san", linked):
        raise Unavailable("the program has a sanitizer")


def count(program, cases=CASES):
    """{case: instructions}. Each case runs in a process of its own, one after the other, so the numbers of the processes ascend in the
    order of the cases. The process that starts them is not counted."""
    require_countable(program)
    counts = {}
    for file, names in cases.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            words = ["valgrind", "--quiet", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={folder}/%p", program, "check",
                     ROOT / "workloads/regression" / file, "--jobs", "1", *(word for case in names for word in ("--case", case))]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            found = [int(re.search(r"^summary: (\d+)", f.read_text(encoding="utf-8"), re.M).group(1))
                     for f in sorted(folder.iterdir(), key=lambda f: int(f.name))]
            if done.returncode not in (0, 1) or len(found) != len(names) + 1:  # 1: a golden differs, which other tests report
                raise Unavailable(f"valgrind ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
            in_order = [case for case in listed(file) if case in names]
            counts.update(zip(in_order, found[1:]))
    return counts


def listed(file):
    """The names of the cases in the order of the file, in which they run."""
    text = (ROOT / "workloads/regression" / file).read_text(encoding="utf-8")
    return re.findall(r"^    (\w+):$", text, re.M)


def read(file=FILE):
    """{(toolchain, case): instructions}"""
    with open(file, encoding="utf-8", newline="") as rows:
        return {(row["toolchain"], row["case"]): int(row["instructions"]) for row in csv.DictReader(rows)}


def record(program, file=FILE):
    """Replaces the counts of this toolchain."""
    here = toolchain(program)
    rows = {key: n for key, n in (read(file) if file.exists() else {}).items() if key[0] != here}
    rows.update({(here, case): n for case, n in count(program).items()})
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("toolchain", "case", "instructions"))
        writer.writerows((*key, n) for key, n in sorted(rows.items()))
    return rows


def verdict(known, counted, here):
    """(lines, whether a case has grown too much). Nothing is compared without counts of this toolchain."""
    if not any(chain == here for chain, _ in known):
        raise Unavailable(f"there are no counts of this toolchain, {here}; scripts/bench --instructions --record adds them")
    lines, grown = [], False
    for case, now in counted.items():
        before = known.get((here, case))
        change = now / before - 1 if before else 0
        too_many = change > GROWTH
        grown = grown or too_many
        told = "new" if before is None else f"{100 * change:+.2f} %" + (f", more than {100 * GROWTH:.0f} %" if too_many else "")
        lines.append(f"{case:20} {now / 1e6:9.1f} M instructions  {told}")
    return lines, grown
