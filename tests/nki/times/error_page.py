# SPDX-License-Identifier: Apache-2.0
"""The page of expected times: one row for each case, and statistics for each family and half."""
import csv
import io
import json
import math
import os

import error_html
import errors
import launch

HEAD = ("family", "parameters", "use", "lnc", "reference_us", "device_us", "launch_us", "error_percent", "bound_us", "bound_by", "of_bound_percent", "losses")
SUMMARY = ("group", "cases", "mean", "median", "bias", "worst", "within 10 %", "within 25 %", "rank")


class Page:
    """`launch_us`: of each physical core; 0: the device alone."""

    def __init__(self, wanted, results, launch_us):
        self.wanted, self.results, self.launch_us = wanted, results, launch_us
        self.timed = [(case, results.of(case)) for case in wanted if "time_us" in (results.of(case) or {})]
        self.failed = [(case, (results.of(case) or {"reason": "not run"})["reason"]) for case in wanted if "time_us" not in (results.of(case) or {})]

    def complete(self):
        return not self.failed

    def rows(self):
        for case, result in self.timed:
            analysis = result["analysis"]
            bound = analysis.get("bound_us")
            known = not math.isnan(case.reference_us)
            yield (case.family, case.parameters, case.use, result["lnc"], case.reference_us if known else None, round(result["time_us"], 3),
                   self.launch_us * result["lnc"], round(errors.percent(self.predicted(result), case.reference_us), 1) if known else None,
                   bound and round(bound, 3), analysis.get("bound_by", ""), bound and round(100 * bound / result["time_us"], 1),
                   "; ".join(analysis.get("losses", [])))

    def predicted(self, result):
        return result["time_us"] + self.launch_us * result["lnc"]

    def groups(self):
        """(name, pairs of model and reference) for all cases, each family and each half."""
        known = [(c, r) for c, r in self.timed if not math.isnan(c.reference_us)]
        named = [("all", known)]
        for family in sorted({c.family for c, _ in known}):
            named.append((family, [(c, r) for c, r in known if c.family == family]))
        for use in sorted({c.use for c, _ in known}):
            named.append((f"half: {use}", [(c, r) for c, r in known if c.use == use]))
        return [(name, [(self.predicted(r), c.reference_us) for c, r in members]) for name, members in named if members]

    def summary_rows(self):
        for name, pairs in self.groups():
            s = errors.summary(pairs)
            yield (name, s["cases"], f"{s['mean']:.1f} %", f"{s['median']:.1f} %", f"{s['bias']:+.1f} %", f"{s['worst']:+.1f} %",
                   f"{s['within_10']:.0f} %", f"{s['within_25']:.0f} %", "-" if s["rank"] is None else f"{s['rank']:.3f}")

    def launch_line(self):
        now = launch.derived(self.timed)
        return (f"launch: {self.launch_us:g} us for each physical core is added to the time of the device"
                + (f"; the half that derives gives {now:.1f} us" if now is not None else ""))

    def first_line(self):
        groups = self.groups()
        if not groups:
            return f"{len(self.timed)} cases have a time, none of them a reference; {len(self.failed)} have no time"
        s = errors.summary(groups[0][1])
        failed = f"; {len(self.failed)} cases have no time" if self.failed else ""
        return (f"{s['cases']} kernels: median absolute error {s['median']:.1f} %, {s['within_25']:.0f} % within 25 %, "
                f"rank correlation {s['rank'] if s['rank'] is None else format(s['rank'], '.3f')}{failed}")

    def text(self):
        lines = [self.first_line(), ""] + aligned([SUMMARY] + list(self.summary_rows()))
        lines += ["", self.launch_line()]
        worst = sorted((row for row in self.rows() if row[7] is not None), key=lambda row: -abs(row[7]))[:10]
        lines += ["", "largest errors"] * bool(worst) + [f"  {row[7]:+7.1f} %  {row[5] + row[6]:10.1f} us for {row[4]:.1f} us  {row[0]}: {row[1]}" for row in worst]
        alone = [row for row in self.rows() if row[4] is None]
        lines += ["", "times without a reference"] * bool(alone) + [f"  {row[5] + row[6]:10.1f} us  {row[0]}: {row[1]}" for row in alone]
        lines += [""] * bool(self.failed) + [f"no time: {case.family}: {case.parameters}: {reason}" for case, reason in self.failed]
        return "\n".join(lines)

    def markdown(self):
        lines = [self.first_line(), "", "| " + " | ".join(SUMMARY) + " |", "|" + "---|" * len(SUMMARY)]
        return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in self.summary_rows()])

    def html(self):
        points = [(c.family, c.reference_us, self.predicted(r), c.parameters) for c, r in self.timed if c.reference_us > 0]
        failed = [(case.key, reason) for case, reason in self.failed]
        return error_html.page(self.first_line(), self.launch_line(), points, (SUMMARY, list(self.summary_rows())), (HEAD, list(self.rows())), failed)

    def table(self):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(HEAD)
        writer.writerows(self.rows())
        return text.getvalue()


def aligned(table):
    widths = [max(len(str(row[n])) for row in table) for n in range(len(table[0]))]
    return ["  ".join(str(cell).ljust(w) if n == 0 else str(cell).rjust(w) for n, (cell, w) in enumerate(zip(row, widths))).rstrip() for row in table]


def write_files(page, folder):
    for name, text in (("accuracy.csv", page.table()), ("accuracy.md", page.markdown() + "\n"), ("accuracy.txt", page.text() + "\n"), ("accuracy.html", page.html()),
                       ("accuracy.json", json.dumps({name: errors.summary(pairs) for name, pairs in page.groups()}, indent=1) + "\n")):
        path = os.path.join(folder, name)
        with open(path + ".part", "w") as file:
            file.write(text)
        os.replace(path + ".part", path)
