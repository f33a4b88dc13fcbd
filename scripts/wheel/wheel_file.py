# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel: a ZIP file with a list of its members and their digests (PEP 427). The same members give the same bytes."""

import base64
import hashlib
import os
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first time that a ZIP file can hold
# Where `cmake --install` puts files, and their place in a wheel. The longest prefix decides; pip puts `data` into the prefix of the
# environment, where an installed program looks for its presets.
PLACES = {"lib/python3/dist-packages/": "{root}", "bin/": "{data}/scripts/", "": "{data}/data/"}


class WheelFile:
    def __init__(self, folder, name, version, tag):
        self.stem = f"{name}-{version}"
        self.name = f"{self.stem}-{tag}.whl"
        self.archive = zipfile.ZipFile(folder / self.name, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.archive.close()

    def data(self, name):
        return f"{self.stem}.data/{name}"

    def add(self, name, content, executable=False):
        member = zipfile.ZipInfo(name, EPOCH)
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = (0o100755 if executable else 0o100644) << 16
        self.archive.writestr(member, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def add_installed(self, prefix):
        for path in sorted(path for path in prefix.rglob("*") if path.is_file()):
            installed = path.relative_to(prefix).as_posix()
            before = max((place for place in PLACES if installed.startswith(place)), key=len)
            place = PLACES[before].format(root="", data=f"{self.stem}.data")
            self.add(place + installed.removeprefix(before), path.read_bytes(), os.access(path, os.X_OK))

    def finish(self, texts):
        """Adds the files that describe the distribution, and the list of all members."""
        for name, text in texts.items():
            self.add(f"{self.stem}.dist-info/{name}", text.encode())
        listed = f"{self.stem}.dist-info/RECORD"
        self.add(listed, "\n".join([*self.record, f"{listed},,", ""]).encode())
