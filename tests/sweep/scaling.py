#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Points per minute of a sweep on this host with 1, 2, ... processes and by Slurm, all with the same results.

    scaling.py --binary PATH_OF_TAHOMA [--sweep workloads/sweeps/gemm_256.yaml] [--jobs 1,2] [--no-slurm]
"""

import argparse
import pathlib
import re
import sys
import tempfile

import slurm_cluster
import sweeps

GEMM = pathlib.Path(__file__).parents[2] / "workloads/sweeps/gemm_256.yaml"


class Measurement:
    """The first sweep defines the results that the others must find."""

    def __init__(self, binary, file, folder):
        self.binary, self.file, self.folder = binary, file, folder
        self.expected = None

    def take(self, name, *options, environment=None):
        out = self.folder / name.replace(" ", "-")
        done = sweeps.run(self.binary, self.file, out, *options, environment=environment)
        if done.returncode != 0:
            sys.exit(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        found = sweeps.dump(out)
        self.expected = self.expected or found
        different = sweeps.difference(self.expected, found)
        if different:
            sys.exit(f"{name}: not what the first sweep found: {different}")
        seconds, rate = re.search(r"([\d.]+) s, ([\d.]+) points/min", done.stdout).groups()
        print(f"{name:14} {sweeps.counts(done.stdout)['done']:5} points  {seconds:>6} s  {rate:>6} points/min",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--sweep", type=pathlib.Path, default=GEMM)
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--no-slurm", action="store_true")
    options = parser.parse_args()
    jobs = options.jobs.split(",")
    with tempfile.TemporaryDirectory() as folder:
        measurement = Measurement(options.binary, options.sweep, pathlib.Path(folder))
        for count in jobs:
            measurement.take(f"local {count}", "--jobs", count)
        if options.no_slurm:
            return
        if slurm_cluster.missing():
            sys.exit(slurm_cluster.missing())
        for count in jobs:
            with slurm_cluster.Cluster() as cluster:
                measurement.take(f"slurm {count}", "--executor", "slurm", "--jobs", count,
                                 environment=cluster.environment)


if __name__ == "__main__":
    main()
