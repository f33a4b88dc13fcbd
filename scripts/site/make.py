#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the site: collects the pages, lets Sphinx write HTML, and checks its links. scripts/docs starts it."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/dist"))
import contents  # noqa: E402
import links  # noqa: E402
import references  # noqa: E402
import shots  # noqa: E402
from pages import BrokenLink, Pages, page_of, source_page  # noqa: E402
from repo import Repo  # noqa: E402


def write(folder, texts):
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def collect(repo, folder, generated):
    """Writes the pages of the repository and the generated ones into `folder`, each with the contents below it."""
    pages = Pages(repo)
    texts = {page_of(name): pages.text(name) for name in pages.names}
    texts |= generated
    texts["index.md"] += contents.guide(texts)
    for page, tree in contents.trees(pages.names).items():
        texts[page] += tree
    texts |= {source_page(name): pages.source_text(name) for name in pages.sources}
    write(folder, texts)
    return len(texts)


def sphinx(source, site, version):
    """Any warning is an error; all are shown."""
    here = pathlib.Path(__file__).parent
    shutil.copyfile(here / "conf.py", source / "conf.py")
    shutil.copyfile(here / "site.css", source / "_static/site.css")
    return subprocess.run([sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "-j", "2", "-D", f"release={version}",
                           str(source), str(site)], check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the checkout")
    parser.add_argument("--build", type=pathlib.Path, help="a build folder with the program and the Python package; default: build")
    parser.add_argument("--out", type=pathlib.Path, help="default: build/site")
    parser.add_argument("--no-screenshots", action="store_true")
    parser.add_argument("--documents-only", action="store_true", help="only what is written in Markdown")
    options = parser.parse_args()
    root = options.root.resolve()
    build = (options.build or root / "build").resolve()
    site = (options.out or root / "build/site").resolve()
    repo = Repo(root)
    source = site.with_name(site.name + ".source")
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    (source / "_static").mkdir(parents=True)
    try:
        generated = {}
        if not options.documents_only:
            generated = references.pages(repo, build / "tahoma", build / "python")
            generated["reports.md"] = shots.page(root, build / "tahoma", source / "_static", not options.no_screenshots)
        pages = collect(repo, source, generated)
    except BrokenLink as broken:
        sys.exit(f"scripts/docs: {broken}")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"scripts/docs: {' '.join(map(str, failed.cmd))} ended with status {failed.returncode}:\n{failed.stderr}")
    version = re.search(r"project\(tahoma VERSION (\S+)", repo.text("CMakeLists.txt"))
    if not sphinx(source, site, version[1] if version else ""):
        sys.exit("scripts/docs: Sphinx has warnings, above")
    count, inside, outside, found = links.check(site)
    print("\n".join(found))
    if found:
        sys.exit(f"scripts/docs: {len(found)} broken links")
    shutil.rmtree(source)
    print(f"{site}/index.html: {pages} pages, {count} HTML files, {inside} links checked, {outside} links to elsewhere not fetched")


if __name__ == "__main__":
    main()
