# SPDX-License-Identifier: Apache-2.0
"""nki.collectives: data exchange between ranks. A rank is a logical core."""
from tahoma.collectives import *
from tahoma.collectives import __all__ as _names
from tahoma.refusals import refusing

__getattr__ = refusing("nki.collectives", {
    "all_gather_v": "variable sizes are of a newer release than Trainium2's documentation describes",
    "all_to_all_v": "variable sizes are of a newer release than Trainium2's documentation describes",
})
