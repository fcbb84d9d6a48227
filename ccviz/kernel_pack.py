"""Kernels that come compiled with the wheel, for the machines that they fit.

A pack is one zip file beside this module: what numba would write into its cache, compiled for a
baseline of the processor family instead of the machine at hand, and a manifest of all that it
depends on. A pack that does not fit in every point (Python, numba, processor, sources) is not
used, and numba compiles as if there were none. `make kernels` writes the pack.
"""

from __future__ import annotations

import io
import pickle
import sys
import zipfile
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

PACKAGE = Path(__file__).parent
PACKS = PACKAGE / "packs"
"""Folder of the packs, one for each Python and system; absent where none was made."""

MANIFEST = "manifest.json"


class Manifest(msgspec.Struct, frozen=True):
    """What the kernels of a pack depend on."""

    python: str  # Tag of the interpreter's compiled files
    numba: str
    triple: str  # Processor family and system, as LLVM names them
    cpu: str  # Baseline that the kernels are compiled for, as LLVM names it
    features: str  # Those that the baseline needs, as LLVM lists them
    sources: dict[str, str]  # SHA-256 of every file with kernels, by its path in the package

    def fits(self) -> bool:
        """Whether the kernels run in this process, and are of these sources."""
        from llvmlite import binding

        has = binding.get_host_cpu_features()
        needed = [each[1:] for each in self.features.split(",") if each.startswith("+")]
        return (
            self.python == sys.implementation.cache_tag
            and self.numba == version("numba")
            and self.triple == binding.get_process_triple()
            and all(has.get(feature) for feature in needed)
            and self.sources == digests(self.sources)
        )


class Pack:
    """The kernels of a pack."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self._file = zipfile.ZipFile(io.BytesIO(path.read_bytes()))  # no file left open
        self._magic = (manifest.triple, manifest.cpu, manifest.features)

    def find(self, source: str, base: str, key: tuple[Any, ...]) -> Any:
        """Return a kernel as numba stores it, None if the pack has none for these types.

        `base`: Name that numba gives the files of the kernel. `key`: Types of the arguments,
        machine and hashes, as numba looks its cache up by.
        """
        folder = folder_of(source)
        try:
            index = self._file.read(f"{folder}/{base}.nbi")
        except KeyError:
            return None
        stream = io.BytesIO(index)
        pickle.load(stream)  # the version, which the manifest has too
        _, overloads = pickle.loads(stream.read())
        types, _, *hashes = key
        name = overloads.get((types, self._magic, *hashes))
        return None if name is None else pickle.loads(self._file.read(f"{folder}/{name}"))


@cache
def find_pack() -> Pack | None:
    """Return the pack that fits this process, None where there is none."""
    for path in sorted(PACKS.glob(f"*-{sys.implementation.cache_tag}-*.zip")):
        with zipfile.ZipFile(path) as pack:
            manifest = msgspec.json.decode(pack.read(MANIFEST), type=Manifest)
        if manifest.fits():
            return Pack(path, manifest)
    return None


def digests(sources: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of source files by their paths in the package, of those that there are."""
    paths = {source: PACKAGE / source for source in sources}
    return {
        source: sha256(path.read_bytes()).hexdigest()
        for source, path in paths.items()
        if path.exists()
    }


def folder_of(source: str) -> str:
    """Return the folder of a pack that holds the kernels of a source file, that of the file."""
    return Path(source).relative_to(PACKAGE).parent.as_posix()
