# SPDX-License-Identifier: Apache-2.0
"""Every table and every object of summary.json that declares columns is in the list that `tahoma stats` explains."""

import re

LIST = "report/reference/table_list.cpp"
REPORTS = "report/"
TABLE = re.compile(r"Columns<\w+>& (\w+)\(\)")
OBJECT = re.compile(r"TAHOMA_STATISTICS\((\w+)\)")


def findings(repo):
    listed = repo.text(LIST)
    found = []
    for file in repo.matching(".h", under=REPORTS):
        text = repo.text(file)
        found += [f"{file}: {name}() is not in {LIST}" for name in TABLE.findall(text) if f"table({name}())" not in listed]
        found += [f"{file}: {name} is not in {LIST}" for name in OBJECT.findall(text) if f"object<{name}>" not in listed]
    return found
