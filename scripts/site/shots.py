# SPDX-License-Identifier: Apache-2.0
"""The page about report pages: runs of shipped cases, their pages, and pictures of these by a browser."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

BROWSER = "/usr/bin/chromium"
# File: title, what it shows, the words of the command, the page below --out, and the height of the picture in pixels.
REPORTS = {
    "run": ("A run", "The main job on 512 cores: the first line, the critical path, stall reasons, the roofline and the links.",
            ["run", "workloads/gemm/ultraserver.yaml", "--mode", "timing"], "report.html", 2400),
    "kernel": ("A kernel in NKI", "The last step of the tutorial, with the time of each line of its source.",
               ["run", "workloads/nki/tutorial/blocked.yaml"], "report.html", 2000),
    "sweep": ("A sweep", "The Pareto front over two metrics, and the effect of each axis.",
              ["sweep", "examples/sweep/sweep.yaml", "--pareto", "simulated_time_ns,price"], "index.html", 1500),
}


def photograph(page, picture, height):
    with tempfile.TemporaryDirectory() as profile:
        # No sandbox: it may run as root. Nothing that looks for a network.
        subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
                        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                        f"--user-data-dir={profile}", f"--window-size=1400,{height}", "--virtual-time-budget=10000", f"--screenshot={picture}",
                        page.resolve().as_uri()], capture_output=True, check=True, timeout=300)
    if not picture.is_file():
        raise FileNotFoundError(f"{BROWSER} wrote no picture of {page}")


def page(root, program, static, pictures):
    """Runs the cases, keeps their pages in `static`, and returns the text of the page about them."""
    if pictures and not pathlib.Path(BROWSER).exists():  # Ubuntu packages none
        print(f"scripts/docs: no pictures of report pages, because {BROWSER} does not exist", file=sys.stderr)
        pictures = False
    text = "# Report pages\n\nEvery run writes its page as one file that needs no network. These are made with this site.\n"
    for name, (title, shown, words, file, height) in REPORTS.items():
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/out"
            subprocess.run([program, *words, "--out", out], cwd=root, capture_output=True, check=True)
            text += f"\n## {title}\n\n{shown}\n\n```sh\nbuild/tahoma {' '.join(words)}\n```\n\n"
            if pictures:
                photograph(pathlib.Path(out, file), static / f"{name}.png", height)
                text += f'<img src="_static/{name}.png" alt="{title}">\n\n'
            if words[0] == "run":  # the page of a sweep has links to those of its points
                shutil.copyfile(f"{out}/{file}", static / f"{name}.html")
                text += f'<p><a href="_static/{name}.html">Open the page</a></p>\n'
    return text
