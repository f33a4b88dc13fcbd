# SPDX-License-Identifier: Apache-2.0
"""Tahoma: an emulator of the Trainium2 UltraServer.

Run cases, as the command line does:
    run = tahoma.run("gemm/chip", mode="timing", workload__m=2048)     times, statistics, tables, tensors, a page
    sweep = tahoma.sweep({"workloads": "gemm/one_core_4096", "axes": {"machine.chip.hbm.stacks": [2, 4]}})
    study = tahoma.model("config.json", chips=[1, 4])                  a model by its Hugging Face configuration
    run = tahoma.graph("resnet50.onnx", mode="timing")                 an ONNX model
    net = tahoma.compile(module, (x,))                                 a module of PyTorch, as a function: y = net(x)
    tahoma.compare(a, b)   tahoma.explain(run)   tahoma.check(path)    two runs; what limits a run; checks
    tahoma.serve(path)     tahoma.cluster(path)                        an inference server; a training job on a fleet
    tahoma.sensitivity(a)  tahoma.cards()                              what a time rests on; other accelerators
    tahoma.params(path)    tahoma.isa(name)      tahoma.statistics()   what there is, with sources and limits
    tahoma.cases()         tahoma.sweeps()                             what is shipped
    tahoma.Error                                                       what all of them raise: code, place, text, status

Run kernels: `import nki` gives the names of AWS's NKI.
    tahoma.configure(mode="timing", out="results")   settings of the calls of kernels that follow; also environment variables
    tahoma.verify(kernel, args, reference=...)       is it correct, how long does it take, and why: one dictionary
    tahoma.last()                                    the latest call: its time, instructions, folder and findings
"""
from tahoma.errors import (CheckFailed, ConfigurationError, Deadlock, Error, HostError, InternalError, KernelError,
                           ProgramError)
from tahoma.settings import Settings, configure, settings
from tahoma.results import Result, last
from tahoma.launch import launch_ranks, trace
from tahoma.api.cases import cases, sweeps
from tahoma.api.graphs import Compiled, compile, graph
from tahoma.api.models import Model, model
from tahoma.api.questions import Checks, cards, check, compare, explain, isa, params, sensitivity, statistics
from tahoma.api.running import run
from tahoma.api.runs import Run
from tahoma.api.studies import Server, Training, cluster, serve
from tahoma.api.sweeping import sweep
from tahoma.api.sweeps import Point, Sweep
from tahoma.oracle.verify import verify

__all__ = ["CheckFailed", "Checks", "Compiled", "ConfigurationError", "Deadlock", "Error", "HostError", "InternalError", "KernelError",
           "Model", "Point", "ProgramError", "Result", "Run", "Server", "Settings", "Sweep", "Training", "cards", "cases", "check", "cluster",
           "compare", "compile", "configure", "explain", "graph", "isa", "last", "launch_ranks", "model", "params", "run", "sensitivity", "serve", "settings",
           "statistics", "sweep", "sweeps", "trace", "verify"]
