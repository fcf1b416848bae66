# SPDX-License-Identifier: BSD-3-Clause
"""Makes the module's wheel for pip: the build backend that pyproject.toml names (PEP 517, PEP 660).

The module has nothing to build, so a wheel is its files and three lists. This needs Python alone:
`pip install .` works without a network, and leaves nothing in the source folder."""
import base64
import hashlib
import pathlib
import re
import tarfile
import zipfile
from typing import Optional

SOURCE = pathlib.Path(__file__).resolve().parent
ROOT = SOURCE.parent
VERSION = re.findall(r'__version__ = "(.*)"', (SOURCE / "berth/_version.py").read_text())[0]
NAME = f"berth-{VERSION}"
TAG = "py3-none-any"
METADATA = f"""Metadata-Version: 2.1
Name: berth
Version: {VERSION}
Summary: Which MPI rank runs on which core, what that costs, and why
License: BSD-3-Clause
Requires-Python: >=3.9
Provides-Extra: all
Requires-Dist: numpy; extra == "all"
Requires-Dist: pandas; extra == "all"
Requires-Dist: matplotlib; extra == "all"
Description-Content-Type: text/markdown

{(SOURCE / "README.md").read_text()}"""


def _module() -> "dict[str, bytes]":
    files = [*sorted((SOURCE / "berth").glob("*.py")), SOURCE / "berth/py.typed"]
    return {f"berth/{path.name}": path.read_bytes() for path in files}


def _wheel(folder: str, files: "dict[str, bytes]") -> str:
    """Writes a wheel of these files, and returns its name."""
    about = f"{NAME}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: berth\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    files = {**files, f"{about}/METADATA": METADATA.encode(), f"{about}/WHEEL": wheel.encode()}
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    record.append(f"{about}/RECORD,,\n")
    files[f"{about}/RECORD"] = "\n".join(record).encode()
    with zipfile.ZipFile(pathlib.Path(folder) / f"{NAME}-{TAG}.whl", "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)  # without the time: equal sources give equal bytes
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return f"{NAME}-{TAG}.whl"


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(
    wheel_directory: str,
    config_settings: "Optional[dict[str, str]]" = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """For `pip install .`"""
    return _wheel(wheel_directory, _module())


def build_editable(
    wheel_directory: str,
    config_settings: "Optional[dict[str, str]]" = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """For `pip install -e .`: the module stays here."""
    return _wheel(wheel_directory, {"berth.pth": f"{SOURCE}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: "Optional[dict[str, str]]" = None) -> str:
    """An archive of what a wheel is made of."""
    names = ["pyproject.toml", "python/README.md", "python/berth_wheel.py"]
    names += [f"python/{name}" for name in _module()]
    with tarfile.open(pathlib.Path(sdist_directory) / f"{NAME}.tar.gz", "w:gz") as archive:
        for name in names:
            archive.add(ROOT / name, f"{NAME}/{name}")
    return f"{NAME}.tar.gz"
