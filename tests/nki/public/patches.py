# SPDX-License-Identifier: Apache-2.0
"""Known mistakes of the public repositories that no front end can mend: corrected in memory while a module is imported.

The files of the checkouts stay as they are. A correction applies only where its text occurs, so it does nothing at commits
without the mistake. `applied` lists what was done.
"""
import ast
import importlib.machinery
import linecache
import re
import sys



def _without_repeated_text(text, path):
    """Text that stands twice is replaced by empty lines, so that line numbers stay."""
    if _compiles(text, path):
        return text
    for match in re.finditer(r'(?<=\n    """\n)(?:(?!    """)[^\n]*\n){1,40}    """\n', text):
        changed = text[: match.start()] + "\n" * match.group().count("\n") + text[match.end():]
        if _compiles(changed, path):  # the first match without which the file parses
            return changed
    return text


def _with_import(module, *names):
    """Imports names that a module uses without having them, on its last import line of `module`, or on its first import line."""

    def change(text, path):
        if not _compiles(text, path):
            return text
        bound = {alias.asname or alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))
                 for alias in node.names}
        missing = [name for name in names if name not in bound and re.search(rf"\b{name}\b", text)]
        if not missing:
            return text
        return re.sub(r"(?m)^(?=(?:from|import) (?!__future__))", f"from {module} import {', '.join(missing)}; ", text, count=1)

    return change


def _renamed_import(wrong, right):
    """Imports from a module that stands in another folder."""
    return lambda text, path: text.replace(f"from {wrong} import", f"from {right} import")


# End of the module's path, the correction, what is wrong.
TABLE = [
    ("nkilib/core/mlp/mlp.py", _without_repeated_text, "the end of a docstring stands twice"),
    ("core/qkv/test_qkv_tkg.py", _with_import("test.utils.common_dataclasses", "Platforms"), "Platforms is not imported"),
    ("subkernels/test_topk_reduce.py", _renamed_import("nkilib_src.nkilib.experimental.subkernels.topk_reduce",
                                                       "nkilib_src.nkilib.experimental.collectives.topk_reduce"),
     "topk_reduce is in experimental/collectives"),
    ("subkernels/test_topk_reduce.py", _renamed_import("nkilib_src.nkilib.experimental.subkernels.topk_reduce_torch",
                                                       "nkilib_src.nkilib.experimental.collectives.topk_reduce_torch"),
     "topk_reduce_torch is in experimental/collectives"),
]

applied = []


def corrected(path, text):
    """The text of a module with the corrections for its path."""
    for end, change, what in TABLE:
        if path.endswith(end):
            changed = change(text, path)
            if changed != text:
                applied.append(f"{end}: {what}")
            text = changed
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
        changed = corrected(str(path), text)
        if changed != text:  # what `inspect` shows is what runs
            linecache.cache[str(path)] = (len(changed), None, changed.splitlines(keepends=True), str(path))
        return super().source_to_code(changed.encode("utf-8"), path, _optimize=_optimize)


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
