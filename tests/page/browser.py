# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that checks a page."""

import base64
import pathlib

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.wait import WebDriverWait

UNDRAWN = "return [...document.querySelectorAll('canvas')].filter(c => !Chart.getChart(c)).length"
SIZE = "return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
MOST_PICTURE = 12000  # pixels of height


class Browser:
    def __init__(self):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        # No sandbox: tests may run as root. No GPU, and no shared memory, which containers are short of.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    def close(self):
        self.driver.quit()

    def open(self, file, width=1400, dark=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.get(pathlib.Path(file).resolve().as_uri())
        self.settle()

    def settle(self):
        """Waits until every chart is drawn; the browser draws charts out of view when it has time."""
        WebDriverWait(self.driver, 60).until(lambda driver: driver.execute_script(UNDRAWN) == 0)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def click(self, element):
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        self.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", element)

    def saved(self, element, folder, name):
        """Clicks a download, and returns the text of the file."""
        self.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
        file = pathlib.Path(folder) / name
        self.click(element)
        WebDriverWait(self.driver, 60).until(lambda driver: file.exists() and file.stat().st_size > 0)
        return file.read_text(encoding="utf-8")

    def point_at(self, element, share):
        """Moves the pointer over an element, to a share of its width."""
        self.run("""const box = arguments[0].getBoundingClientRect();
            arguments[0].dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + arguments[1] * box.width, clientY: box.top + 5, bubbles: true}))""",
                 element, share)

    def click_bar(self, canvas, index):
        """Clicks the bar with this number in a chart."""
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", canvas)
        x, y = self.run("""const chart = Chart.getChart(arguments[0]), sets = chart.data.datasets.length;
            const bar = [...Array(sets).keys()].map(n => chart.getDatasetMeta(n).data[arguments[1]])
                .find(b => Math.abs(b.base - b.y) > 3 || Math.abs(b.base - b.x) > 3);
            const at = bar.getCenterPoint(), box = arguments[0].getBoundingClientRect();
            return [Math.round(at.x - box.width / 2), Math.round(at.y - box.height / 2)]""", canvas, index)
        ActionChains(self.driver).move_to_element_with_offset(canvas, x, y).click().perform()

    def troubles(self):
        """Returns the visible faults of the page."""
        found = [f"console: {entry['message']}" for entry in self.driver.get_log("browser")]
        width = self.run("return document.documentElement.clientWidth")
        if self.run(SIZE)[0] > width:
            found.append(f"the page is {self.run(SIZE)[0]} pixels wide on a screen of {width}")
        for canvas in self.all("canvas"):
            box = canvas.size
            if box["width"] < 80 or box["height"] < 60:
                found.append(f"a chart is {box['width']} x {box['height']}: {canvas.get_attribute('aria-label')}")
        text = self.find("body").text
        found += [f"the text says '{word}'" for word in ("undefined", "NaN", "[object", "Infinity") if word in text]
        return found

    def picture(self, file):
        width, height = self.run(SIZE)
        answer = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": width, "height": min(height, MOST_PICTURE), "scale": 1}})
        pathlib.Path(file).write_bytes(base64.b64decode(answer["data"]))

    def printed(self):
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"])
