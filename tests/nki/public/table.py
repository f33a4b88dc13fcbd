# SPDX-License-Identifier: Apache-2.0
"""The printed table of results: one line for each kernel."""

HEAD = f"{'kernel':48} {'passed':>7} {'instructions':>12} {'simulated time':>14} {'host time':>10}  reason"


def launches_of(result):
    return [launch for case in result["cases"] for launch in case.get("launches", []) if launch.get("runs")]


def line(result):
    """Instructions, simulated time and host time are those of the case with the most instructions."""
    runs = [launch["runs"][0] for launch in launches_of(result)]
    largest = max(runs, key=lambda run: run["instructions"], default=None)
    passed = sum(case["passed"] for case in result["cases"])
    counts = f"{passed}/{len(result['cases'])}"
    numbers = f"{largest['instructions']:>12} {largest['time_ns'] / 1e3:>11.2f} us {largest['host_seconds']:>8.2f} s" if largest else f"{'-':>12} {'-':>14} {'-':>10}"
    reason = "" if result["passed"] else " ".join(result.get("reason", "").split())[:160]
    return f"{result['kernel'][:48]:48} {counts:>7} {numbers}  {reason}".rstrip()


def summary(results):
    passed = [r for r in results if r["passed"]]
    cases = [case for r in results for case in r["cases"]]
    slowest = [launch["runs"][0]["host_seconds"] for r in results for launch in launches_of(r)]
    text = f"{len(passed)} of {len(results)} kernels passed; {sum(c['passed'] for c in cases)} of {len(cases)} cases"
    if slowest:
        slowest.sort()
        text += f"; host time of a launch: median {slowest[len(slowest) // 2]:.2f} s, largest {slowest[-1]:.2f} s"
    return text
