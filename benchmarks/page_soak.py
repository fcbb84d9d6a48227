"""One server, many people: twenty sessions, four of them running, and fifty opens and closes.

    python benchmarks/page_soak.py

Asked for: no errors, no state that crosses over; once they have gone, the server's memory within
10 % of before (after a warm-up) and no process left.
"""

from __future__ import annotations

import tempfile
import time
from typing import Any

from _page import RESULTS, Server, browser, opened, served
from playwright.sync_api import sync_playwright

SESSIONS, RUNNING, OPENINGS = 20, 4, 50


def drive(page: Any, number: int, runs: bool) -> None:
    """Do what one person does: another k for each, a run for some."""
    box = page.get_by_label("Clusters k", exact=True).first
    box.fill(str(2 + number))
    box.press("Enter")
    page.get_by_text(f"k = {2 + number}").first.wait_for()
    if runs:
        page.get_by_label("Data set", exact=True).first.select_option(label="digits")
        page.get_by_text("1,797 points").wait_for()
        page.get_by_label("Solver", exact=True).first.select_option(label="SDP branch-and-cut")
        page.get_by_role("main").get_by_role("button", name="Run", exact=True).click()


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
            page.get_by_role("main").get_by_role("button", name="Run", exact=True).click()
            page.get_by_text("ARI").first.wait_for()
        context.close()


def main() -> None:
    """Measure, print and write the table."""
    rows, troubles = [], []
    with tempfile.TemporaryDirectory() as home, served(home) as server, sync_playwright() as play:
        chromium = browser(play)

        def note(what: str, before: float) -> float:
            after = settle(server)
            rows.append((what, before, after, 100 * (after / before - 1), len(server.workers())))
            print(rows[-1], flush=True)
            return after

        crowd(chromium, server, troubles)
        warm = note("a first crowd (warm-up)", server.memory_mb())
        peak, crossed = crowd(chromium, server, troubles)
        after = note(f"{SESSIONS} sessions, {RUNNING} running, {crossed} crossed", warm)
        churn(chromium, server)
        note(f"{OPENINGS} opens and closes", after)
        chromium.close()
        complaints = [line for line in server.log.read_text().splitlines() if "rror" in line]
    lines = ["| What | Before, MB | After, MB | Change | Processes left |", "|---|---|---|---|---|"]
    lines += [f"| {what} | {before:.0f} | {after:.0f} | {change:+.1f} % | {left} |"
              for what, before, after, change, left in rows]  # fmt: skip
    lines += ["", f"Peak {peak:.0f} MB; {len(troubles)} errors in the browsers, "
              f"{len(complaints)} in the server's log."]  # fmt: skip
    table = "\n".join(lines) + "\n"
    print(table, *troubles[:5], *complaints[:5], sep="\n")
    (RESULTS / "page_soak.md").write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
