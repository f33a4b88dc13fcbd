# SPDX-License-Identifier: Apache-2.0
"""neuronxcc: the package in which NKI 0.1 was. It has `nki` alone; the vendor's compiler is not here."""
import logging

if not hasattr(logging, "OFF"):  # a level that the vendor's package adds: logging.disable(logging.OFF) silences everything
    logging.OFF = logging.CRITICAL + 10
    logging.addLevelName(logging.OFF, "OFF")
