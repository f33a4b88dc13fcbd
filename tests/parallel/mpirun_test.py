#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in several processes: the same files and values as one process, refusals by name, and an end when a process dies."""

import argparse
import filecmp
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

CASES = pathlib.Path(__file__).resolve().parents[2] / "workloads"
BINARY = None
# 8 chips exchange parts of a sum; 16 chips in all.
SMALL = [str(CASES / "gemm/ultraserver.yaml"), "--set", "machine.torus.z=1", "--set", "workload.shard={m: 2, n: 8, k: 8}",
         "--set", "workload.m=512", "--set", "workload.n=1024", "--set", "workload.k=1024"]
# 16 experts, one on each of 16 chips.
SMALL_EXPERTS = ["--set", "machine.torus.z=1", "--set", "workload.parallel={tensor: 16, expert: 16}", "--set", "workload.batch=4", "--set", "workload.tokens=128",
                 "--set", "workload.model={name: moe-small, layers: 1, hidden: 128, heads: 16, kv_heads: 4, head_dim: 16, ffn: 128, experts: 16, experts_per_token: 2}"]

FLITS = [word for value in ("port.model=flits", "local=128 GB/s", "router=1 ns") for word in ("--set", f"machine.link.{value}")]


def environment():
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}  # of Open MPI 5


def mpirun(*words):
    return subprocess.run(["mpirun", *map(str, words)], text=True, capture_output=True, env=environment(), stdin=subprocess.DEVNULL, check=False)


def each(*commands):
    """The words after `mpirun` for one process of each command. Not `-n 1 A : -n 1 B`, which ends the mpirun of Debian 13, Open MPI
    5.0.7, with a segmentation fault, whatever A and B are."""
    rows = [f"{rank}) exec {shlex.join(map(str, command))} ;;" for rank, command in enumerate(commands)]
    return ["-n", len(commands), "sh", "-c", f'case $OMPI_COMM_WORLD_RANK in {" ".join(rows)} esac']


def different(one, other):
    """Names of the files that differ between two folders."""
    names = {file.name for folder in (one, other) for file in folder.iterdir()} - {"manifest.json"}
    same, wrong, missing = filecmp.cmpfiles(one, other, sorted(names), shallow=False)
    assert same, "no file to compare"
    return wrong + missing


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class ProcessesCase(FolderCase):
    def check_files(self, count):
        for model in ("dram", "flat"):
            one = self.folder / model
            options = [*SMALL, "--mode", "timing", "--set", f"machine.chip.hbm.model={model}"]
            subprocess.run([BINARY, "run", *options, "--fold", "off", "--out", one], check=True, capture_output=True)
            for fold in ("auto", "off"):
                out = self.folder / f"{model}.{fold}"
                done = mpirun("-n", count, BINARY, "run", *options, "--fold", fold, "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(different(one, out), [])
                self.assertIn(f"processes: {count}; ", done.stderr)
                self.assertNotIn("; 0 windows", done.stderr)
                self.assertEqual(fold == "auto", "folding: simulated 8 of 16 chips" in done.stderr)
                self.assertEqual(done.stdout.count("files in "), 1)

    def check_refused(self, *options):
        for words in options:
            self.refused("E-PAR-003", "-n", 2, BINARY, "run", *SMALL, "--mode", "timing", *words, "--out", self.folder / "out")
        self.assertFalse((self.folder / "out").exists())

    def refused(self, code, *words):
        done = mpirun(*words)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stderr.count("error[E-"), 1, done.stderr)  # process 0 alone reports it
        self.assertIn(code, done.stderr)
        return done.stderr


class EachChipTest(ProcessesCase):
    def test_the_files_are_those_of_one_process(self):
        self.check_files(16)

    def test_what_needs_one_process_is_refused(self):
        self.check_refused(["--check", "races"], ["--explain"], ["--trace"], ["--dump", "all"], FLITS)


class MpirunTest(ProcessesCase):
    def test_the_files_are_those_of_one_process(self):
        self.check_files(3)

    def test_the_values_are_those_of_one_process(self):
        """Also where values of other chips steer a program, in both modes: a mixture of experts."""
        experts = [str(CASES / "transformer/moe_64_chips.yaml"), *SMALL_EXPERTS]
        for name, options in (("gemm", [*SMALL, "--mode", "functional"]), ("experts", [*experts, "--mode", "functional"]),
                              ("experts_timing", [*experts, "--mode", "timing"])):
            one, out = self.folder / f"{name}.one", self.folder / name
            subprocess.run([BINARY, "run", *options, "--fold", "off", "--out", one], check=True, capture_output=True)
            done = mpirun("-n", 4, BINARY, "run", *options, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(different(one, out), [])
            self.assertNotIn(" 0 messages", done.stderr)
            if "timing" not in options:
                self.assertTrue(json.loads((out / "summary.json").read_text(encoding="utf-8"))["golden"]["passed"])

    def test_more_processes_than_chips(self):
        text = self.refused("E-PAR-001", "-n", 3, BINARY, "run", CASES / "gemm/chip.yaml", "--mode", "timing", "--out", self.folder / "out")
        self.assertIn("3 processes for 1 chips", text)
        self.assertFalse((self.folder / "out").exists())

    def test_another_case_or_binary(self):
        run = [BINARY, "run", *SMALL, "--mode", "timing", "--out", self.folder / "out"]
        self.assertIn("another case", self.refused("E-PAR-002", *each(run, [*run, "--set", "workload.k=2048"])))
        other = self.folder / "tahoma"
        other.write_bytes(BINARY.read_bytes() + b"\0")
        other.chmod(0o755)
        (self.folder / "libtahoma_mpi.so").symlink_to(BINARY.parent / "libtahoma_mpi.so")
        self.assertIn("another binary", self.refused("E-PAR-002", *each(run, [other, *run[1:]])))

    def test_what_needs_one_process_is_refused(self):
        self.check_refused(["--fold", "verify"], ["--set", "machine.link.wire=0 ns"])
        text = self.refused("E-PAR-003", "-n", 2, BINARY, "run", *SMALL, "--compare-with", "reference", "--out", self.folder / "out")
        self.assertIn("--compare-with", text)

    def test_several_programs_are_refused(self):
        case = pathlib.Path(__file__).resolve().parents[2] / "workloads/colocated/service_pipeline.yaml"
        self.refused("E-PAR-003", "-n", 2, BINARY, "run", case, "--out", self.folder / "out")

    def test_another_command_is_refused(self):
        self.refused("E-PAR-005", "-n", 2, BINARY, "params", "machine.torus")

    def test_a_program_without_its_library_says_so(self):
        alone = self.folder / "tahoma"
        shutil.copy(BINARY, alone)
        self.refused("E-PAR-004", "-n", 2, alone, "run", *SMALL, "--out", self.folder / "out")

    def test_an_error_of_the_case_is_reported_once(self):
        self.refused("E-CFG", "-n", 2, BINARY, "run", *SMALL, "--set", "workload.nonsense=1", "--out", self.folder / "out")

    def test_a_process_that_fails_alone_says_so_and_ends_the_run(self):
        run = [BINARY, "run", *SMALL, "--mode", "timing", "--out", self.folder / "out"]
        text = self.refused("E-CLI-002", *each(run, [*run, "--bogus"]))
        self.assertIn("process 1: run: error[E-CLI-002]: unknown option '--bogus'", text)
        self.assertFalse((self.folder / "out").exists())

    def test_help_of_some_processes_ends_all_and_of_all_is_printed_once(self):
        run = [BINARY, "run", *SMALL, "--mode", "timing", "--out", self.folder / "out"]
        for commands in ([run, [*run, "--help"]], [[*run, "--help"], run], [run, run, [BINARY, "--version"]]):
            self.assertIn("the same command", self.refused("E-PAR-002", *each(*commands)))
        done = mpirun(*map(str, ["-n", 2, BINARY, "run", "--help"]))
        self.assertEqual((done.returncode, done.stdout.count("Run a workload on a machine")), (0, 1))

    def test_a_case_from_standard_input_is_refused(self):
        text = self.refused("E-PAR-003", "-n", 2, BINARY, "run", "-", "--out", self.folder / "out")
        self.assertIn("WORKLOAD -", text)

    def test_a_process_that_dies_ends_the_run_by_name(self):
        """Process 1 may use one second of the processor."""
        run = [str(BINARY), "run", str(CASES / "gemm/ultraserver.yaml"), "--mode", "timing", "--fold", "off", "--out", str(self.folder / "out")]
        done = mpirun(*each(run, ["sh", "-c", 'ulimit -t 1; exec "$@"', "sh", *run]))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 1", done.stderr)
        self.assertIn("signal 9", done.stderr)
        self.assertFalse((self.folder / "out").exists())


def main(description):
    global BINARY
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    BINARY = options.binary.resolve()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main(__doc__)
