"""The page behind its access check, in real browsers: texts stay texts, and runs their owner's."""

import os
import re
import socket
import ssl
import subprocess
import sys
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
import pytest
import trustme

from ccviz import Problem
from ccviz.events import (
    Finished,
    IncumbentFound,
    NodeBounded,
    NodeOpened,
    NodePruned,
    Noted,
    Record,
    Started,
)
from ccviz.runs.info import summarise
from ccviz.runs.run import Run
from tests.app.driver import ROOT, Lab, Server
from tests.app.test_accessibility import faults
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.browser

SCRIPT = '"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>{{7*7}}'

# Shadow roots too: there Panel puts all it draws.
INJECTED = """() => {
    const found = (root) => [...root.querySelectorAll("*")].flatMap((node) => [
        ...(node.matches("img[src='x']") ? [node.outerHTML] : []),
        ...(node.shadowRoot ? found(node.shadowRoot) : [])])
    return {markup: found(document), ran: window.pwned ?? null}
}"""
UNTRUSTING = ssl._create_unverified_context()  # whether it answers is all that is asked
CLEAN = {"markup": [], "ran": None}
ROOMS = {
    "Result": "Optimal clustering", "Clusters": "Take home", "Inside the solver": "^Depth$",
    "Bounds": "Tick past runs", "Runs": "This server is running", "Share": "Command line",
}  # fmt: skip


class Guarded(Server):
    """`ccviz app` with a home and options of its own."""

    def __init__(self, home, *options):
        self.home, self.log = home, home / "server.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = "from ccviz.cli import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", command, "app", "--port", str(self.port), *options],
            cwd=ROOT, env=os.environ | {"CCVIZ_HOME": str(home)},
            stdout=self.log.open("wb"), stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.scheme = "https" if "--ssl-certfile" in options else "http"
        self._wait()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/main"

    def _wait(self):
        wait_until(self._answers)

    def _answers(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            urlopen(self.url, context=UNTRUSTING).close()
        except HTTPError:  # to strangers too
            return True
        except OSError:
            return False
        return True


@pytest.fixture
def serve(tmp_path):
    servers = []

    def serve(*options):
        servers.append(Guarded(tmp_path, *options))
        return servers[-1]

    yield serve
    for server in servers:
        server.close()


@pytest.fixture
def visit(browser):
    """Return a function that opens a page in another browser, and one that opens more in it."""
    contexts = []

    def visit(url):
        contexts.append(browser.new_context(
            viewport={"width": 1400, "height": 900}, ignore_https_errors=True
        ))  # fmt: skip
        contexts[-1].set_default_timeout(1000 * PATIENCE_S)
        return Lab(contexts[-1].new_page(), url)

    yield visit
    for context in contexts:
        context.close()


def enter(archive, text, solver="sdp"):
    """Enter a run all of whose texts are the same."""
    problem = Problem(np.random.default_rng(0).normal(size=(12, 2)), 3)
    run_id = archive.create(problem, solver, {}, name=text, dataset=text)
    run = Run(problem)
    began = Started(solver=text, settings={text: text}, seed=0, n=12, d=2, k=3, n_blocks=12)
    labels = np.arange(12) % 3
    events = [
        began,
        Noted(text=text),
        IncumbentFound(labels=labels, source=text),
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
        NodeBounded(node=0, lower_bound=1.0),
        NodePruned(node=0, reason="bound", lower_bound=2.0, detail=text),
        Finished(termination="converged", message=text),
    ]
    records = [Record(at, float(at), event) for at, event in enumerate(events)]
    for record in records:
        run.apply(record)
    archive.append(run_id, records, summarise(run))


def show(lab, place=0):
    """Press Show until it is heard: a tab that just came to the front is drawn once more."""
    row = lab.page.locator(".scroll tbody tr").nth(place)

    def is_shown():
        row.get_by_role("button", name="Show").click()
        return row.get_attribute("class") == "shown"

    lab.wait_for(is_shown)


def test_no_text_becomes_a_script(serve, visit):
    server = serve()
    with server.archive() as archive:
        enter(archive, SCRIPT, solver=SCRIPT)  # as an older ccviz let in
        enter(archive, SCRIPT)
    asked = dict.fromkeys(("data", "solver", "x", f"set.{SCRIPT}"), SCRIPT)
    lab = visit(f"{server.url}?{urlencode(asked)}")
    assert lab.page.evaluate(INJECTED) == CLEAN
    lab.page.keyboard.press("Escape")
    names = [f'"{SCRIPT.replace(chr(34), chr(34) * 2)} {at}"' for at in range(12)]
    rows = [f"{x},{x * x % 5},{x * 3 % 7},{names[x]},{names[x % 2]}" for x in range(12)]
    table = "\n".join([f"{','.join(names[:3])},name,class", *rows])
    lab.upload(f"{SCRIPT}.csv".replace("/", ""), table.encode())
    sheet = lab.page.get_by_role("dialog")
    sheet.get_by_text(names[0].strip('"').replace('""', '"')).first.wait_for()
    assert lab.page.evaluate(INJECTED) == CLEAN
    sheet.get_by_role("button", name="Load", exact=True).click()
    sheet.wait_for(state="hidden")
    lab.see("12 points")
    lab.click_point(3)
    lab.see(f"{SCRIPT} 3, point")  # in the tooltip, which goes when the buttons come
    assert lab.page.evaluate(INJECTED) == CLEAN
    lab.click_point(4)
    lab.see(f"{SCRIPT} 3 and {SCRIPT} 4")
    assert lab.page.evaluate(INJECTED) == CLEAN
    lab.page.keyboard.press("c")
    lab.choose("Solver", "SDP branch-and-cut")
    lab.run()
    for tab, words in ROOMS.items():
        lab.room(tab)
        lab.see(re.compile(words))
        assert lab.page.evaluate(INJECTED) == CLEAN, tab
    lab.press("Matrix")
    lab.see("Click a cell to see it large.")
    assert lab.page.evaluate(INJECTED) == CLEAN
    lab.press("Matrix")
    for place in (1, 2):  # the newest run stands first
        lab.room("Runs")
        show(lab, place)
        lab.room("Result")
        lab.see(f"{SCRIPT}, seed 0")
        assert lab.page.evaluate(INJECTED) == CLEAN
        lab.room("Inside the solver")
        lab.figure("tree")
        assert lab.page.evaluate(INJECTED) == CLEAN
    lab.room("Runs")
    lab.unfold(lab.run_row()).get_by_role("button", name="Rename").click()
    lab.answer(f"renamed {SCRIPT}")
    lab.page.locator(".scroll tbody tr").get_by_text(f"renamed {SCRIPT}").wait_for()
    assert lab.page.evaluate(INJECTED) == CLEAN
    table = lab.page.get_by_role("table", name="Runs side by side")

    def are_compared():
        for box in lab.page.get_by_label("Compare").all():
            box.set_checked(True)
        return table.is_visible()

    lab.wait_for(are_compared)
    assert lab.page.evaluate(INJECTED) == CLEAN
    lab.assert_clean()


@pytest.fixture
def by_tls(tmp_path):
    """Return options for a certificate of an unknown authority, and that authority."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    certificate.cert_chain_pems[0].write_to_path(files[0])
    certificate.private_key_pem.write_to_path(files[1])
    return ["--ssl-certfile", str(files[0]), "--ssl-keyfile", str(files[1])], authority


def assert_only_by_tls(server, authority):
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with pytest.raises(HTTPError) as sent_on:  # for ever, since it keeps no cookie
        urlopen(server.url, context=trusting)
    assert "Secure" in sent_on.value.headers["Set-Cookie"]
    with pytest.raises(URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urlopen(server.url)
    with pytest.raises(ConnectionResetError):
        urlopen(server.url.replace("https", "http"))


def test_in_a_class_runs_are_their_owners(serve, visit, by_tls):
    options, authority = by_tls
    server = serve("--class", "--teacher-token", "chalk", *options)
    assert_only_by_tls(server, authority)
    ann, bob = visit(server.url), visit(server.url)
    ann.run()
    ann.room("Runs")
    anns = ann.unfold(ann.run_row())
    bob.room("Runs")
    bob.page.get_by_label("Filter runs").wait_for()
    assert bob.page.locator(".scroll tbody tr").count() == 0
    anns.get_by_role("button", name="Share", exact=True).click()
    anns.get_by_role("button", name="Unshare").wait_for()
    bob_again = Lab(bob.page, server.url)
    bob_again.room("Runs")
    row = bob.page.locator(".scroll tbody tr")
    bob_again.unfold(row)
    assert row.locator(".more").get_by_role("button").count() == 0
    anns.get_by_role("button", name="Unshare").click()
    anns.get_by_role("button", name="Share", exact=True).wait_for()
    row.get_by_role("button", name="Show").click()
    bob_again.see("There is no run")
    teacher = visit(f"{server.url}?token=chalk")
    assert "chalk" not in teacher.page.url
    teacher.room("Runs")
    teacher.page.locator(".scroll tbody tr").wait_for()  # the only one
    for lab in (ann, bob_again, teacher):
        lab.assert_clean()


def test_a_table_by_address_opens_a_copy_until_its_end(serve, visit):
    server = serve("--class", "--teacher-token", "chalk")
    ann = visit(server.url)
    ann.take_table("mine.csv", b"a,b\n" + b"1,2\n3,4\n15,17\n" * 3)
    ann.see("mine · 9 points")
    ann.room("Share")
    ann.see("Give an address, above")
    ann.press("Give an address")
    given = ann.page.get_by_text(re.compile(r"^http\S+shared="))
    address = given.inner_text()
    assert not faults(ann)
    ann.wait_for(server.waiting)  # the libraries are loaded, which takes long beside other tests
    ben = visit(address)
    ben.see_notice("mine is a copy")
    ben.see("mine · 9 points")
    ben.wait_for(lambda: "draft=" in ben.page.url)  # so that his edits are there on a reload
    ben.room("Share")
    assert ben.page.get_by_role("button", name="Delete: mine").count() == 0
    (kept,) = (server.home / "shared").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    first, rest = kept.read_bytes().split(b"\n", 1)
    kept.write_bytes(re.sub(rb'"until":[\d.]+', b'"until":1', first) + b"\n" + rest)
    late = visit(address)
    late.see_notice("The server keeps nothing under this address: its time is over")
    assert not kept.exists()
    ann.press("Give an address")
    ann.wait_for(lambda: given.inner_text() != address)
    ann.page.once("dialog", lambda dialog: dialog.accept())
    ann.page.get_by_role("button", name="Delete: mine").click()
    given.wait_for(state="hidden")
    assert list((server.home / "shared").iterdir()) == []
    for lab in (ann, ben, late):
        lab.assert_clean()


def test_a_lesson_is_answered_and_the_teacher_sees_the_class(serve, visit):
    server = serve("--class", "--teacher-token", "chalk")
    teacher = visit(f"{server.url}?token=chalk")
    teacher.take_table("mine.csv", b"a,b\n" + b"1,2\n3,4\n15,17\n" * 3)
    teacher.choose("Lesson", "Write or open a lesson…")
    for label, text in {
        "Title": "Short", "What to do, and why": "Run it.",
        "A question to the class (optional)": "How many clusters?",
        "Its right answer | wrong ones to choose from (optional)": f"Three | {SCRIPT}",
    }.items():  # fmt: skip
        teacher.page.get_by_label(label, exact=True).fill(text)
    teacher.press("Add this step")
    teacher.press("Make the address")
    given = teacher.page.get_by_text(re.compile(r"^http\S+lesson=kept-"))
    address = given.locator("visible=true").first.inner_text()

    student = visit(address)
    student.page.set_viewport_size({"width": 390, "height": 844})
    student.page.get_by_label("Your name").fill(SCRIPT[:60])
    for answer, verdict in ((SCRIPT, "Not yet."), ("Three", "Right.")):
        student.choose("Choose an answer", answer)
        student.press("Send")
        student.see(verdict)
    student.see("The teacher has your answer")
    assert student.page.evaluate("document.documentElement.scrollWidth") == 390
    assert not faults(student)
    student.press("Show me")
    student.see(re.compile("^Objective "))
    assert student.page.get_by_text("1 answer").count() == 0

    teacher = Lab(teacher.page, address)
    teacher.see("1 answer, 1 student")
    row = teacher.page.get_by_role("region", name="The class").get_by_role("row").last
    assert row.inner_text().split("\t")[:4] == [SCRIPT[:60], "Three", "right", "1"]
    assert "optimal" in row.inner_text()
    teacher.see(address)
    assert not faults(teacher)
    with teacher.page.expect_download() as download:
        teacher.press("Answers as CSV")
    assert download.value.suggested_filename == "answers-short.csv"
    for lab in (student, teacher):
        assert lab.page.evaluate(INJECTED) == CLEAN
        lab.assert_clean()
