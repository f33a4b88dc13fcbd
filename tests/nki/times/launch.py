# SPDX-License-Identifier: Apache-2.0
"""The launch of a kernel, which the expected times of nki-library include and the model of the device does not.

The law: a launch takes the same time for every kernel, on one core or on the two of a logical core. The time is declared in
workloads/nki/launch.csv; it is the median of expected - modelled over the short kernels of one core of the half that derives.
"""
import csv
import math
import os
import statistics

SHORT_US = 100  # kernels in which a launch is a large share, so that other errors count little


def declared(source):
    """Microseconds of a launch."""
    with open(os.path.join(source, "workloads", "nki", "launch.csv"), newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return float(rows[0]["us"])


def derived(timed):
    """The same from (case, result) pairs, or None without a short kernel of one core of the half that derives."""
    found = [case.reference_us - result["time_us"] for case, result in timed
             if case.launched and case.use == "derive" and result["lnc"] == 1 and not math.isnan(case.reference_us) and result["time_us"] < SHORT_US]
    return statistics.median(found) if found else None
