# SPDX-License-Identifier: Apache-2.0
"""Known mistakes of the public repositories that no front end can mend: corrected in memory while a module is imported.

The files of the checkouts stay as they are. A correction applies only where its text occurs, so it does nothing at commits
without the mistake. `applied` lists what was done.
"""
import importlib.machinery
import re
import sys

# End of the module's path, the mistake as a regular expression, what is wrong. The match is replaced by empty lines, so that
# line numbers stay.
TABLE = [
    ("nkilib/core/mlp/mlp.py", r'(?<=\n    """\n)(?:(?!    """)[^\n]*\n){1,40}    """\n', "the end of a docstring stands twice"),
]

applied = []


def corrected(path, text):
    """The text of a module with the corrections for its path."""
    for end, pattern, what in TABLE:
        if not path.endswith(end) or _compiles(text, path):
            continue
        for match in re.finditer(pattern, text):  # the first match without which the file parses
            changed = text[: match.start()] + "\n" * match.group().count("\n") + text[match.end():]
            if _compiles(changed, path):
                applied.append(f"{end}: {what}")
                text = changed
                break
    return text


def _compiles(text, path):
    try:
        compile(text, path, "exec")
        return True
    except SyntaxError:
        return False


class _Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data, path, *, _optimize=-1):
        text = data.decode("utf-8")
        return super().source_to_code(corrected(str(path), text).encode("utf-8"), path, _optimize=_optimize)


class _Finder:
    """Gives modules that the table names a loader that corrects them."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        last = name.rpartition(".")[2] + ".py"
        if not any(end.endswith("/" + last) for end, *_ in TABLE):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def install():
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
