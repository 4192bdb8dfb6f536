"""What runs return: dicts whose entries are attributes, too, with their types."""
from typing import Dict, List, Optional, Union

Statistics = Dict[str, Union[int, float]]  # counters are whole numbers; names are those of `heddle stats`


class _Record(dict):
    """result["cycles"] and result.cycles are the same."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no '{name}' (there are: {', '.join(self)})") from None

    def __dir__(self):
        return [*super().__dir__(), *self]


class Kernel(_Record):
    """A launch."""
    name: str
    application: str
    stream: int
    grid: str
    block: str
    cycles: int
    warp_instructions: int
    thread_instructions: int
    host_seconds: float
    statistics: Dict[str, int]


class Application(_Record):
    """What one of several that shared the GPU did."""
    name: str
    status: str
    detail: str
    cycles: Optional[int]
    statistics: Dict[str, int]


class Finding(_Record):
    """A fault of the program that a check found; as a text it is what the command prints."""
    kind: str  # "outside every allocation", "use after free", "race in shared memory", ...
    kernel: str
    place: str  # line of the PTX, and of the source if the program was compiled with -lineinfo
    times: int  # at this place
    text: str

    def __str__(self):
        return self["text"]


class Run(_Record):
    """A run; `cycles` is None if nothing was timed, `run` is its number in the database or 0."""
    run: int
    identity: str
    status: str
    detail: str
    host_seconds: float
    cycles: Optional[int]
    warp_instructions: int
    thread_instructions: int
    statistics: Statistics
    kernels: List[Kernel]
    applications: List[Application]
    findings: List[Finding]  # of checks

    def __init__(self, entries):
        super().__init__(entries)
        self["findings"] = [Finding(one) for one in entries["findings"]]
        self["kernels"] = [Kernel(one) for one in entries["kernels"]]
        self["applications"] = [Application(one) for one in entries["applications"]]


class Share(_Record):
    """One application of a mix."""
    name: str
    sms: int
    ipc_alone: float
    ipc_shared: float


class Mix(_Record):
    """Applications that shared a GPU; figures are None where they have no meaning."""
    applications: List[Share]
    weighted_speedup: float
    max_slowdown: float
    throughput: float
    statistics: Statistics

    def __init__(self, entries):
        super().__init__(entries)
        self["applications"] = [Share(one) for one in entries["applications"]]


class Sweep(_Record):
    """What became of a sweep."""
    runs: int
    passed: int
    failed: int
    left: int
    messages: List[str]
    identities: List[str]
