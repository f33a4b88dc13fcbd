# SPDX-License-Identifier: Apache-2.0
"""What a call of a kernel leaves behind."""
from __future__ import annotations

import dataclasses
from typing import Any

_last: Result | None = None


@dataclasses.dataclass
class Result:
    kernel: str
    time_ns: float  # simulated
    instructions: int  # of all cores
    summary: dict[str, Any]  # summary.json
    folder: str  # of the report; "" if it was temporary
    warnings: list[str]
    findings: list[str]  # of the checks, as text
    host_seconds: dict[str, float]  # tracing, lowering, simulation

    def __repr__(self) -> str:
        found = f", {len(self.findings)} findings" if self.findings else ""
        return f"<Result of {self.kernel}: {self.time_us:.3f} us, {self.instructions} instructions{found}>"

    @property
    def golden(self) -> str:
        """The outcome of the golden check: "passed", "failed" or "not_checked"."""
        return str(self.summary["golden"]["outcome"])

    @property
    def time_us(self) -> float:
        return self.time_ns / 1e3


def last() -> Result | None:
    """The result of the latest call, or None."""
    return _last


def note(result: Result) -> Result:
    global _last
    _last = result
    return result
