#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of real runs in a browser: nothing on the console, nothing too wide, every chart drawn, the totals of
summary.json, and the effects of clicks."""

import argparse
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "workloads"
RUNS = {
    "main": ["gemm/ultraserver.yaml", "--mode", "timing"],
    "slower": ["gemm/chip.yaml", "--mode", "timing", "--set", "machine.chip.hbm.bandwidth=400 GB/s"],
    "chip": ["gemm/chip.yaml", "--mode", "timing"],
    "attention": ["attention/flash_16k.yaml", "--mode", "timing", "--set", "workload.causal=true"],
    "decode": ["decode/paged.yaml", "--mode", "timing"],
    "together": ["colocated/decode_beside_stream.yaml", "--isolated"],
    "reduce": ["collective/all_reduce_1gib.yaml", "--set", "machine.chip.hbm.model=flat"],
}
SWEEP = ["gemm/chip.yaml", "--mode", "timing", "--sweep", "machine.chip.hbm.bandwidth=400GB/s..1000GB/s:200GB/s",
         "--sweep", "machine.chip.core.tensor.clock=1.2GHz..2.4GHz:400MHz",
         "--sweep", "machine.chip.core.dma.clock=450MHz,850MHz",
         "--sweep", "workload.shard.m=2,8;workload.shard.n=2,1;workload.shard.k=2,1",
         "--pareto", "mfu_estimated_percent,hbm_read_bytes"]
# Other commands with a page: the command, its file, and the page in the output folder.
STUDIES = {
    "server": ("serve", "serving/llama3_8b.yaml", "report.html"),
    "training": ("cluster", "cluster/llama31_405b.yaml", "report.html"),
    "layouts": ("model", "models/llama31_8b.json", "index.html"),
}
SCREENS = [(1400, False), (1400, True), (390, False), (390, True)]
MOST_BYTES, MOST_MS = 5_000_000, 2000

options = argparse.Namespace(binary="", pictures="")


def scaled(value, unit, steps=((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))):
    """Formats a number with four digits and an SI prefix."""
    scale, prefix = next(step for step in steps if value >= step[0] or step[0] == 1)
    number = value / scale
    digits = 0 if number >= 1000 else 1 if number >= 100 else 2 if number >= 10 else 3
    text = f"{number:.0f}" if number == int(number) and number < 1e4 else f"{number:.{digits}f}"
    return f"{text} {prefix}{unit}"


def time_text(ns):
    return scaled(ns, "", ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        for name, (workload, *words) in RUNS.items():
            cls.tahoma("run", WORKLOADS / workload, *words, "--out", cls.root / name)
            cls.tahoma("export", cls.root / name, "report.json")
        cls.tahoma("run", WORKLOADS / "gemm/chip.yaml", "--mode", "timing", "--explain", "--out", cls.root / "explained")
        cls.tahoma("sweep", WORKLOADS / SWEEP[0], *SWEEP[1:], "--full-points", "--out", cls.root / "sweep")
        for name, (command, file, _) in STUDIES.items():
            cls.tahoma(command, WORKLOADS / file, "--out", cls.root / name)
        cls.tahoma("report", cls.root / "chip", cls.root / "slower", "--out", cls.root / "compare.html")
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def tahoma(cls, *words):
        subprocess.run([options.binary, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def page(self, name):
        pages = {name: self.root / name / page for name, (_, _, page) in STUDIES.items()}
        return {"sweep": self.root / "sweep/index.html", "compare": self.root / "compare.html", **pages}.get(
            name, self.root / name / "report.html")

    def summary(self, name):
        return json.loads((self.root / name / "summary.json").read_text(encoding="utf-8"))

    def detail(self, name):
        return json.loads((self.root / name / "report.json").read_text(encoding="utf-8"))

    def choose(self, selector, value):
        self.browser.run("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                         "s.dispatchEvent(new Event('change'))", selector, value)

    def check_page(self):
        self.browser.settle()
        self.assertEqual(self.browser.troubles(), [])

    def test_no_page_has_troubles_on_any_screen(self):
        for name in [*RUNS, *STUDIES, "sweep", "compare"]:
            for width, dark in SCREENS:
                with self.subTest(page=name, width=width, dark=dark):
                    self.browser.open(self.page(name), width, dark)
                    self.check_page()
                    self.assertTrue(self.browser.find("h1").text)
                    if options.pictures:
                        picture = f"{name}-{width}-{'dark' if dark else 'light'}.png"
                        self.browser.picture(pathlib.Path(options.pictures) / picture)

    def test_troubles_are_found(self):
        page = self.root / "planted.html"
        for planted in ("<script>nothing()</script>", "<div style='width:3000px'>wide</div>", "<p>NaN</p>"):
            with self.subTest(planted):
                page.write_text(self.page("chip").read_text(encoding="utf-8").replace("</body>", planted + "</body>"),
                                encoding="utf-8")
                self.browser.open(page, 390)
                self.assertNotEqual(self.browser.troubles(), [])

    def test_512_cores_open_at_once_and_fit_into_a_mail(self):
        for name in ("main", "reduce"):
            with self.subTest(name):
                self.assertLess(self.page(name).stat().st_size, MOST_BYTES)
                self.browser.open(self.page(name))
                took = self.browser.run("return performance.timing.loadEventEnd - performance.timing.navigationStart")
                self.assertLess(took, MOST_MS)

    def test_the_totals_are_those_of_the_summary(self):
        for name in RUNS:
            with self.subTest(name):
                summary = self.summary(name)
                self.browser.open(self.page(name))
                answer = {part.get_attribute("data-answer"): part.text for part in self.browser.all("[data-answer]")}
                self.assertEqual(answer["time"], time_text(summary["simulated_time_ns"]))
                if summary["flops"]["useful"] > 0:
                    self.assertEqual(answer["efficiency"], f"MFU {summary['mfu_estimated_percent']:.1f} %")
                limits = summary["limits"]
                self.assertTrue(answer["limit"].startswith(f"{limits['resource']} limits: {limits['share_percent']:.1f} % of the critical path"))
                self.assertNotIn("explained", answer)
                tile = {part.get_attribute("data-tile"): part.text for part in self.browser.all("[data-tile]")}
                self.assertEqual(tile["HBM"], scaled(summary["hbm_read_bytes"] + summary["hbm_write_bytes"], "B"))
                self.assertEqual(tile["links"], scaled(summary["links"]["bytes"], "B"))
                if summary["flops"]["useful"] > 0:
                    self.assertEqual(tile["rate"], scaled(summary["flops"]["achieved_tflops"] * 1e12, "FLOPS"))

    def test_programs_that_share_a_machine_have_their_slowdowns(self):
        summary = self.summary("together")
        self.browser.open(self.page("together"))
        rows = [[cell.text for cell in row.find_elements("css selector", "td")] for row in self.browser.all("#programs tbody tr")]
        self.assertEqual([row[0] for row in rows], ["decode", "stream"])
        for row, program in zip(rows, summary["programs"]):
            self.assertEqual(row[3:6], [time_text(program["time_ns"]), time_text(program["alone_ns"]), f"{program['slowdown']:.3f}"])
        shown = self.browser.all("#programs")[0].text
        self.assertIn(f"Weighted speedup {summary['sharing']['weighted_speedup']:.2f} of 2", shown)

    def test_the_shares_of_a_training_are_those_of_the_summary(self):
        goodput = self.summary("training")["goodput"]
        shares = [value for key, value in goodput.items() if key.endswith("_percent") and value > 0]
        self.assertAlmostEqual(sum(shares), 100, places=6)
        self.browser.open(self.page("training"))
        shown = self.browser.all("#goodput td:last-child")
        self.assertCountEqual([cell.text for cell in shown],
                              [f"{share:.1f} %" if share >= 0.05 else "< 0.1 %" for share in shares])

    def test_the_critical_path_is_shown_from_its_end_to_its_start(self):
        for name in RUNS:
            with self.subTest(name):
                path = self.summary(name)["critical_path"]
                self.browser.open(self.page(name))
                rows = self.browser.all('#path [aria-label="rows of the critical path"] tbody tr')
                self.assertEqual(len(rows), len(path["rows"]))
                self.assertIn(path["rows"][0]["opcode"], rows[0].text)
                first = self.browser.all("#path tbody tr")[0].text
                self.assertIn(path["operations"][0]["resource"], first)
                self.assertIn(path["operations"][0]["operation"], first)
                spots = self.browser.all('#path [aria-label="hot spots of the critical path"] tbody tr')
                self.assertIn(path["hot_spots"][0]["opcode"], spots[0].text)

    def test_a_click_on_a_chip_shows_its_cores(self):
        self.browser.open(self.page("main"))
        for button in self.browser.all("#stalls .choice button"):
            self.browser.click(button)
            self.check_page()
        before = len(self.browser.all("#stalls canvas"))
        canvas = next(c for c in self.browser.all("#stalls canvas") if "every chip" in c.get_attribute("aria-label"))
        self.browser.click_bar(canvas, 3)
        self.check_page()
        self.assertEqual(len(self.browser.all("#stalls canvas")), before + 1)
        self.assertIn("Cores of chip 3", self.browser.find("#stalls h4").text)

    def test_a_click_on_a_link_shows_its_flows(self):
        links = json.loads((self.root / "main/report.json").read_text(encoding="utf-8"))["links"]["list"]
        link = max(links, key=lambda one: one["bytes"])
        self.browser.open(self.page("main"))
        for button in self.browser.all("#links .choice button"):
            self.browser.click(button)
            self.check_page()
        self.browser.click(self.browser.find("#links .choice button"))
        drawn = {line.get_attribute("data-link") for line in self.browser.all("[data-link]")}
        self.assertEqual(drawn, {one["name"] for one in links if one["axis"] in "xy"})
        self.browser.click(self.browser.find(f"[data-link='{link['name']}']"))
        self.check_page()
        self.assertEqual(self.browser.find("#chosen-link").text, link["name"])
        rows = self.browser.all(".about-link tbody tr")
        self.assertEqual(len(rows), len(link["flows"]))
        self.assertIn(scaled(link["flows"][0][2], "B"), rows[0].text)

    def test_choices_and_tables_open(self):
        self.browser.open(self.page("main"), 390)
        for chosen in ("0", "5"):
            self.browser.run("const s = document.querySelector('#hbm select'); s.value = arguments[0];"
                             "s.dispatchEvent(new Event('change'))", chosen)
            self.check_page()
        for summary in self.browser.all("summary") + self.browser.all("button.more"):
            self.browser.click(summary)
        self.check_page()

    def test_every_stack_has_a_lane_of_its_own(self):
        for width in (1400, 390):
            self.browser.open(self.page("chip"), width)
            lanes = self.browser.all("#hbm .lane")
            self.assertEqual(len(lanes), self.summary("chip")["hbm"]["stacks_used"])
            tops = [(self.browser.run("return arguments[0].getBoundingClientRect().x", lane),
                     self.browser.run("return arguments[0].getBoundingClientRect().y", lane)) for lane in lanes]
            self.assertEqual(len(set(tops)), len(lanes))
            self.assertEqual(len(self.browser.all("#hbm .lane canvas")), len(lanes))
            self.check_page()

    def test_the_links_that_are_saturated_lead_the_table_and_the_definition_stands_beside_them(self):
        saturated = self.summary("main")["links"]["saturated"]
        self.assertGreater(saturated["count"], 0)
        self.browser.open(self.page("main"))
        first = self.browser.run("return [...document.querySelectorAll('#links table')][0].querySelector('tbody tr').lastElementChild.textContent")
        self.assertGreater(int(first.replace(",", "")), 0)
        self.assertIn(saturated["definition"].replace(" us", " µs"), self.browser.find("#links").text)

    def test_a_core_has_a_time_line(self):
        for width, dark in SCREENS:
            with self.subTest(width=width, dark=dark):
                timeline = self.detail("attention")["timeline"]
                self.browser.open(self.page("attention"), width, dark)
                for core in (timeline["cores"][0], timeline["cores"][-1]):
                    self.choose("#timeline select", core["name"])
                    drawn = [lane.get_attribute("data-lane") for lane in self.browser.all("#timeline [data-lane]")]
                    self.assertEqual(drawn, [lane["queue"] for lane in core["lanes"]])
                    self.check_page()
                lane = self.browser.find("#timeline [data-lane=tensor]")
                self.browser.point_at(lane, 0.5)
                self.assertIn("tensor at ", self.browser.find("#timeline [aria-live]").text)
                before = lane.size["width"]
                self.choose("#timeline .controls label:nth-child(2) select", "16")
                self.assertAlmostEqual(self.browser.find("#timeline [data-lane=tensor]").size["width"], 16 * before, delta=16)
                self.check_page()

    def test_every_series_is_saved_as_csv(self):
        for name in RUNS:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.browser.open(self.page(name))
                detail, summary = self.detail(name), self.summary(name)
                files = {button.get_attribute("data-download"): button for button in self.browser.all("[data-download]")}
                tables = {file: list(csv.reader(io.StringIO(self.browser.saved(button, folder, f"{file}.csv"))))
                          for file, button in files.items()}
                self.check_page()
                for file, (heads, *rows) in tables.items():
                    self.assertTrue(rows, file)
                    self.assertEqual({len(row) for row in rows}, {len(heads)}, file)
                busy = tables["engines_over_time"]
                for kind, series in detail["engines"]["series"].items():
                    column = busy[0].index(f"{kind}_mean_percent")
                    shown = [float(row[column]) for row in busy[1:]]
                    self.assertEqual(shown, series["mean"] + [0] * (len(shown) - len(series["mean"])))
                self.assertEqual(tables["hbm_over_time"][0][1:], [stack["name"] for stack in detail["hbm"]["stacks"]])
                self.assertEqual(len(tables["critical_path"]) - 1, len(summary["critical_path"]["rows"]))
                self.assertEqual({row[0] for row in tables["timeline"][1:]},
                                 {core["name"] for core in detail["timeline"]["cores"] if core["lanes"]})
                if summary["links"]["bytes"] > 0:
                    traffic = sum(int(row[2]) for row in tables["traffic"][1:])
                    self.assertEqual(traffic, summary["links"]["traffic"]["bytes"])

    def test_stall_reasons_say_what_they_are_called_elsewhere_and_what_shortens_them(self):
        self.browser.open(self.page("chip"), 390)
        for summary in self.browser.all("#stalls summary"):
            self.browser.click(summary)
        rows = {row.text.split("\n")[0]: row.text for row in self.browser.all('#stalls [aria-label="stall reasons"] tbody tr')}
        text = next(text for text in rows.values() if text.startswith("wait dma"))
        self.assertIn("evt_wait_time_ns", text)
        self.assertIn("prefetch", text)
        self.check_page()

    def test_kinds_of_engines_have_lanes_of_their_own(self):
        self.browser.open(self.page("chip"))
        series = self.detail("chip")["engines"]["series"]
        self.assertEqual(len(self.browser.all("#stalls .lane canvas")), sum(any(one["mean"]) for one in series.values()))

    def test_the_page_names_the_bottleneck_that_was_measured(self):
        self.browser.open(self.page("explained"))
        measured = json.loads((self.root / "explained/explain.json").read_text(encoding="utf-8"))
        text = f"{measured['bottleneck']['shorter_percent']:.1f} % shorter if {measured['bottleneck']['resource']} is ideal"
        self.assertIn(text, self.browser.find("[data-answer=explained]").text)
        for region in measured["regions"]:
            name = region["bottleneck"]["resource"] or "no single resource"
            self.assertTrue(any(region["name"] in row.text and name in row.text for row in self.browser.all("#roofline tbody tr")), region)
        self.check_page()

    def test_a_sweep_begins_with_the_front_that_was_asked_for(self):
        self.browser.open(self.page("sweep"))
        chosen = [self.browser.run("return arguments[0].value", select) for select in self.browser.all("#pareto select")]
        self.assertEqual(chosen, ["mfu_estimated_percent", "hbm_read_bytes"])
        self.assertIn("higher mfu_estimated_percent and lower hbm_read_bytes are better", self.browser.find("#pareto").text)
        self.check_page()

    def test_a_step_is_drawn_with_every_pass_of_every_stage(self):
        self.browser.open(self.page("training"))
        spans = list(csv.DictReader(io.StringIO((self.root / "training/spans.csv").read_text(encoding="utf-8"))))
        self.assertEqual(len(self.browser.all("#timeline rect")), len(spans))
        self.assertEqual(self.browser.find("#answer").text, self.summary("training")["answer"])
        self.check_page()

    def test_it_prints_with_every_chart(self):
        self.browser.open(self.page("main"), dark=True)
        self.assertGreater(len(self.browser.printed()), 50_000)
        self.check_page()

    def test_a_sweep_leads_to_its_points(self):
        self.browser.open(self.page("sweep"))
        for part in ("pareto", "sensitivity", "points"):
            for select in range(len(self.browser.all(f"#{part} select"))):
                for option in (1, 2):
                    self.browser.run("const s = document.querySelectorAll(arguments[0])[arguments[1]];"
                                     "s.selectedIndex = arguments[2]; s.dispatchEvent(new Event('change'))",
                                     f"#{part} select", select, option)
                    self.check_page()
        self.browser.click_bar(self.browser.find("#sensitivity canvas"), 1)
        self.check_page()
        link = self.browser.find("#points tbody a")
        self.assertEqual(len(self.browser.all("#points tbody tr")), 24)
        self.browser.run("arguments[0].click()", link)
        self.browser.settle()
        self.check_page()
        self.assertTrue(self.browser.find("[data-answer=time]").text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the tahoma to test")
    parser.add_argument("--pictures", default="", help="folder for a picture of every page")
    known, rest = parser.parse_known_args()
    options.binary, options.pictures = known.binary, known.pictures
    if options.pictures:
        pathlib.Path(options.pictures).mkdir(parents=True, exist_ok=True)
    unittest.main(argv=[sys.argv[0], *rest])
