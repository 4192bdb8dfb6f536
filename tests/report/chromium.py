#!/usr/bin/python3
"""Opens reports in headless Chromium: they render, the console stays clean, hovering shows values, tables sort.

    tests/report/chromium.py PATH-OF-heddle [FOLDER-FOR-SCREENSHOTS]

Exits with 77 (skipped) where Chromium is not installed.
"""
import base64
import os
import subprocess
import sys
import tempfile

from browser import Browser, check, find


SAVE = """(async () => {
  const saved = {};
  let blob = null;
  URL.createObjectURL = (made) => { blob = made; return '#'; };
  HTMLAnchorElement.prototype.click = function () { saved.name = this.download; };
  for (const button of document.querySelectorAll('.downloads button')) {
    if (saved[button.textContent]) continue;
    button.click();
    saved[button.textContent] = await blob.text();
  }
  return saved;
})()"""


def check_saving(browser, session, name):
    """The buttons below charts and tables give files: a drawing twice, and its values."""
    saved = browser.evaluate(session, SAVE)
    check(saved.get("SVG", "").startswith("<svg "), f"{name}: no SVG is saved")
    check(saved.get("PDF", "").startswith("%PDF-1.4"), f"{name}: no PDF is saved")
    check("," in saved.get("CSV", "").split("\n")[0], f"{name}: no CSV is saved")
    check(saved["name"].endswith((".svg", ".pdf", ".csv")), f"{name}: a file called {saved['name']} is saved")


def check_page(browser, page, shots, charts, rows):
    session = browser.open("file://" + os.path.abspath(page))
    name = os.path.splitext(os.path.basename(page))[0]
    found = browser.evaluate(session, "document.querySelectorAll('canvas').length")
    check(found >= charts, f"{name}: {found} charts, expected {charts}")
    found = browser.evaluate(session, "document.querySelectorAll('tbody tr').length")
    check(found >= rows, f"{name}: {found} table rows, expected {rows}")
    # Nothing is drawn if every pixel of a canvas is alike.
    drawn = browser.evaluate(session, """[...document.querySelectorAll('canvas')].every((c) => {
      const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
      return colours.size > 3; })""")
    check(drawn, f"{name}: a chart is empty")
    if charts:
        place = browser.evaluate(session, """(() => { const c = document.querySelector('canvas'); c.scrollIntoView();
          const chart = Chart.getChart(c); const bar = chart.getDatasetMeta(0).data[0];
          const box = c.getBoundingClientRect(); return [box.left + bar.x, box.top + bar.y + 4]; })()""")
        browser.call("Input.dispatchMouseEvent", session, type="mouseMoved", x=place[0], y=place[1])
        shown = browser.evaluate(session, """new Promise((done) => setTimeout(() => {
          const tip = Chart.getChart(document.querySelector('canvas')).tooltip;
          done([tip.opacity, tip.body.map((b) => b.lines.join()).join()]); }, 100))""")
        check(shown[0] > 0 and any(c.isdigit() for c in shown[1]), f"{name}: hovering shows no value: {shown}")
        print(f"  hovering over the first bar of {name} shows: {shown[1][:100]}")
        check_saving(browser, session, name)
    order = browser.evaluate(session, """(() => { const head = document.querySelector('th:last-child');
      const cells = () => [...head.closest('table').querySelectorAll('td:last-child')].map((c) => c.textContent);
      head.click(); const up = cells(); head.click(); return [up, cells()]; })()""")
    check(sorted(order[0]) == sorted(order[1]), f"{name}: sorting loses rows")
    check(len(set(order[0])) < 2 or order[0] != order[1], f"{name}: sorting the other way changes nothing")
    if shots:
        height = browser.evaluate(session, "document.documentElement.scrollHeight")
        image = browser.call("Page.captureScreenshot", session, captureBeyondViewport=True,
                             clip={"x": 0, "y": 0, "width": 1200, "height": min(height, 4000), "scale": 1})
        with open(os.path.join(shots, name + ".png"), "wb") as out:
            out.write(base64.b64decode(image["data"]))
    check(not browser.console, f"{name}: the console says {browser.console}")
    print(f"  {name}: fine")


def main():
    heddle = os.path.abspath(sys.argv[1])
    shots = sys.argv[2] if len(sys.argv) > 2 else None
    program = find()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HEDDLE_DB=os.path.join(folder, "results.db"))

        def run(*arguments):
            subprocess.run([heddle, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL, cwd=folder)

        with open(os.path.join(folder, "l1.toml"), "w", encoding="utf-8") as out:
            out.write('description = "L1 sizes"\nworkloads = ["bfs", "reduction", "histogram"]\nsizes = "tiny"\n'
                      "[parameters]\nsm.l1.kib = [16, 48]\nsm.schedulers = [1, 2]\n")
        run("sweep", "l1.toml")
        run("report", "1", "-o", "run.html")
        run("report", "1", "2", "3", "-o", "comparison.html")
        run("report", "--sweep", "l1.toml", "-o", "sweep.html")
        run("reproduce", "power/figure4", "--no-run")
        run("report", "--experiment", "power/figure4", "-o", "experiment.html")
        browser = Browser(program, folder)
        try:
            check_page(browser, os.path.join(folder, "run.html"), shots, 3, 10)
            check_page(browser, os.path.join(folder, "comparison.html"), shots, 2, 4)
            check_page(browser, os.path.join(folder, "sweep.html"), shots, 1, 12)
            check_page(browser, os.path.join(folder, "experiment.html"), shots, 0, 1)
        finally:
            browser.process.kill()
            browser.process.wait()
    print("PASSED")


main()
