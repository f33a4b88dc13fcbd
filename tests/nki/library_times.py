#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares times of the public nki-library kernels with those that the vendor's own tests expect. See times/README.md.

    tests/nki/library_times.py --root DIR [--cases FILE.csv] [--out FOLDER] [--jobs N] [--match TEXT] [--use derive|check]
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.realpath(os.path.join(HERE, "..", ".."))
sys.path[:0] = [os.path.join(HERE, "times"), os.path.join(HERE, "public"), HERE]

import interpreter  # noqa: E402
import rows  # noqa: E402


def options():
    parser = argparse.ArgumentParser(description="Times of nki-library kernels beside those that its tests expect of Trainium2.")
    parser.add_argument("--root", required=True, help="checkout of nki-library, or the folder that contains it")
    parser.add_argument("--cases", default=os.path.join(SOURCE, "workloads", "nki", "library_times.csv"),
                        help="CSV with the columns test_file, parameters, reference_us, use (default: the shipped table)")
    parser.add_argument("--out", default="out-library-times", help="folder for the results; finished cases there are not run again")
    parser.add_argument("--jobs", type=int, default=1, help="cases that run at the same time")
    parser.add_argument("--match", default="", help="only cases whose test file or parameters contain this text")
    parser.add_argument("--use", choices=("all", "derive", "check"), default="all", help="only this half of the cases")
    parser.add_argument("--seconds", type=float, default=600, help="time limit of a case")
    parser.add_argument("--memory", type=int, default=12 << 30, help="most resident memory of a case, in bytes")
    parser.add_argument("--predict", metavar="FILE", help="write predicted times for the tests of all families instead; expected times are not read")
    parser.add_argument("--tests", type=int, default=2, help="with --predict: cases of each test file, the smallest ones (default 2)")
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

    root, _ = rows.checkout(given.root, "nki-library")
    if root is None:
        sys.exit(f"library_times: no checkout of nki-library in {given.root}")
    if given.predict:
        import predict

        return 0 if predict.write(root, given, launch.declared(SOURCE)) else 1
    wanted = cases.read(given.cases, given.match, given.use)
    results = finished.Finished(given.out, cases.program_digest(SOURCE))
    cases.run(wanted, root, given, results)
    page = error_page.Page(wanted, results, 0 if given.device else launch.declared(SOURCE))
    error_page.write_files(page, given.out)
    print(page.markdown() if given.format == "markdown" else page.text())
    return 0 if page.complete() else 1


if __name__ == "__main__":
    sys.exit(main())
