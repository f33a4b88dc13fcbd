# SPDX-License-Identifier: Apache-2.0
"""The interpreter for public kernels: the extension module is built for Debian's Python, whatever `python3` on the PATH is."""
import importlib.machinery
import importlib.util
import os
import sys

DEBIAN = "/usr/bin/python3"
NEEDED = ("numpy", "torch", "pytest")  # the kernels' tests import them


def ensure(module_folders):
    """Runs the script again with Debian's Python if this one cannot; ends it with what to install or build if that cannot either."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    built = any(_fits(folder) for folder in module_folders) or importlib.util.find_spec("_tahoma") is not None
    if not missing and built:
        return
    if not os.path.samefile(sys.executable, DEBIAN) and os.access(DEBIAN, os.X_OK):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    if missing:
        sys.exit(f"external.py: {DEBIAN} has no {', '.join(missing)}; scripts/setup --tests installs them")
    sys.exit("external.py: the Python package is not built; run: scripts/setup --tests && cmake --preset release && cmake --build build")


def _fits(folder):
    """Whether the folder has an extension module that this interpreter can load."""
    return any(os.path.exists(os.path.join(folder, "_tahoma" + suffix)) for suffix in importlib.machinery.EXTENSION_SUFFIXES)
