"""A headless Firefox, driven by WebDriver BiDi over its own socket: Playwright drives none of
Debian's, and needs none for this.
"""

import json
import os
import re
import shutil
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import websocket

from tests.patience import PATIENCE_S, wait_until

_LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_PREFERENCES = (
    'user_pref("app.update.enabled", false);\n'
    'user_pref("browser.shell.checkDefaultBrowser", false);\n'
    'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
    'user_pref("network.proxy.type", 1);\n'  # a proxy that is not there: no network at all
    'user_pref("network.proxy.http", "127.0.0.1");\nuser_pref("network.proxy.http_port", 9);\n'
    'user_pref("network.proxy.ssl", "127.0.0.1");\nuser_pref("network.proxy.ssl_port", 9);\n'
)


def find_firefox() -> str:
    """Return the path of the Firefox on this machine; `make test` installs one."""
    found = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    if not found:
        pytest.fail(
            "these tests need Firefox: run 'make browsers', or deselect them with -m 'not browser'",
            pytrace=False,
        )
    return found


class Firefox:
    """One tab of a Firefox that has no network.

    `heard`: What its console said.
    """

    def __init__(self, socket):
        self._socket = socket
        self._asked = 0
        self.heard = []

    def begin(self):
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        contexts = self._ask("browsingContext.getTree")["contexts"]
        self._tab = contexts[0]["context"]

    def open(self, path):
        """Open a file, and wait until it is loaded."""
        self._ask("browsingContext.navigate", context=self._tab, url=path.as_uri(), wait="complete")

    def evaluate(self, expression):
        """Return the value of an expression, or of what it promises, by way of JSON."""
        answer = self._ask(
            "script.evaluate", expression=f"Promise.resolve({expression}).then(JSON.stringify)",
            target={"context": self._tab}, awaitPromise=True,
        )  # fmt: skip
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"].get("value", "null"))

    def _ask(self, method, **params):
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("method") == "log.entryAdded":
                self.heard.append(message["params"]["text"])
            if message.get("id") == self._asked:
                assert message["type"] == "success", message["message"]
                return message["result"]


@contextmanager
def firefox(folder: Path):
    """Start one, with a profile in a folder, and end it."""
    profile, log = folder / "profile", folder / "firefox.log"
    profile.mkdir()
    (profile / "user.js").write_text(_PREFERENCES)
    command = [find_firefox(), "--headless", "--no-remote", "--profile", str(profile)]
    command += ["--remote-debugging-port", "0"]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=os.environ | {"HOME": str(folder)}
        )
    try:
        wait_until(lambda: _LISTENS.search(log.read_text()) or process.poll() is not None)
        address = _LISTENS.search(log.read_text())
        assert address, log.read_text()
        socket = websocket.create_connection(
            f"{address[1]}/session", timeout=PATIENCE_S, suppress_origin=True
        )
        with closing(socket):
            one = Firefox(socket)
            one.begin()
            yield one
    finally:
        process.terminate()
        process.wait()
