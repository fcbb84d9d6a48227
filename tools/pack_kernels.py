"""Compile all kernels for a baseline of this machine's processor family, and pack them.

``python tools/pack_kernels.py`` writes ``ccviz/packs/``, which the next wheel takes in. See
`ccviz.kernel_pack` for what is in a pack and when it is used.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import msgspec
from llvmlite import binding
from numba.core.caching import UserProvidedCacheLocator

from ccviz.kernel_pack import MANIFEST, PACKAGE, PACKS, Manifest, digests, folder_of
from ccviz.solvers import SOLVERS

_V3 = (
    "avx avx2 bmi bmi2 cx16 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 sse4.2 "
    "ssse3 xsave"
)
_BASELINES = {
    "x86_64": ("x86-64-v3", _V3),
    "AMD64": ("x86-64-v3", _V3),
    "aarch64": ("generic", "neon"),
    "arm64": ("generic", "neon"),
}
"""Processor and its features for each `platform.machine()`, of nearly all machines since 2015."""


def main() -> None:
    """Write the pack of this Python and system; packs of other systems stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=PACKS, help="folder of the pack")
    parser.add_argument("solvers", nargs="*", help="solvers to compile for; all by default")
    asked = parser.parse_args()
    solvers = asked.solvers or [solver.name for solver in SOLVERS]
    cpu, names = _BASELINES[platform.machine()]
    features = ",".join(f"+{name}" for name in names.split())
    manifest = Manifest(
        sys.implementation.cache_tag, version("numba"), binding.get_process_triple(), cpu,
        features, digests(_with_kernels()),
    )  # fmt: skip
    tag = f"kernels-{manifest.python}-{sysconfig.get_platform()}.zip"
    asked.to.mkdir(exist_ok=True)
    target = asked.to / tag
    target.unlink(missing_ok=True)  # or there would be nothing to compile
    with tempfile.TemporaryDirectory() as cache:
        machine = {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": features}
        environment = os.environ | machine | {"NUMBA_CACHE_DIR": cache, "CCVIZ_COMPILED": "1"}
        command = [sys.executable, "-m", "ccviz.runs.warm", *solvers]
        subprocess.run(command, env=environment, cwd=PACKAGE.parent, check=True)
        shutil.move(_pack(Path(cache), manifest, Path(cache, tag)), target)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


def _with_kernels() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if b"\nfrom ccviz.compiled import njit" in path.read_bytes():
            yield path.relative_to(PACKAGE).as_posix()


def _pack(cache: Path, manifest: Manifest, path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr(MANIFEST, msgspec.json.encode(manifest))
        for file in sorted(str(PACKAGE / source) for source in manifest.sources):
            stem = Path(file).stem
            for each in sorted((cache / _subpath(file)).glob(f"{stem}.*.nb[ic]")):
                pack.write(each, f"{folder_of(file)}/{each.name}")
    return path


def _subpath(source: str) -> str:
    return UserProvidedCacheLocator.get_suitable_cache_subpath(source)


if __name__ == "__main__":
    main()
