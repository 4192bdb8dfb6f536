# %% Results in a data frame: hit rates and speed over seeds. Needs pandas (Debian: python3-pandas).
# Run with the folder of the module on the path: PYTHONPATH=build/release/python python3 examples/with_pandas.py
import os
import sys
import tempfile

import heddle

try:
    import pandas  # noqa: F401
except ImportError:
    sys.exit("SKIPPED: pandas is not installed")

database = os.path.join(tempfile.mkdtemp(), "results.db")
heddle.sweep(workloads=["bfs", "histogram"], sizes=["tiny"], seeds=[1, 2, 3], jobs=2, db=database)

# %% One column per figure; any expression over statistics may be one.
hit_rate = "gpu.sm.l1_hits / gpu.sm.l1_reads"
frame = heddle.table("status=passed", columns=["workload", "seed", "cycles", "ipc", hit_rate], db=database)
print(frame.groupby("workload")[["cycles", "ipc", hit_rate]].agg(["mean", "std"]).round(3).to_string())
