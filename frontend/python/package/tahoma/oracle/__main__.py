# SPDX-License-Identifier: Apache-2.0
"""What `tahoma nki` starts:

python3 -m tahoma.oracle verify REQUEST    a request as JSON (requests.py): prints the verdict
python3 -m tahoma.oracle serve JOBS SECONDS MEMORY
"""
import json
import sys
import tempfile

from tahoma.oracle import requests, server

# Exit statuses by the status of a verdict, as of a run.
STATUSES = {"correct": 0, "unchecked": 0, "wrong": 1, "findings": 3, "refused": 3, "raised": 3, "failed": 5}


def verify(text):
    try:
        request = requests.checked(json.loads(text))
        with tempfile.TemporaryDirectory(prefix="tahoma-") as folder:
            verdict = requests.answered(request, folder)
    except ValueError as mistake:
        print(f"tahoma: nki --verify: error[E-ORA-001]: {mistake}", file=sys.stderr)
        return 2
    print(json.dumps(verdict, indent=1))
    return STATUSES[verdict["status"]]


def main(words):
    if words[0] == "verify":
        return verify(words[1])
    return server.main(int(words[1]), float(words[2]), int(words[3]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
