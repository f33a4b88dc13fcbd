# SPDX-License-Identifier: Apache-2.0
"""A temporary folder for the results of a call without `out`."""
from __future__ import annotations

import pathlib
import shutil
import tempfile
import weakref


class Home:
    """The folder is removed with the last object that refers to this one, and at the end of the process."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="tahoma-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
