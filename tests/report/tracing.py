#!/usr/bin/python3
"""Gives a timeline to the reader of trace events in Chromium's developer tools: every name and slice arrives there.

chrome://tracing would be the page for it, but Debian's Chromium is built without; the developer tools are in all of them.

    tests/report/tracing.py PATH-OF-heddle

Exits with 77 (skipped) where Chromium is not installed.
"""
import json
import os
import subprocess
import sys
import tempfile

from browser import Browser, check, find

READ = """(async () => {
  const tools = await import('devtools://devtools/bundled/models/trace/trace.js');
  const model = tools.TraceModel.Model.createWithAllHandlers();
  await model.parse(JSON.parse(%s).traceEvents, { metadata: {}, isFreshRecording: false });
  const trace = model.parsedTrace(0);
  const data = trace.data || trace;
  const threads = [...data.Renderer.processes.values()].flatMap((process) => [...process.threads.values()]);
  return {
    isGeneric: data.Meta.traceIsGeneric,
    processes: [...data.Meta.processNames.values()].map((event) => event.args.name),
    tracks: threads.map((thread) => thread.name),
    slices: threads.reduce((sum, thread) => sum + thread.entries.length, 0),
  };
})()"""


def main():
    heddle = os.path.abspath(sys.argv[1])
    program = find()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        subprocess.run([heddle, "run", "bfs", "reduction", "--size", "tiny", "--no-db", "--timeline", trace], check=True,
                       stdout=subprocess.DEVNULL, cwd=folder)
        with open(trace, encoding="ascii") as read:
            text = read.read()
        events = json.loads(text)["traceEvents"]
        slices = [event for event in events if event["ph"] == "X"]
        browser = Browser(program, folder)
        try:
            session = browser.open("devtools://devtools/bundled/devtools_app.html")
            found = browser.evaluate(session, READ % json.dumps(text))
            check(found["isGeneric"], "the trace is taken for one of a web page")
            check(found["slices"] == len(slices), f"{found['slices']} slices arrive, {len(slices)} were written")
            for name in ("GPU", "SM 0", "bfs", "reduction"):
                check(name in found["processes"], f"no process {name}: {found['processes']}")
            for name in ("stream 0", "block slot 0"):
                check(name in found["tracks"], f"no track {name}: {found['tracks']}")
            print(f"  {found['slices']} slices on {len(found['tracks'])} tracks of {len(found['processes'])} processes")
        finally:
            browser.process.kill()
            browser.process.wait()
    print("PASSED")


main()
