# %% One run: what came out, and where the time went.
# Run with the folder of the module on the path: PYTHONPATH=build/release/python python3 examples/first_run.py
import heddle

result = heddle.run("bfs", size="tiny", db="none")
print(f"bfs on fermi-gtx480: {result['status']}, {result['cycles']:,} cycles, {len(result['kernels'])} launches")

# %% Where the issue slots went
slots = {name.removeprefix("gpu.sm.slot_"): value
         for name, value in result["statistics"].items() if name.startswith("gpu.sm.slot_")}
total = sum(slots.values())
for name, value in sorted(slots.items(), key=lambda item: -item[1]):
    if value:
        print(f"  {name:<14} {100 * value / total:6.2f} %")
