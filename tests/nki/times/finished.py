# SPDX-License-Identifier: Apache-2.0
"""Results of cases, one JSON object a line, so that an interrupted run goes on where it ended."""
import json
import os


class Finished:
    """The results of one build of the program; those of another build are not used."""

    def __init__(self, folder, digest):
        os.makedirs(folder, exist_ok=True)
        self.path, self.digest, self.results = os.path.join(folder, "results.jsonl"), digest, {}
        if os.path.exists(self.path):
            with open(self.path) as file:
                for line in file:
                    self._take(line)

    def _take(self, line):
        try:
            result = json.loads(line)
        except json.JSONDecodeError:
            return  # the last line of a run that was interrupted
        if result.get("program") == self.digest:
            self.results[result["case"]] = result

    def of(self, case):
        return self.results.get(case.key)

    def add(self, case, result):
        result = dict(result, case=case.key, program=self.digest)
        self.results[case.key] = result
        with open(self.path, "a") as file:
            file.write(json.dumps(result) + "\n")
