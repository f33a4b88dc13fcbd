# SPDX-License-Identifier: Apache-2.0
"""What a call of a kernel leaves behind."""
import dataclasses

_last = None


@dataclasses.dataclass
class Result:
    kernel: str
    time_ns: float  # simulated
    instructions: int  # of all cores
    summary: dict  # summary.json
    folder: str  # of the report; "" if it was temporary
    warnings: list
    findings: list  # of the checks, as text
    host_seconds: dict  # tracing, lowering, simulation

    @property
    def golden(self):
        """The outcome of the golden check: "passed", "failed" or "not_checked"."""
        return self.summary["golden"]["outcome"]

    @property
    def time_us(self):
        return self.time_ns / 1e3


def last():
    """The result of the latest call, or None."""
    return _last


def note(result):
    global _last
    _last = result
    return result
