# SPDX-License-Identifier: Apache-2.0
"""Rules for files: length, licence line, no paths of a single machine, a README in every folder, folders of a readable
size, no two headers with the same name, no source that includes another source, and no short header with a single user."""

import collections
import posixpath
import re

from repo import ROOMS

MAX_LINES = 500
MAX_MERGED = 200  # lines of a header, its own source and its single user, which would be one file
MAX_FILES = 26  # sources per folder; cases and goldens are data, one file each
CODE = (".h", ".cpp", ".inc", ".def", ".sv", ".py", ".js")
SOURCE = (".h", ".cpp", ".inc", ".def", ".py", ".sh", ".cmake", ".yaml", ".md", ".json", "CMakeLists.txt")
SPDX = "SPDX-License-Identifier: Apache-2.0"
INDEXED_NULL = re.compile(r"^[ \t]*(nlohmann::)?(?:\w*Json|ordered_json|json) (\w+);\n\s+\2(?:\[|\.push_back)", re.MULTILINE)
INCLUDED_SOURCE = re.compile(r'^\s*#\s*include\s+["<][^">]*\.cpp[">]')
INCLUDED = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Written so that this file does not match itself.
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:work|tmp|home|root|Users)/\w")


def length(repo):
    return [f"{name}: {count} lines, at most {MAX_LINES} (split it by purpose)"
            for name in repo.matching(".h", ".cpp", ".inc", ".py")
            if (count := repo.text(name).count("\n")) > MAX_LINES]


def licence(repo):
    return [f"{name}:1: the file does not begin with '// {SPDX}'"
            for name in repo.matching(".h", ".cpp", ".inc", ".def")
            if not repo.text(name).startswith(f"// {SPDX}\n")]


def machine_paths(repo):
    return [f"{name}:{number}: a path of one machine: {line.strip()}"
            for name in repo.files
            for number, line in enumerate(repo.text(name).splitlines(), 1) if MACHINE_PATH.search(line)]


def readmes(repo):
    # Goldens are data that `tahoma check --bless` writes.
    folders = {name.rpartition("/")[0] for name in repo.matching(*SOURCE)
               if "/" in name and not name.startswith(".") and "/goldens/" not in name}
    with_parents = {"/".join(folder.split("/")[:depth]) for folder in folders
                    for depth in range(1, folder.count("/") + 2)}
    return [f"{folder}: has no README.md" for folder in sorted(with_parents)
            if f"{folder}/README.md" not in repo.files]


def crowded_folders(repo):
    count = collections.Counter(name.rpartition("/")[0] for name in repo.matching(*CODE))
    return [f"{folder}: {files} sources side by side, at most {MAX_FILES} (make folders by subject)"
            for folder, files in sorted(count.items()) if files > MAX_FILES]


def header_names(repo):
    places = collections.defaultdict(list)
    for name in repo.matching(".h"):
        places[name.rpartition("/")[2]].append(name)
    return [f"{base}: the name of {len(names)} headers: {', '.join(names)}"
            for base, names in sorted(places.items()) if len(names) > 1]


def included_sources(repo):
    return [f"{name}:{number}: includes a source: {line.strip()}"
            for name in repo.matching(".h", ".cpp", ".inc")
            for number, line in enumerate(repo.text(name).splitlines(), 1) if INCLUDED_SOURCE.search(line)]


def own_source(header):
    return header.removesuffix(".h") + ".cpp"


def stands_apart(repo, header):
    """Whether it has a definition that a kernel is checked against, or a source that the first build omits, so that the
    CMakeLists.txt of its room names it."""
    room, source = own_source(header).split("/", 1)
    build = f"{room}/CMakeLists.txt"
    named = re.findall(r"[\w./]+", repo.text(build)) if build in repo.files else []
    return posixpath.basename(header).startswith("golden_") or source in named


def fragments(repo):
    """A folder is the module: a header with a single user, a source of the same folder, is no interface."""
    users = collections.defaultdict(set)  # of each header, in any folder, beside its own source
    for name in repo.matching(".h", ".cpp", ".inc", ".in"):
        for header in INCLUDED.findall(repo.text(name)):
            if name != own_source(header):
                users[header].add(name)
    found = []
    for header in repo.matching(".h"):
        if not header.startswith(ROOMS) or len(users[header]) != 1 or stands_apart(repo, header):
            continue
        user, = users[header]
        if not user.endswith(".cpp") or posixpath.dirname(user) != posixpath.dirname(header):
            continue
        lines = sum(repo.text(name).count("\n") for name in (header, own_source(header), user) if name in repo.files)
        if lines <= MAX_MERGED:
            found.append(f"{header}: only {user} includes it, {lines} lines with it: merge it into {user}")
    return found


def indexed_nulls(repo):
    """A JSON null that is indexed becomes an object, but is left damaged if that allocation fails: it must be made an object."""
    return [f"{name}:{text[:match.start(2)].count(chr(10)) + 1}: `{match.group(2)}` is a JSON null; expected Json::object() or Json::array()"
            for name in repo.files if name.endswith((".cpp", ".h")) and not name.startswith("tests/")
            for text in [repo.text(name)] for match in INDEXED_NULL.finditer(text)]


def findings(repo):
    return (indexed_nulls(repo) + length(repo) + licence(repo) + machine_paths(repo) + readmes(repo) + crowded_folders(repo)
            + header_names(repo) + included_sources(repo) + fragments(repo))
