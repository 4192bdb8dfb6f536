#!/usr/bin/python3
"""Runs every heddle command that README.md and the pages in docs/ show in blocks of code.

    tests/docs/run_commands.py PATH-OF-heddle [PART-OF-A-COMMAND]

HEDDLE_DOCS_TIMES=1 prints how long each takes. Sizes are made tiny, so that all of them take seconds. tests/docs/exceptions.txt names commands that cannot run here or
that run otherwise, each with the reason; one that no page shows any more is an error.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds for one command
ROOT = pathlib.Path(__file__).resolve().parents[2]
SWEEP = 'workloads = ["bfs", "spmv"]\nsizes = "tiny"\nseeds = [1, 2]\n[parameters]\nsm.l1.kib = [16, 48]\n'
SEEDS = 'workloads = ["vectoradd"]\nsizes = "tiny"\nseeds = [%s]\n' % ", ".join(str(s) for s in range(1, 21))


def commands_of(page):
    """The commands in blocks of code, each with its line."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
            continue
        text = line.strip() if fenced or line.startswith("    heddle ") else ""
        text = re.sub(r"^\$ ", "", text)
        if not re.match(r"(\./)?heddle [a-z]", text):
            continue
        yield number, re.sub(r"\s+#\s.*$", "", text).replace("./heddle", "heddle")


def exceptions():
    found = {}
    for line in (ROOT / "tests/docs/exceptions.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            command, what = line.split(" => ")
            found[command.strip()] = what.strip()
    return found


def run(heddle, command, folder):
    line = re.sub(r"\bheddle (?=[a-z])", lambda _: shlex.quote(heddle) + " ", command)
    line = re.sub(r"--size (small|medium|paper)", "--size tiny", line)
    environment = dict(os.environ, HEDDLE_DB=os.path.join(folder, "results.db"))
    return subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)


def prepare(heddle, folder):
    for name in ("tests", "examples", "docs", "build"):
        if (ROOT / name).exists():
            os.symlink(ROOT / name, os.path.join(folder, name))
    # In the place of what a reader compiles with nvcc: a program that the tests build (tests/programs/toy.cpp).
    toy = pathlib.Path(heddle).resolve().parents[1] / "tests" / "programs" / "toy"
    for name in ("saxpy", "app"):
        if toy.exists():
            shutil.copy(toy, os.path.join(folder, name))
    for name, text in (("l1.toml", SWEEP), ("seeds.toml", SEEDS)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    wrong = next(block for block in re.findall(r"```\n(.*?)```", readme, re.S) if block.startswith(".version"))
    with open(os.path.join(folder, "scale.ptx"), "w", encoding="utf-8") as out:
        out.write(wrong)
    for command in ("heddle sweep seeds.toml", "heddle sweep l1.toml", "heddle plot --sweep l1.toml -o l1",
                    "heddle run vectoradd --size tiny --db other.db",
                    "heddle reproduce power/figure6 --size tiny > /dev/null"):
        done = run(heddle, command, folder)
        if done.returncode != 0:
            sys.exit(f"FAILED to prepare: {command}\n{done.stdout}{done.stderr}")


def main():
    heddle = os.path.abspath(sys.argv[1])
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    special = exceptions()
    unused = set(special)
    failed = []
    count = 0
    with tempfile.TemporaryDirectory(prefix="heddle-docs-") as folder:
        prepare(heddle, folder)
        seen = set()
        planned = []
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for number, command in commands_of(page):
                unused.discard(command)
                if command in seen or only not in command:
                    continue
                seen.add(command)
                planned.append((f"{page.relative_to(ROOT)}:{number}", command))

        def attempt(place, command):
            what = special.get(command, "")
            if what.startswith("skip: "):
                return f"  {place}: {command}: left out, {what[6:]}", False
            status = 0
            shown = command
            if what.startswith("status "):
                status = int(what.split()[1].rstrip(":"))
            elif what.startswith("run: "):
                shown = what[5:]
            begin = time.monotonic()
            try:
                done = run(heddle, shown, folder)
            except subprocess.TimeoutExpired:
                return f"FAILED {place}: {shown}: takes more than {LIMIT} seconds", True
            if os.environ.get("HEDDLE_DOCS_TIMES"):
                print(f"{time.monotonic() - begin:6.1f} s  {shown}", flush=True)
            if done.returncode != status:
                return f"FAILED {place}: {shown}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}", True
            return "", False

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for message, bad in pool.map(lambda one: attempt(*one), planned):
                count += 1
                if message:
                    print(message)
                if bad:
                    failed.append(message)
    for command in sorted(unused):
        failed.append(command)
        print(f"FAILED: tests/docs/exceptions.txt names a command that no page shows: {command}")
    print(f"{count} commands, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
