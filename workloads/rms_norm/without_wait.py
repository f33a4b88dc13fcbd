#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tutorial's program without the wait for the gain, and prints the race that the checker finds.

    without_wait.py TAHOMA FOLDER     FOLDER holds the tensors of reference.py, and gets the program
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    tahoma, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    program = (HERE / "first_kernel.tasm").read_text(encoding="utf-8")
    broken = re.sub(r"^ *sem_wait wait=s1>=16\n", "", program, flags=re.MULTILINE)
    if broken == program:
        sys.exit("the program has no such wait any more")
    (folder / "without_wait.tasm").write_text(broken, encoding="utf-8")
    done = subprocess.run([tahoma, "run", HERE / "first_kernel.yaml", "--set", f"workload.file={folder}/without_wait.tasm", "--check",
                           "races", "--no-report", "--out", folder / "run"], capture_output=True, text=True, check=False)
    print("\n".join(line for line in (done.stdout + done.stderr).splitlines() if line.startswith("E-CHK-001")))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
