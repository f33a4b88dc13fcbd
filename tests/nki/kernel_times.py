#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares times of public NKI kernels with silicon and with the times that nki-library's own tests expect. See times/README.md.

    tests/nki/kernel_times.py --root DIR [--cases FILE.csv]... [--out FOLDER] [--jobs N] [--match TEXT] [--use derive|check]
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.realpath(os.path.join(HERE, "..", ".."))
sys.path[:0] = [os.path.join(HERE, "times"), os.path.join(HERE, "public"), HERE]

import interpreter  # noqa: E402
import rows  # noqa: E402


TABLES = [os.path.join(SOURCE, "workloads", "nki", name) for name in ("silicon_times.csv", "library_times.csv")]


def options():
    parser = argparse.ArgumentParser(description="Times of public NKI kernels beside those that were measured, or that their tests expect of Trainium2.")
    parser.add_argument("--root", required=True, help="folder that contains checkouts of nki-library, AccelOpt and kda-for-trainium, or is one of them")
    parser.add_argument("--cases", action="append", help="CSV of cases, may be repeated (default: the two shipped tables)")
    parser.add_argument("--out", default="out-kernel-times", help="folder for the results; finished cases there are not run again")
    parser.add_argument("--jobs", type=int, default=1, help="cases that run at the same time")
    parser.add_argument("--match", default="", help="only cases whose file or parameters contain this text")
    parser.add_argument("--use", choices=("all", "derive", "check"), default="all", help="only this half of the cases")
    parser.add_argument("--seconds", type=float, default=600, help="time limit of a case")
    parser.add_argument("--memory", type=int, default=12 << 30, help="most resident memory of a case, in bytes")
    parser.add_argument("--predict", metavar="FILE", help="write predicted times for the tests of all families instead; expected times are not read")
    parser.add_argument("--tests", type=int, default=2, help="with --predict: cases of each test file, the smallest ones (default 2); 0: all that expect a time, continued from --out")
    parser.add_argument("--device", action="store_true", help="compare the time of the device alone, without a launch")
    parser.add_argument("--format", choices=("text", "markdown"), default="text", help="how the page is printed")
    return parser.parse_args()


def main():
    given = options()
    interpreter.ensure(rows.build_paths(SOURCE))
    import cases
    import error_page
    import finished
    import launch

    checkouts = {name: rows.checkout(given.root, name)[0] for kind in cases.KINDS for name in kind.repositories}
    if given.predict:
        import predict

        if checkouts["nki-library"] is None:
            sys.exit(f"kernel_times: no checkout of nki-library in {given.root}")
        return 0 if predict.write(checkouts["nki-library"], given, launch.declared(SOURCE)) else 1
    wanted = [case for table in given.cases or TABLES for case in cases.read(table, given.match, given.use)]
    missing = sorted({name for case in wanted for name in case.repositories if checkouts[name] is None})
    if missing:
        sys.exit(f"kernel_times: no checkout of {', '.join(missing)} in {given.root}")
    results = finished.Finished(given.out, cases.program_digest(SOURCE))
    cases.run(wanted, checkouts, given, results)
    page = error_page.Page(wanted, results, 0 if given.device else launch.declared(SOURCE))
    error_page.write_files(page, given.out)
    print(page.markdown() if given.format == "markdown" else page.text())
    return 0 if page.complete() else 1


if __name__ == "__main__":
    sys.exit(main())
