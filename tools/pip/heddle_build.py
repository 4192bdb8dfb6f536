"""What pip calls to build Heddle (PEP 517), with nothing but CMake and Python's own library.

A wheel holds the module, the program, the libraries that compiled CUDA programs find, and the presets: what
`cmake --install` would install, in the places that pip has for it.
"""
import base64
import hashlib
import os
import pathlib
import re
import stat
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _version():
    return re.search(r"project\(heddle VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def _python_of(build):
    """The version of Python that a build tree makes the module for; empty if that is not known."""
    cache = build / "CMakeCache.txt"
    found = re.search(r"^HEDDLE_PYTHON_PROGRAM:\w+=(.+)$", cache.read_text(), re.M) if cache.exists() else None
    if found is None:
        return ""
    command = [found.group(1), "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _build():
    """A build tree with everything in it: $HEDDLE_BUILD, or that of ./heddle if its Python is this one."""
    build = pathlib.Path(os.environ.get("HEDDLE_BUILD", ROOT / "build" / "release"))
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if _python_of(build) != suffix:
        build = ROOT / "build" / ("pip" + suffix)
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DHEDDLE_UNITY=ON", "-DHEDDLE_TESTS=OFF", "-DHEDDLE_BENCH=OFF",
                   f"-DHEDDLE_PYTHON_PROGRAM={sys.executable}"]
        subprocess.run(["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(build), *options], check=True)
    jobs = os.environ.get("HEDDLE_JOBS", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", str(build), "--target", "launched", "--parallel", jobs], check=True)
    if not list((build / "python" / "heddle").glob("_heddle*.so")):
        sys.exit("heddle: the Python module was not built: pybind11-dev and python3-dev are needed (tools/setup build)")
    return build


def _place(installed, name):
    """Where in the wheel a file of the installation goes."""
    module = "lib/python3/dist-packages/"
    if installed.startswith(module):
        return installed[len(module):]
    if installed.startswith("bin/"):
        return f"{name}.data/scripts/{installed[4:]}"
    return f"{name}.data/data/{installed}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: heddle\nVersion: {_version()}\n"
            "Summary: A GPU simulator whose memory system is the point\nLicense: BSD-3-Clause\n"
            "Requires-Python: >=3.9\n")


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


class _Wheel:
    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self._record = ""

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        self._zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record += f"{name},sha256={digest},{len(data)}\n"

    def close(self, record):
        self._zip.writestr(record, self._record + f"{record},,\n")
        self._zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"heddle-{_version()}"
    file = f"{name}-{_tag()}.whl"
    build = _build()
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run(["cmake", "--install", str(build), "--strip", "--prefix", stage], check=True,
                       stdout=subprocess.DEVNULL)
        wheel = _Wheel(pathlib.Path(wheel_directory) / file)
        for path in sorted(pathlib.Path(stage).rglob("*")):
            if path.is_file():
                executable = os.access(path, os.X_OK)
                wheel.add(_place(path.relative_to(stage).as_posix(), name), path.read_bytes(), executable)
    wheel.add(f"{name}.dist-info/METADATA", _metadata().encode())
    wheel.add(f"{name}.dist-info/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode())
    wheel.close(f"{name}.dist-info/RECORD")
    return file


def build_sdist(sdist_directory, config_settings=None):
    name = f"heddle-{_version()}"
    file = f"{name}.tar.gz"
    subprocess.run(["git", "-C", str(ROOT), "archive", f"--prefix={name}/", "-o",
                    str(pathlib.Path(sdist_directory) / file), "HEAD"], check=True)
    return file
