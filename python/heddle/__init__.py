"""Heddle from Python: run workloads on simulated GPUs, sweep, and ask the results database.

    import heddle
    result = heddle.run("bfs", size="tiny", gpu="fermi-gtx480", parameters={"sm.l1.kib": 48})
    print(result["cycles"], result["statistics"]["gpu.sm.l1_hits"])
"""
import os as _os
import sys as _sys

# The presets lie beside the module's build tree or below the installation's prefix.
if "HEDDLE_PRESETS" not in _os.environ:
    _folder = _os.path.dirname(_os.path.abspath(__file__))
    while True:
        for _candidate in (_os.path.join(_folder, "presets"), _os.path.join(_folder, "share", "heddle", "presets")):
            if _os.path.isdir(_os.path.join(_candidate, "gpus")):
                _os.environ["HEDDLE_PRESETS"] = _candidate
        _above = _os.path.dirname(_folder)
        if "HEDDLE_PRESETS" in _os.environ or _above == _folder:
            break
        _folder = _above

from . import _heddle
from ._heddle import HeddleError, version

__all__ = ["HeddleError", "mix", "query", "run", "sweep", "table", "version"]


def _text(value):
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def run(workload, size="small", seed=1, gpu="fermi-gtx480", design="", parameters=None, threads=1, functional=False,
        db=""):
    """Runs a workload, or several together ("bfs+gups:tiny:7"), and records it.

    Returns a dict: status, cycles, statistics, kernels, applications (if several) and more.

    `db` names the results database; "" is the user's own, "none" records nothing.
    """
    changes = [f"{path}={_text(value)}" for path, value in (parameters or {}).items()]
    return _heddle.run(workload, str(size), seed, gpu, design, changes, threads, functional, db)


def mix(*workloads, size="small", seed=1, gpu="fermi-gtx480", design="", parameters=None, sharing="spatial", target=0,
        split="even", alone="", window=0, jobs=None, db=""):
    """Runs applications that share the GPU, and each of them alone: what sharing costs.

    `sharing` is a policy (sharing.policy); "scavenger" takes a `target` for the first, in percent of its speed alone.
    `split` is of "spatial". Returns a dict: applications, weighted_speedup, max_slowdown, throughput and, of two,
    primary, secondary, total, revenue and more; statistics are those of the run together.
    """
    changes = [f"{path}={_text(value)}" for path, value in (parameters or {}).items()]
    if window:
        changes.append(f"sharing.window={window}")
    _sys.stdout.flush()
    return _heddle.mix("+".join(workloads), str(size), seed, gpu, design, changes, sharing, float(target), split, alone,
                       jobs or _os.cpu_count() or 1, db)


def _toml(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return _text(value)


def sweep(file=None, jobs=None, db="", **axes):
    """Runs what a sweep spans and the database does not hold yet, `jobs` at a time.

    Either the path of a sweep file, or its keys as arguments:
    sweep(workloads=["bfs"], sizes=["tiny"], parameters={"sm.l1.kib": [16, 48]}).
    """
    if file is not None:
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
    else:
        parameters = axes.pop("parameters", {})
        text = "".join(f"{key} = {_toml(value)}\n" for key, value in axes.items())
        text += "[parameters]\n" + "".join(f'"{path}" = {_toml(value)}\n' for path, value in parameters.items())
    _sys.stdout.flush()
    return _heddle.sweep(text, file or "sweep", jobs or _os.cpu_count() or 1, db)


def query(*conditions, columns=(), db=""):
    """The runs that meet all conditions ("workload=bfs", "cycles>1000"), as a list of dicts."""
    return _heddle.query(list(conditions), list(columns), db)


def table(*conditions, columns=(), db=""):
    """The same as a pandas data frame."""
    try:
        import pandas
    except ImportError as missing:
        raise HeddleError("heddle.table needs pandas (Debian: python3-pandas); heddle.query does not") from missing
    return pandas.DataFrame(query(*conditions, columns=columns, db=db))
