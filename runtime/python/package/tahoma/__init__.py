# SPDX-License-Identifier: Apache-2.0
"""Tahoma: run NKI kernels on an emulated Trainium2.

`import nki` gives the names of AWS's NKI; this package holds the settings and what the calls of kernels leave behind.
    tahoma.configure(mode="timing", out="results")   settings of the calls that follow; also environment variables
    tahoma.last()                                    the latest call: its time, instructions, folder and findings
"""
from tahoma.errors import KernelError
from tahoma.settings import Settings, configure, settings
from tahoma.results import Result, last
from tahoma.launch import launch_ranks, trace

__all__ = ["KernelError", "Result", "Settings", "configure", "last", "launch_ranks", "settings", "trace"]
