"""Compiled programs from Python, and the types of what comes back.

    programs.py PROGRAM
"""
import os
import sys
import tempfile

import heddle

toy = sys.argv[1]
database = os.path.join(tempfile.mkdtemp(), "results.db")


def refused(text, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except heddle.HeddleError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"{arguments} was not refused")


# A program runs, and the same run is not made twice.
result = heddle.exec(toy, "scale", 5000, gpu="fermi-gtx480", db=database)
assert isinstance(result, heddle.Run) and result.status == "passed" and result["status"] == "passed"
assert isinstance(result.cycles, int) and result.cycles > 0
assert [kernel.name for kernel in result.kernels] == ["scale(float*, int)"]
assert isinstance(result.kernels[0].statistics["gpu.sm.instructions"], int)
assert heddle.exec(toy, "scale", 5000, gpu="fermi-gtx480", db=database).run == result.run
assert heddle.exec(toy, "scale", 5000, gpu="fermi-gtx480", db="none").cycles == result.cycles
refused("exit status 3", heddle.exec, toy, "exit", 3, db=database)
refused("there is no such file", heddle.exec, "./nowhere", db=database)
timed = heddle.exec(toy, "three", gpu="fermi-gtx480", kernels="spin", db=database)
assert [kernel.cycles > 0 for kernel in timed.kernels] == [False, True, False]

# Checks: what is found has types, is kept, and is looked for even if the run has passed before.
assert heddle.exec(toy, "past", functional=True, db=database).findings == []
for where in (database, "none"):
    checked = heddle.exec(toy, "past", functional=True, check="memory", db=where)
    finding, other = checked.findings
    assert isinstance(finding, heddle.Finding) and finding.kind == "outside every allocation", finding
    assert finding.kernel == "scale(float*, int)" and "toy.cu:12" in finding.place and finding.times > 0, finding
    assert str(other).startswith("outside every allocation: write of 4 bytes"), other
    assert str(finding).startswith("outside every allocation: read of 4 bytes"), finding
    assert checked.status == "wrong" and checked.cycles is None and (checked.run == 0) == (where == "none"), checked
assert heddle.exec(toy, "scale", 5000, functional=True, check="all", db="none").status == "passed"
assert len(heddle.query("size=past", "status=wrong", db=database)) == 1
refused("did you mean 'memory'?", heddle.exec, toy, "past", check="memroy", db=database)
refused("exit status 3", heddle.exec, toy, "exit", 3, check="memory", db=database)

# A sweep over programs.
done = heddle.sweep(programs=[f"{toy} scale {{size}}"], sizes=[1000, 5000], jobs=2, db=database)
assert (done.runs, done.passed, done.failed) == (2, 1, 0), done  # the larger was run above

# Names and types are the same wherever figures come from.
row = heddle.query("size=scale 5000", db=database,
                   columns=["workload", "cycles", "ipc", "sm.l1.kib", "check_lines", "link.efficiency", "gpu.sm.l1_reads"])[0]
assert [type(value) for value in row.values()] == [str, int, float, int, bool, float, int], row
assert row["cycles"] == result.cycles and row["gpu.sm.l1_reads"] == result.statistics["gpu.sm.l1_reads"]
run = heddle.run("vectoradd", size="tiny", db="none")
assert isinstance(run.statistics["gpu.cycles"], int) and isinstance(run.statistics["energy.total"], float)
assert set(run.kernels[0].statistics) == {name for name in run.statistics if name.startswith("gpu.")}
mix = heddle.mix(f"{toy} scale 20000", "histogram", size="tiny", db=database)
assert isinstance(mix, heddle.Mix) and mix.applications[0].name == "toy" and mix.weighted_speedup > 0
print("all as it should be")
