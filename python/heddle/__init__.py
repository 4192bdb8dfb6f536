"""Heddle from Python: run workloads and compiled programs on simulated GPUs, sweep, and ask the results database.

    import heddle
    result = heddle.run("bfs", size="tiny", gpu="fermi-gtx480", parameters={"sm.l1.kib": 48})
    print(result.cycles, result.statistics["gpu.sm.l1_hits"])
    print(heddle.exec("./saxpy", 1000000, gpu="h200").cycles)
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
from .results import Application, Finding, Kernel, Mix, Run, Share, Sweep

__all__ = ["Application", "Finding", "HeddleError", "Kernel", "Mix", "Run", "Share", "Sweep", "exec", "mix", "query", "run",
           "sweep", "table", "version"]


def _text(value):
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _changes(parameters):
    return [f"{path}={_text(value)}" for path, value in (parameters or {}).items()]


def _phases(start_kernel, skip, warmup, window, kernels):
    phases = _heddle.Phases()
    phases.start_kernel = start_kernel
    phases.skip = skip
    phases.warmup = str(warmup or "")
    phases.window = str(window or "")
    phases.kernels = kernels
    return phases


def run(workload, size="small", seed=1, gpu="fermi-gtx480", design="", parameters=None, threads=0, functional=False,
        start_kernel=0, skip=0, warmup="", window="", kernels="", db="", check="") -> Run:
    """Runs a workload, or several together ("bfs+gups:tiny:7"), and records it.

    `start_kernel`, `skip`, `warmup`, `window` and `kernels` say what of it is timed, as for `heddle run`. `threads` of
    the host change no result; 0: as many as help.
    `db` names the results database; "" is the user's own, "none" records nothing. `check` looks for faults of the
    program ("memory,race,sync", or "all"): `findings` has what was found, and the run has then not passed.
    """
    phases = _phases(start_kernel, skip, warmup, window, kernels)
    return Run(_heddle.run(workload, str(size), seed, gpu, design, _changes(parameters), threads, functional, phases,
                           db, check))


def exec(program, *arguments, gpu="h200", design="", parameters=None, threads=0, functional=False, start_kernel=0,
         skip=0, warmup="", window="", kernels="", db="", check="", reads=()) -> Run:
    """Runs a compiled CUDA program as `heddle exec` does: exec("./saxpy", 1000000).

    If the database has this very run, by the bytes of the program and its arguments, that is the result; of files
    that it reads, those in `reads` count as well. A program that does not pass raises HeddleError. With `check` ("memory,race,sync", or "all") it is always run, and one in
    which faults are found does not raise: its `status` is not "passed", and `findings` has them.
    """
    phases = _phases(start_kernel, skip, warmup, window, kernels)
    words = _heddle.join_words([str(program), *(str(one) for one in arguments)])
    _sys.stdout.flush()
    return Run(_heddle.run_program(words, gpu, design, _changes(parameters), threads, functional, phases, db,
                                   check, [str(one) for one in reads]))


def mix(*workloads, size="small", seed=1, gpu="fermi-gtx480", design="", parameters=None, sharing="spatial", target=0,
        split="even", alone="", window=0, jobs=None, db="") -> Mix:
    """Runs applications that share the GPU, and each of them alone: what sharing costs.

    `sharing` is a policy (sharing.policy); "scavenger" takes a `target` for the first, in percent of its speed alone.
    `split` is of "spatial". Returns applications, weighted_speedup, max_slowdown, throughput and, of two,
    primary, secondary, total, revenue and more; statistics are those of the run together.
    """
    changes = _changes(parameters)
    if window:
        changes.append(f"sharing.window={window}")
    _sys.stdout.flush()
    return Mix(_heddle.mix("+".join(workloads), str(size), seed, gpu, design, changes, sharing, float(target), split,
                           alone, jobs or _os.cpu_count() or 1, db))


def _toml(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return _text(value)


def sweep(file=None, jobs=None, db="", **axes) -> Sweep:
    """Runs what a sweep spans and the database does not hold yet, `jobs` at a time.

    Either the path of a sweep file, or its keys as arguments:
    sweep(workloads=["bfs"], programs=["./saxpy {size}"], sizes=[1000], parameters={"sm.l1.kib": [16, 48]}).
    """
    if file is not None:
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
    else:
        parameters = axes.pop("parameters", {})
        text = "".join(f"{key} = {_toml(value)}\n" for key, value in axes.items())
        text += "[parameters]\n" + "".join(f'"{path}" = {_toml(value)}\n' for path, value in parameters.items())
    _sys.stdout.flush()
    return Sweep(_heddle.sweep(text, file or "sweep", jobs or _os.cpu_count() or 1, db))


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
