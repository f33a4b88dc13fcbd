# SPDX-License-Identifier: Apache-2.0
"""nki.collectives: data exchange between ranks. A rank is a logical core."""
import nki.isa.common  # noqa: F401: instructions are what collectives return
from tahoma.collectives import *
from tahoma.variable_collectives import *
