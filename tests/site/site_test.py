#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation: what is written arrives, and a broken link fails the build."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/site"))
import links  # noqa: E402

options = argparse.Namespace(build="")
README = """# Top

[folder](part), [anchor](part/README.md#a-heading), [source](part/code.h), [elsewhere](https://example.org/x)
<!--=run time-->
It takes
<!--=run time-->5 us<!--/-->. A marker is `<!--=run time-->`.
% this line is text, and so is {this}`text`.

```markdown
[no link](nowhere.md) <!--=kept-->
```
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def plant(self, **files):
        for name, text in files.items():
            path = self.root / ".".join(name.replace("__", "/").rsplit("_", 1))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


class Links(Folder):
    def test_links_within_pages_and_between_them_are_followed(self):
        self.plant(a_html='<h1 id="x">A</h1><a href="#x">x</a><a href="b.html#y">y</a><a href="https://example.org">e</a>',
                   b_html='<p id="y">B</p><img src="a.png">', a_png="")
        self.assertEqual(links.check(self.root), (2, 3, 1, []))

    def test_missing_pages_pictures_and_anchors_are_found(self):
        self.plant(a_html='<a href="c.html">c</a><a href="#x">x</a><a href="b.html#z">z</a><img src="d.png">', b_html="<p id='y'>B</p>")
        found = links.check(self.root)[3]
        self.assertEqual(len(found), 4, found)
        for text in ("c.html, which does not exist", "d.png, which does not exist", "#x, but a.html", "b.html#z, but b.html"):
            self.assertIn(text, "\n".join(found))


class Documents(Folder):
    def made(self, readme=README, status=0):
        self.plant(README_md=readme, part__README_md="# Part\n\n## A heading\n", part__code_h="int answer();\n", CMakeLists_txt="")
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts/site/make.py", "--root", self.root, "--out", self.root / "site",
                               "--documents-only"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return (self.root / "site/index.html").read_text(encoding="utf-8") if status == 0 else done.stderr

    def test_links_to_folders_anchors_and_sources_arrive_and_markers_do_not(self):
        page = self.made()
        article = page[page.index('role="main"'):]
        for target in ("part/index.html", "part/index.html#a-heading", "sources/part/code.h.html", "https://example.org/x"):
            self.assertIn(f'href="{target}"', article)
        self.assertRegex(re.sub(r"\s+", " ", article), "It takes 5 us. A marker is")
        self.assertIn("% this line is text, and so is {this}", article)
        self.assertEqual(article.count("--=run"), 1, "the one in code")
        self.assertIn("=kept--", article)
        self.assertIn("answer", (self.root / "site/sources/part/code.h.html").read_text(encoding="utf-8"))

    def test_a_link_to_no_file_fails_the_build_by_name(self):
        self.assertIn("README.md: links to part/none.md, which does not exist", self.made("# Top\n\n[x](part/none.md)\n", 1))

    def test_a_link_to_no_anchor_fails_the_build(self):
        self.assertIn("none", self.made("# Top\n\n[x](part/README.md#none)\n", 1))


class Site(Folder):
    def test_the_whole_site_is_made(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts/site/make.py", "--build", options.build, "--out", self.root / "site"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("parameters", "instructions", "grammar", "statistics", "errors", "python", "nki", "commands"):
            self.assertGreater((self.root / f"site/reference/{name}.html").stat().st_size, 10_000, name)
        self.assertTrue((self.root / "site/searchindex.js").is_file())
        self.assertEqual(sorted(path.name for path in (self.root / "site/_static").glob("*.png"))[-1:], ["sweep.png"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
