"""Headless Chromium, driven over a pipe; uses no network."""
import json
import os
import shutil
import subprocess
import sys


class Browser:
    def __init__(self, program, folder):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def wire():  # Chromium reads commands from 3 and writes answers to 4
            high_read, high_write = os.dup(to_read), os.dup(from_write)
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", "--no-first-run", f"--user-data-dir={folder}/profile",
             "--window-size=1200,900", "about:blank"],
            close_fds=False, preexec_fn=wire, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.out = os.fdopen(to_write, "wb", 0)
        self.incoming = os.fdopen(from_read, "rb", 0)
        self.rest = b""
        self.number = 0
        self.console = []
        self.events = []

    def receive(self):
        while b"\0" not in self.rest:
            got = self.incoming.read(65536)
            if not got:
                raise RuntimeError("Chromium ended")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        self.out.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        name = message.get("method")
        if name == "Runtime.exceptionThrown":
            self.console.append(message["params"]["exceptionDetails"]["text"])
        if name == "Runtime.consoleAPICalled" and message["params"]["type"] in ("error", "warning"):
            self.console.append(str(message["params"]["args"]))
        if name == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.console.append(message["params"]["entry"]["text"])
        self.events.append(name)

    def open(self, address):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable", session)
        self.events.clear()
        self.call("Page.navigate", session, url=address)
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive())
        return session

    def evaluate(self, session, text):
        result = self.call("Runtime.evaluate", session, expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")


def find():
    """Chromium's program; ends the test as skipped (77) where there is none."""
    program = shutil.which("chromium")
    if program is None:
        print("SKIPPED: chromium is not installed")
        sys.exit(77)
    return program


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")
