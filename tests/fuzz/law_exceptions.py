# SPDX-License-Identifier: Apache-2.0
"""What the metamorphic laws of laws.py do not cover, each with its reason."""

import fnmatch

# Times and cycles that are no cost: less of them is not faster.
WITHOUT_DIRECTION = {
    "machine.chip.core.tensor.throttle_window": "decides when the array is throttled, not how long anything takes",
    "machine.chip.core.dma.semaphore_return": "the end of semaphore_write, whose sum was measured: less of it makes the value visible later",
    "machine.chip.core.tensor.throttle_phase": "a position of the throttle's windows",
}

# (law, kind or parameter with *): reason.
EXCEPTIONS = {
    ("more", "embedding.tokens"): "a gather of up to eight rows is divided among all sixteen DMA engines in pieces of rows, which cost "
                                  "more than whole rows",
    ("more", "reduction.rows"): "loads of up to eight rows, as embedding.tokens",
    ("more", "quantise.rows"): "loads of up to eight rows of a core, as embedding.tokens",
    ("more", "decode.context"): "a last page of the cache that is cut needs transfers of its own",
    ("wider", "machine.chip.core.dma.collective_engines"): "more engines share a transfer of a few bytes, and each has its overhead",
}


def reason(law, what):
    """Why a pair may break a law, or None."""
    return next((text for (of, pattern), text in EXCEPTIONS.items() if of == law and fnmatch.fnmatch(what, pattern)), None)
