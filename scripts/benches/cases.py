# SPDX-License-Identifier: Apache-2.0
"""The commands that `scripts/bench --beside` and `--history` measure. Each runs in an empty folder of its own."""

import dataclasses

MAIN_JOB = "{root}/workloads/gemm/ultraserver.yaml"
TIMING = ("--mode", "timing", "--slim", "--out", "run")

# 36 points over the main job: links, engines and DMA of other speeds.
SWEEP = """sweep:
  title: the main job
  workloads: [{root}/workloads/gemm/ultraserver.yaml]
  mode: timing
  axes:
    - machine.link.x: [64 GB/s, 96 GB/s, 128 GB/s]
    - machine.chip.core.tensor.clock: [1.4 GHz, 2 GHz, 2.8 GHz]
    - machine.chip.core.dma.clock: [1 GHz, 1.4 GHz]
    - machine.chip.core.gpsimd.clock: [1 GHz, 1.4 GHz]
"""


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    what: str
    command: tuple  # arguments of `tahoma`; {root} is the checkout
    goal: float  # processor seconds on one idle core, twice the time on two; 0: none
    before: tuple = ()  # arguments of a run that is not measured
    files: tuple = ()  # (name, text) in the folder
    parts: int = 1  # the measured time is divided by this number
    same: bool = True  # equal programs print the same


CASES = (
    Case("explain", "`explain` of the main job", ("explain", "run"), 6, before=("run", MAIN_JOB, *TIMING)),
    Case("sweep", "a point of 36 over the main job", ("sweep", "sweep.yaml", "--out", "out"), 2, files=(("sweep.yaml", SWEEP),), parts=36, same=False),
    Case("model", "`model llama31_8b.json --chips 1,4,16,64`",
         ("model", "{root}/workloads/models/llama31_8b.json", "--chips", "1,4,16,64", "--out", "out"), 90),
    Case("decode_405b", "405B decode layer, DRAM", ("run", "{root}/workloads/transformer/llama31_405b_decode.yaml", *TIMING), 5),
    Case("all_reduce", "1 GiB all_reduce, 64 chips, DRAM",
         ("run", "{root}/workloads/collective/all_reduce_1gib.yaml", "--set", "machine.chip.hbm.model=dram", *TIMING), 10),
    Case("main_job", "main job, folded", ("run", MAIN_JOB, *TIMING), 0),
    Case("main_job_whole", "main job, all 64 chips, exact DRAM", ("run", MAIN_JOB, "--fold", "off", *TIMING), 4),
    Case("main_job_values", "main job, functional, golden, page", ("run", MAIN_JOB, "--out", "run"), 5),
    Case("gemm_8192", "8192^3 on one core, DRAM",
         ("run", "{root}/workloads/gemm/blocked_4096.yaml", "--set", "workload.m=8192", "--set", "workload.n=8192", "--set", "workload.k=8192", *TIMING), 0.5),
    Case("gemm_128", "a tiny GEMM: the cost of a command", ("run", "{root}/workloads/gemm/chip.yaml", *TIMING), 0),
)
BY_NAME = {case.name: case for case in CASES}
