# %% A sweep: how much L1 does each workload want?
# Run with the folder of the module on the path: PYTHONPATH=build/release/python python3 examples/l1_size.py
import os
import tempfile

import heddle

database = os.path.join(tempfile.mkdtemp(), "results.db")
sizes = [16, 32, 64]
done = heddle.sweep(workloads=["bfs", "spmv"], sizes=["tiny"], parameters={"sm.l1.kib": sizes}, jobs=2, db=database)
print(f"{done['passed']} of {done['runs']} runs passed")

# %% Cycles relative to the smallest L1
rows = heddle.query("status=passed", columns=["workload", "sm.l1.kib", "cycles"], db=database)
cycles = {(row["workload"], int(row["sm.l1.kib"])): row["cycles"] for row in rows}
print("workload  " + "".join(f"{kib:>8} KiB" for kib in sizes))
for workload in ("bfs", "spmv"):
    print(f"{workload:<10}" + "".join(f"{cycles[workload, kib] / cycles[workload, sizes[0]]:12.3f}" for kib in sizes))
