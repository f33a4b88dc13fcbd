# SPDX-License-Identifier: Apache-2.0
"""Rows of the list of kernels: in which checkout a kernel is, and how it is run."""
import glob
import json
import os
import re
import sys

import hints
import library_search

HERE = os.path.dirname(os.path.abspath(__file__))


def build_paths(source):
    """Where the extension module of a build in the source tree is, if PYTHONPATH does not already give it."""
    found = [os.path.dirname(path) for path in sorted(glob.glob(os.path.join(source, "build", "python", "_tahoma*.so")))]
    return [os.path.realpath(path) for path in found]


def checkout(root, repo):
    """The folder of a repository below root, or root itself."""
    name = repo.split("(")[0].strip().rstrip("/").split("/")[-1]
    inside = os.path.join(root, name)
    if os.path.isdir(inside):
        return os.path.realpath(inside), name
    return (os.path.realpath(root), name) if os.path.basename(os.path.realpath(root)) == name or _looks_like(root, name) else (None, name)


def _looks_like(root, name):
    marks = {"nki-library": "src/nkilib_src", "nki-samples": "contributed", "aws-neuron-sdk": "nki/examples", "AccelOpt": "NKIBench",
             "kda-for-trainium": "workspaces"}
    return name in marks and os.path.isdir(os.path.join(root, marks[name]))


def row_of(line, root):
    return Row(line["repo"], line["file"].strip(), line["kernel"].strip(), root)


class Row:
    """One line of the list."""

    def __init__(self, repo, file, kernel, root):
        self.repo, self.file, self.kernel, self.reason = repo, file, kernel, ""
        self.name = re.match(r"\w*", kernel).group()
        self.hints = sorted(hints.hints_of(kernel[len(self.name):], self.name))
        self.root, self.folder = checkout(root, repo)
        if self.root is None:
            self.reason = f"no checkout of {self.folder} in {root}"
            return
        inside = re.search(r"\(([^)]*)\)", repo)  # "repository (folder)": files are relative to the folder
        if inside and not os.path.exists(os.path.join(self.root, self.file)):
            self.file = os.path.join(inside.group(1).strip(), self.file)
        if not os.path.exists(os.path.join(self.root, self.file)):
            self.reason = f"no file {self.file} in the checkout of {self.folder}"

    def run(self, given, folder, request, env, run_process):
        if self.folder == "nki-library":
            return self._run_tests(given, folder, request, env, run_process)
        import script_rows

        return script_rows.run(self, given, folder, request, env, run_process)

    def _run_tests(self, given, folder, request, env, run_process):
        files = library_search.tests_of(self.root, self.file, self.name)
        if not files:
            return {"reason": f"no test of the repository names {self.name}"}
        out = os.path.join(folder, "result.json")
        with open(os.path.join(folder, "request.json"), "w") as file:
            json.dump(request(self, given, out), file)
        env = dict(env, TAHOMA_EXTERNAL_ROW=os.path.join(folder, "request.json"))
        env["PYTHONPATH"] = os.pathsep.join([self.root, os.path.join(self.root, "src"), env["PYTHONPATH"]])
        command = [sys.executable, "-m", "pytest", "--noconftest", "-p", "library_plugin", "-p", "no:cacheprovider", "--assert=plain", "-q",
                   "-c", os.devnull, "--rootdir", self.root, "--continue-on-collection-errors"] + [os.path.join(self.root, f) for f in files]
        wrong = run_process(command, env, folder, 3 * given.planning_seconds + 120 + given.cases * given.seconds, os.path.join(folder, "log"))
        if not os.path.exists(out):
            return {"reason": wrong_start(wrong, os.path.join(folder, "log"), out + ".collect.log")}
        with open(out) as file:
            result = json.load(file)
        if not result["cases"] and not result["collected"] and os.path.exists(out + ".collect.log"):
            result["reason"] = wrong_start("", "", out + ".collect.log")
        result["tests"] = files
        return result


def wrong_start(wrong, *logs):
    """Why a process gave no result: the last line of its logs that looks like an error."""
    for log in reversed(logs):
        if log and os.path.exists(log):
            with open(log, errors="replace") as file:
                lines = [line.strip() for line in file if re.search(r"Error|error:|Exception", line)]
            if lines:
                return lines[-1][:300]
    return wrong or "no result"
