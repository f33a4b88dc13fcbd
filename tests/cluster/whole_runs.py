#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `tahoma cluster` with whole fleets: random training jobs on 2, 4 and 16 small UltraServers that EFA connects, each run
whole in SystemC and composed from executed layers. Prints a table; exits with status 1 if an error exceeds the limit."""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import fleet_jobs

LIMIT = 3.0  # percent


class Program:
    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())

    def __call__(self, folder, *words):
        done = subprocess.run([self.binary, *map(str, words)], cwd=folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))} in {folder}: {done.stderr.strip() or done.returncode}")

    def summary(self, folder, out, *words):
        if not (folder / out / "summary.json").exists():
            self(folder, *words, "--out", out)
        return json.loads((folder / out / "summary.json").read_text(encoding="utf-8"))


def collective_seconds(program, folder, operation, where, size):
    name = f"{operation}_{where}_{size}"
    case = fleet_jobs.collective_case((2, 1), 2, operation, "0,2|1,3" if where == "efa" else "0,1|2,3", size)
    fleet_jobs.write(folder, name + ".yaml", case)
    summary = program.summary(folder, name, "run", name + ".yaml", "--no-report")
    return summary["collectives"][-1]["time_ns"] * 1e-9  # of the second iteration, which finds the DMA rings in use


def network_of(program, folder):
    """Latency and rate of an all_gather of two chips, of two UltraServers (efa) and of one (inside), and of the last addition
    of a reduce_scatter, by which it takes longer (fold). Each chip sends, and adds, half of the bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    small, large = 64 << 10, 4 << 20
    network = {}
    for where in ("efa", "inside"):
        times = [collective_seconds(program, folder, "all_gather", where, size) for size in (small, large)]
        rate = (large - small) / 2 / (times[1] - times[0])
        network[where] = (times[0] - small / 2 / rate, rate)
    small_fold, large_fold = (collective_seconds(program, folder, "reduce_scatter", "efa", size) -
                              collective_seconds(program, folder, "all_gather", "efa", size) for size in (small, large))
    rate = (large - small) / 2 / (large_fold - small_fold)
    network["fold"] = (max(0.0, small_fold - small / 2 / rate), rate)
    return network


def compared(program, folder, job, network, settings=()):
    """Milliseconds of the whole fleet and of the composition."""
    folder.mkdir(parents=True, exist_ok=True)
    fleet_jobs.write(folder, "machine.yaml", fleet_jobs.machine(job.shape, job.servers))
    fleet_jobs.write(folder, "model.json", fleet_jobs.model(job))
    fleet_jobs.write(folder, "whole.yaml", fleet_jobs.whole_case(job))
    fleet_jobs.write(folder, "composed.yaml", fleet_jobs.composed_case(job, network))
    whole = program.summary(folder, "whole", "run", "whole.yaml", "--no-report")
    words = [word for setting in settings for word in ("--set", setting)]
    composed = program.summary(folder, "composed", "cluster", "composed.yaml", *words)
    return whole["simulated_time_ns"] * 1e-6, composed["step"]["seconds"] * 1e3


def error_of(whole, composed):
    return 100 * (composed / whole - 1)


def row(job, whole, composed):
    return f"{job.seed:4}  {whole:9.3f}  {composed:9.3f}  {error_of(whole, composed):+6.2f}  {job.text()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--jobs", type=int, default=50, help="random jobs, with the seeds 0, 1, ...")
    parser.add_argument("--seeds", type=int, nargs="*", help="these seeds instead")
    parser.add_argument("--sharing", action="store_true", help="jobs with two replicas in each UltraServer")
    parser.add_argument("--limit", type=float, default=LIMIT, help="largest error of the composed time, percent")
    parser.add_argument("--known", type=int, nargs="*", default=[], help="seeds that exceed the limit, as README.md says; others must not")
    parser.add_argument("--parallel", type=int, default=2, help="jobs at a time")
    parser.add_argument("--keep", type=pathlib.Path, help="keep all runs in this folder, and take those that it has")
    parser.add_argument("--set", action="append", default=[], dest="settings", help="of tahoma cluster")
    arguments = parser.parse_args()
    program = Program(arguments.binary)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)).resolve()
        network = network_of(program, folder / "network")
        for where, name in (("efa", "between UltraServers"), ("inside", "inside an UltraServer")):
            print(f"a message {name}: {network[where][0] * 1e6:.2f} us and {network[where][1] / 1e9:.2f} GB/s")
        print(f"the last addition of a reduction: {network['fold'][0] * 1e6:.2f} us and {network['fold'][1] / 1e9:.2f} GB/s")
        print("seed   whole ms  composed   error  job")
        job_of = fleet_jobs.sharing_job_of if arguments.sharing else fleet_jobs.job_of
        jobs = [job_of(seed) for seed in (arguments.seeds or range(arguments.jobs))]
        errors, exceeding = [], []
        with concurrent.futures.ThreadPoolExecutor(arguments.parallel) as pool:
            run = lambda job: compared(program, folder / f"job{job.seed}_{job.sharing}", job, network, arguments.settings)
            for job, times in zip(jobs, pool.map(run, jobs)):
                print(row(job, *times), flush=True)
                errors.append(abs(error_of(*times)))
                if errors[-1] > arguments.limit:
                    exceeding.append(job.seed)
        print(f"{len(errors)} jobs: mean error {sum(errors) / len(errors):.2f} %, worst {max(errors):.2f} %, "
              f"{len(errors) - len(exceeding)} within {arguments.limit:g} %")
        return 0 if set(exceeding) <= set(arguments.known) else 1


if __name__ == "__main__":
    sys.exit(main())
