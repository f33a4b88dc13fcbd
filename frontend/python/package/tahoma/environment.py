# SPDX-License-Identifier: Apache-2.0
"""Environment variables of the vendor's tools that mean something here too."""
from __future__ import annotations

import os
from typing import Any, Mapping

# The machine of a platform.
TARGETS = {"trn1": "trainium1_chip", "gen2": "trainium1_chip", "trn2": "trainium2_chip", "gen3": "trainium2_chip", "trn3": "trainium3_chip",
           "gen4": "trainium3_chip"}


def _choice(environment: Mapping[str, str], name: str, legal: Mapping[str, Any]) -> Any:
    """The meaning of a variable; None if it is not set."""
    text = environment.get(name, "").strip().lower()
    if not text:
        return None
    if text not in legal:
        raise ValueError(f"{name}={text}: expected {', '.join(legal)}")
    return legal[text]


def vendor_settings(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Settings that the vendor's variables ask for.

    NEURON_PLATFORM_TARGET_OVERRIDE  trn1, trn2 or trn3: the machine
    NKI_SIMULATOR                    1: values are computed (mode `functional`)
    NKI_PRECISE_FP                   1, the only rule here: results are rounded to the declared dtype
    NKI_COMPILER_FRONTEND            accepted; kernels are traced by executing them
    """
    given = os.environ if environment is None else environment
    found: dict[str, Any] = {}
    machine = _choice(given, "NEURON_PLATFORM_TARGET_OVERRIDE", TARGETS)
    if machine is not None:
        found["machine"] = machine
    if _choice(given, "NKI_SIMULATOR", {"0": False, "1": True}):
        found["mode"] = "functional"
    _choice(given, "NKI_PRECISE_FP", {"1": True})
    return found


def logical_cores(environment: Mapping[str, str] | None = None) -> int | None:
    """NEURON_LOGICAL_NC_CONFIG: the physical cores of a logical core that every launch must have, or None."""
    found = _choice(os.environ if environment is None else environment, "NEURON_LOGICAL_NC_CONFIG", {"1": 1, "2": 2})
    return found if found is None else int(found)
