# %% Two applications on one GPU: what sharing costs each of them.
# Run with the folder of the module on the path: PYTHONPATH=build/release/python python3 examples/two_applications.py
import os
import tempfile

import heddle

with tempfile.TemporaryDirectory() as folder:
    db = os.path.join(folder, "results.db")
    for sharing in ("spatial", "smk", "temporal"):
        result = heddle.mix("sgemm", "histogram", size="tiny", sharing=sharing, db=db)
        slowdowns = [f"{one['name']} {one['ipc_alone'] / one['ipc_shared']:.2f}" for one in result["applications"]]
        print(f"{sharing:<10} weighted speedup {result['weighted_speedup']:.3f}, slowdowns {', '.join(slowdowns)}")

    # %% A primary with a target, and a secondary that takes what is left
    result = heddle.mix("sgemm", "histogram", size="tiny", gpu="scavenger-2018", sharing="scavenger", target=90, db=db)
    print(f"target 90 %, primary {100 * result['primary']:.1f} %, secondary {100 * result['secondary']:.1f} %")
