"""One server, many people: twenty sessions, four of them running, and fifty opens and closes.

Asked for: no errors, no state that crosses over; once they have gone, the server's memory within 10
% of before (after a warm-up) and no process left.
"""

from __future__ import annotations

import time
from typing import Any

import _runner as runner
from _page import Server, choose, fill, opened, press, visited

SESSIONS, RUNNING, OPENINGS = 20, 4, 50


def drive(page: Any, number: int, runs: bool) -> None:
    """Do what one person does: another k for each, a run for some."""
    fill(page, "Clusters k", 2 + number)
    page.get_by_text(f"k = {2 + number}").first.wait_for()
    if runs:
        choose(page, "Data set", "digits")
        page.get_by_text("1,797 points").wait_for()
        choose(page, "Solver", "SDP branch-and-cut")
        press(page, "Run")


def facts(page: Any) -> str:
    """Return what the page says is on the table."""
    return str(page.locator(".facts").inner_text())


def settle(server: Server) -> float:
    """Wait until the server has forgotten its sessions, and return its memory in MB."""
    end = time.monotonic() + 30
    while server.workers() and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(40)  # the server looks for closed pages now and then
    return server.memory_mb()


def crowd(chromium: Any, server: Server, troubles: list[str]) -> tuple[float, int]:
    """Open all sessions, run some, check each, close them; return peak memory and crossings."""
    people = []
    for _ in range(SESSIONS):
        context = chromium.new_context()
        page = opened(context, server.url)
        page.on(
            "console", lambda said: troubles.append(said.text) if said.type == "error" else None
        )
        people.append((context, page))
    for number, (_, page) in enumerate(people):
        drive(page, number, runs=number < RUNNING)
    time.sleep(10)
    crossed = sum(
        f"k = {2 + number}" not in facts(page)
        for number, (_, page) in enumerate(people)
        if number >= RUNNING
    ) + sum("digits" not in facts(page) for _, page in people[:RUNNING])
    peak = server.memory_mb()
    for context, _ in people:
        context.close()
    return peak, crossed


def churn(chromium: Any, server: Server) -> None:
    """Open and close the page again and again, with a short run in every tenth."""
    for number in range(OPENINGS):
        context = chromium.new_context()
        page = opened(context, server.url)
        if number % 10 == 0:
            press(page, "Run")
            page.get_by_text("ARI").first.wait_for()
        context.close()


def main() -> None:
    runner.parse(__doc__)
    rows, troubles = [], []
    with visited() as (server, chromium):

        def note(what: str, before: float) -> float:
            after = settle(server)
            change = f"{100 * (after / before - 1):+.1f} %"
            rows.append([what, f"{before:.0f}", f"{after:.0f}", change, len(server.workers())])
            return after

        crowd(chromium, server, troubles)
        warm = note("a first crowd (warm-up)", server.memory_mb())
        peak, crossed = crowd(chromium, server, troubles)
        after = note(f"{SESSIONS} sessions, {RUNNING} running, {crossed} crossed", warm)
        churn(chromium, server)
        note(f"{OPENINGS} opens and closes", after)
        complaints = [line for line in server.log.read_text().splitlines() if "rror" in line]
    table = runner.markdown("What | Before, MB | After, MB | Change | Processes left", rows)
    found = f"{len(troubles)} errors in the browsers, {len(complaints)} in the server's log."
    print(*troubles[:5], *complaints[:5], sep="\n")
    runner.write_page("page_soak", f"{table}\nPeak {peak:.0f} MB; {found}\n")


if __name__ == "__main__":
    main()
