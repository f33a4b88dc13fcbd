# SPDX-License-Identifier: Apache-2.0
"""The page of expected times: one row for each case, and statistics for each family and half."""
import csv
import io
import json
import math
import os

import cases
import error_html
import errors
import launch

MEASURED = (*(f"{name}_percent" for name in cases.SHARES), *(f"hbm_{side}_mb" for side in cases.SIDES))
HEAD = ("family", "case", "use", "lnc", "reference_us", "device_us", "launch_us", "error_percent", "bound_us", "bound_by", "of_bound_percent",
        *(column for name in MEASURED for column in (name, f"{name}_measured")), "losses")
SUMMARY = ("group", "cases", "mean", "median", "bias", "worst", "within 10 %", "within 25 %", "rank")
VARIANTS = ("operator", "kernels", "tau", "regret")
SHARE_POINTS, BYTES_PERCENT = 10, 10  # how far an engine's share and the bytes of HBM may be off


class Page:
    """`launch_us`: of a launch, for times that include one; 0: the device alone."""

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
            measured = dict(getattr(case, "measured", ()))
            beside = [value for name in MEASURED for value in (rounded(result.get(name)), measured.get(name))]
            yield (case.family, case.name, case.use, result["lnc"], case.reference_us if known else None, round(result["time_us"], 3),
                   self.launch_of(case), round(errors.percent(self.predicted(case, result), case.reference_us), 1) if known else None,
                   rounded(bound), analysis.get("bound_by", ""), bound and round(100 * bound / result["time_us"], 1), *beside,
                   "; ".join(analysis.get("losses", [])))

    def launch_of(self, case):
        return self.launch_us if case.launched else 0

    def predicted(self, case, result):
        return result["time_us"] + self.launch_of(case)

    def known(self):
        return [(c, r) for c, r in self.timed if not math.isnan(c.reference_us)]

    def groups(self):
        """(name, pairs of model and reference) for all cases, each family and each half."""
        known = self.known()
        named = [("all", known)] + [(f"half: {use}", [(c, r) for c, r in known if c.use == use]) for use in sorted({c.use for c, _ in known})]
        for family in sorted({c.family for c, _ in known}):
            members = [(c, r) for c, r in known if c.family == family]
            named.append((family, members))
            named += [(f"{family}: {use}", [(c, r) for c, r in members if c.use == use]) for use in sorted({c.use for c, _ in members})]
        return [(name, [(self.predicted(c, r), c.reference_us) for c, r in members]) for name, members in named if members]

    def summary_rows(self):
        for name, pairs in self.groups():
            s = errors.summary(pairs)
            yield (name, s["cases"], f"{s['mean']:.1f} %", f"{s['median']:.1f} %", f"{s['bias']:+.1f} %", f"{s['worst']:+.1f} %",
                   f"{s['within_10']:.0f} %", f"{s['within_25']:.0f} %", "-" if s["rank"] is None else f"{s['rank']:.3f}")

    def variant_rows(self):
        """Whether the model would choose well among kernels of one operator, which compute the same."""
        known = [(c, r) for c, r in self.known() if not c.launched]
        for family in sorted({c.family for c, _ in known}):
            pairs = [(self.predicted(c, r), c.reference_us) for c, r in known if c.family == family]
            tau = errors.kendall_tau(pairs)
            yield (family, len(pairs), "-" if tau is None else f"{tau:.2f}", f"{errors.regret(pairs):.1f} %")

    def agreement_line(self):
        """How many measured shares and bytes the model meets."""
        shares, sizes = [], []
        for case, result in self.timed:
            for name, measured in getattr(case, "measured", ()):
                if name.endswith("_percent"):
                    shares.append(abs(result[name] - measured) <= SHARE_POINTS)
                else:
                    sizes.append(abs(errors.percent(result[name], measured)) <= BYTES_PERCENT)
        if not shares and not sizes:
            return "no shares or bytes were measured"
        return (f"{sum(shares)} of {len(shares)} measured engine shares are met within {SHARE_POINTS} points, "
                f"{sum(sizes)} of {len(sizes)} measured HBM bytes within {BYTES_PERCENT} %")

    def launch_line(self):
        now = launch.derived(self.timed)
        return (f"launch: {self.launch_us:g} us are added to the device's times of nki-library"
                + (f"; the half that derives gives {now:.1f} us" if now is not None else ""))

    def undecided_lines(self):
        """Rows whose parameters fit several tests."""
        found = [(case, result["undecided"]) for case, result in self.timed if result.get("undecided")]
        return [f"{len(found)} {'row fits' if len(found) == 1 else 'rows fit'} several tests; the one that sets the fewest other parameters is taken, the first among equals"] * bool(found) + [
            f"  {case.family}: {case.name}: the tests differ in {', '.join(names)}" for case, names in found]

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
        variants = list(self.variant_rows())
        lines += ["", *aligned([VARIANTS] + variants), "", self.agreement_line()] if variants else []
        lines += ["", self.launch_line(), *self.undecided_lines()]
        worst = sorted((row for row in self.rows() if row[7] is not None), key=lambda row: -abs(row[7]))[:10]
        lines += ["", "largest errors"] * bool(worst) + [f"  {row[7]:+7.1f} %  {row[5] + row[6]:10.1f} us for {row[4]:.1f} us  {row[0]}: {row[1]}" for row in worst]
        alone = [row for row in self.rows() if row[4] is None]
        lines += ["", "times without a reference"] * bool(alone) + [f"  {row[5] + row[6]:10.1f} us  {row[0]}: {row[1]}" for row in alone]
        lines += [""] * bool(self.failed) + [f"no time: {case.family}: {case.name}: {reason}" for case, reason in self.failed]
        return "\n".join(lines)

    def markdown(self):
        lines = [self.first_line(), "", *markdown_table(SUMMARY, self.summary_rows())]
        variants = list(self.variant_rows())
        if variants:
            lines += ["", *markdown_table(VARIANTS, variants), "", self.agreement_line()]
        if self.undecided_lines():
            lines += ["", *self.undecided_lines()]
        return "\n".join(lines)

    def html(self):
        points = [(c.family, c.reference_us, self.predicted(c, r), c.name) for c, r in self.timed if c.reference_us > 0]
        failed = [(case.key, reason) for case, reason in self.failed]
        return error_html.page(self.first_line(), self.launch_line(), points, (SUMMARY, list(self.summary_rows())), (HEAD, list(self.rows())), failed)

    def table(self):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(HEAD)
        writer.writerows(self.rows())
        return text.getvalue()


def markdown_table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def rounded(value):
    return None if value is None else round(value, 3)


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
