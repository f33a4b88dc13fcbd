# SPDX-License-Identifier: Apache-2.0
"""The values of slow runs, recorded with digests of the files on which they depend. When one of these files changes, such as a
golden that was blessed again, the values are stale until `scripts/figures --write` has executed the run again. Digests, unlike time stamps,
are valid in a fresh clone."""

import json

from measured.problem import Problem


class Stale(Problem):
    pass


class Record:
    def __init__(self, file, goldens):
        self.file = file
        self.goldens = goldens
        self.runs = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def changed(self, run):
        """Returns the changed files among those on which a recorded run depends."""
        now = self.goldens.rests_on(run)
        then = self.runs[run.command]["rests_on"]
        return sorted(path for path in set(now) | set(then) if now.get(path) != then.get(path))

    def value(self, run, figure):
        if run.command not in self.runs or figure not in self.runs[run.command]["values"]:
            raise Stale(f"no value is recorded for '{figure}' of `{run.command}`")
        if changed := self.changed(run):
            raise Stale(f"`{run.command}` was recorded before {', '.join(changed)} changed")
        return self.runs[run.command]["values"][figure]

    def write(self, executed, whole):
        """Takes over the values that documents use of these slow runs; those of other runs stay unless `whole` says that these are
        all."""
        kept = {} if whole else self.runs
        fresh = {}
        for result in (result for result in executed if result.used):
            command = result.run.command
            known = kept[command]["values"] if command in kept and not self.changed(result.run) else {}
            fresh[command] = {"rests_on": self.goldens.rests_on(result.run), "values": dict(sorted((known | result.used).items()))}
        self.runs = dict(sorted((kept | fresh).items()))
        self.file.write_text(json.dumps(self.runs, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
