# SPDX-License-Identifier: Apache-2.0
"""The files of a checkout as the checks in this folder use them: paths relative to its root, and their text."""

import functools
import pathlib
import subprocess

# The rooms of the program, from the lowest to the highest (layers.py).
ROOMS = ("isa/", "model/", "runtime/", "report/", "workloads/", "frontend/", "studies/", "cli/")
IGNORED_FOLDERS = (".git", "build", "build-", "out", "out-", "__pycache__")


class Repo:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()

    @functools.cached_property
    def files(self):
        """Tracked and new files, nothing ignored; without git, every file outside build and output folders."""
        listing = subprocess.run(
            # Continuous integration may run as a different user than the one who cloned.
            ["git", "-c", f"safe.directory={self.root}", "-C", str(self.root), "ls-files", "-z",
             "--cached", "--others", "--exclude-standard"],
            capture_output=True, check=False) if (self.root / ".git").exists() else None
        if listing and listing.returncode == 0:
            names = [name for name in listing.stdout.decode().split("\0") if name]
        else:
            names = [str(path.relative_to(self.root)) for path in self.root.rglob("*")]
            names = [name for name in names if not any(
                part == ignored or (ignored.endswith("-") and part.startswith(ignored))
                for part in name.split("/") for ignored in IGNORED_FOLDERS)]
        return sorted(name for name in set(names) if (self.root / name).is_file())

    def matching(self, *suffixes, under=""):
        return [name for name in self.files if name.endswith(suffixes) and name.startswith(under)]

    @functools.cache
    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")
