"""The wheel that `make wheel` builds installs into an empty environment and serves from it."""

import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
import venv
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install the wheel alone; what it needs is found where these tests find it."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = folder / "env" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps",
         "--no-index", "--quiet", "--disable-pip-version-check", str(wheel)],
        check=True,
    )  # fmt: skip
    return folder


@pytest.fixture
def environment(tmp_path):
    """Return the variables of an environment that has our libraries, and not our checkout."""
    libraries = sysconfig.get_path("purelib")  # its .pth files, thus the checkout, do not count
    return os.environ | {
        "PYTHONPATH": libraries,
        "CCVIZ_COMPILED": "0",  # else both cores would compile for no run
        "HOME": str(tmp_path),
        "CCVIZ_HOME": str(tmp_path),
    }


def get(url: str, server: subprocess.Popen) -> str:
    """Ask until there is an answer."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(url) as answer:
            return answer.read().decode()
        time.sleep(0.1)
    pytest.fail("the server did not answer")


@pytest.mark.slow
def test_the_wheel_is_used_and_not_the_checkout(installed, environment):
    code = "import ccviz, ccviz.views; print(ccviz.__file__)"
    run = subprocess.run(
        [installed / "env" / "bin" / "python", "-c", code],
        cwd=installed, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(run.stdout.strip()).is_relative_to(installed)


@pytest.mark.slow
def test_the_wheel_brings_licence_and_data(installed):
    (info,) = installed.glob("env/lib/*/site-packages/ccviz_lab-*.dist-info")
    assert (info / "licenses" / "LICENSE").read_text().startswith("MIT License")


@pytest.mark.slow
def test_the_dashboard_is_served_from_the_wheel(installed, environment):
    port = free_port()
    server = subprocess.Popen(
        [installed / "env" / "bin" / "ccviz", "app", "--port", str(port)],
        cwd=installed, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert "<title>ccviz</title>" in get(f"http://127.0.0.1:{port}/main", server)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(PATIENCE_S)


@pytest.mark.slow
def test_uvx_runs_the_command_from_the_wheel(installed, environment, tmp_path):
    """As a user would by name, from the wheel; the libraries are those of these tests."""
    (wheel,) = installed.glob("*.whl")
    left_out = tmp_path / "left_out.txt"
    left_out.write_text("".join(f"{name}; python_version < '3'\n" for name in needed(wheel)))
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--offline", "--no-index", "--quiet",
           "--no-config", "--python", sys.executable, "--overrides", str(left_out)]  # fmt: skip
    run = subprocess.run(
        [*uvx, "--from", str(wheel), "ccviz", "solve", "iris", "--solver", "k-means", "--quiet",
         "--json", "-"],
        cwd=tmp_path, env=environment | {"UV_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["solver"] == "k-means"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Skip a test where packages cannot be downloaded."""
    folder = tmp_path_factory.mktemp("download")
    asked = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder), "param"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("no index of packages can be reached")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("way", ["core", "pip", "uvx", "pipx"])
def test_one_line_serves_the_page_in_an_empty_home(way, installed, tmp_path):
    (wheel,) = installed.glob("*.whl")
    script, table = ROOT / "benchmarks" / "install.py", tmp_path / "install.csv"
    done = subprocess.run(
        [sys.executable, str(script), "--way", way, "--wheel", str(wheel), "--keep-cache",
         "--out", str(table)],
        env=os.environ | {"PIP_NO_COMPILE": "1"},  # what the page does not import
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"\n{way}," in table.read_text()


def needed(wheel: Path) -> list[str]:
    """Return the names of the packages that a wheel asks for without extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        lines = archive.read(name).decode().splitlines()
    asked = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]
    return [Requirement(each).name for each in asked if "extra ==" not in each]


@pytest.mark.slow
def test_the_wheel_has_its_own_name_and_version(installed, environment):
    code = "import ccviz, importlib.metadata as m; print(ccviz.__version__, m.version('ccviz-lab'))"
    run = subprocess.run(
        [installed / "env" / "bin" / "python", "-c", code],
        cwd=installed, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    known, installed_version = run.stdout.split()
    assert known == installed_version
