#!/usr/bin/python3
"""Opens a timeline in Chromium's tracing page: it is imported without a complaint, and the page shows its tracks.

    tests/report/tracing.py PATH-OF-heddle [FOLDER-FOR-SCREENSHOTS]

Exits with 77 (skipped) where Chromium is not installed.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

from browser import Browser, check, find

# What the page does with a file that the user loads, without the dialogue to choose one.
LOAD = """new Promise((done) => {
  const view = document.querySelector('tr-ui-timeline-view');
  const model = new tr.Model();
  const importer = new tr.importer.Import(model, new tr.importer.ImportOptions());
  importer.importTracesWithProgressDialog([%s]).then(() => {
    view.model = model;
    const tracks = Object.values(model.processes);
    setTimeout(() => done({
      warnings: model.importWarnings.map((w) => w.message),
      processes: tracks.map((p) => p.userFriendlyName),
      slices: tracks.reduce((n, p) => n + Object.values(p.threads).reduce((m, t) => m + t.sliceGroup.length, 0), 0),
      counters: tracks.reduce((n, p) => n + Object.values(p.counters).length, 0),
      begin: model.bounds.min, end: model.bounds.max}), 500);
  }, (error) => done({warnings: ['' + error]}));
})"""


def main():
    heddle = os.path.abspath(sys.argv[1])
    shots = sys.argv[2] if len(sys.argv) > 2 else None
    program = find()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        subprocess.run([heddle, "run", "bfs", "reduction", "--size", "tiny", "--no-db", "--timeline", trace], check=True,
                       stdout=subprocess.DEVNULL, cwd=folder)
        with open(trace, encoding="ascii") as read:
            text = read.read()
        events = json.loads(text)["traceEvents"]
        browser = Browser(program, folder)
        try:
            session = browser.open("chrome://tracing/")
            found = browser.evaluate(session, LOAD % json.dumps(text))
            check(not found["warnings"], f"the tracing page complains: {found['warnings'][:5]}")
            slices = sum(event["ph"] == "X" for event in events)
            check(found["slices"] == slices, f"{found['slices']} slices are shown, {slices} written")
            for name in ("GPU", "SM 0", "bfs", "reduction"):
                check(any(name in process for process in found["processes"]), f"no process {name}: {found['processes']}")
            check(found["counters"] >= 3, f"{found['counters']} counters are shown")
            print(f"  {found['slices']} slices and {found['counters']} counters in {len(found['processes'])} processes, "
                  f"from {found['begin']} to {found['end']} ms")
            if shots:
                image = browser.call("Page.captureScreenshot", session)
                with open(os.path.join(shots, "tracing.png"), "wb") as out:
                    out.write(base64.b64decode(image["data"]))
        finally:
            browser.process.kill()
            browser.process.wait()
    print("PASSED")


main()
