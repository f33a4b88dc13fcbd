# SPDX-License-Identifier: Apache-2.0
"""Rows of nki-samples and of the documentation's examples: runs the scripts and tests that call the kernel."""
import json
import os
import sys

import rows
import script_search


def run(row, given, folder, request, env, run_process):
    out = os.path.join(folder, "result.json")
    asked = request(row, given, out)
    asked["candidates"] = [(c.path, c.kind) for c in script_search.candidates(row.root, row.file, row.name)][:8]
    with open(os.path.join(folder, "request.json"), "w") as file:
        json.dump(asked, file)
    command = [sys.executable, os.path.join(rows.HERE, "script_runner.py"), os.path.join(folder, "request.json")]
    wrong = run_process(command, env, folder, 4 * given.seconds, os.path.join(folder, "log"))
    if not os.path.exists(out):
        return {"reason": rows.wrong_start(wrong, os.path.join(folder, "log"))}
    with open(out) as file:
        return json.load(file)
