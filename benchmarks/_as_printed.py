"""Is each solver, with its settings as printed, within its paper's figures? One sentence each.

The figures come from the tables of results, and so does the verdict: a share counts as within the
paper's spread where a binomial test at 5 % does not distinguish it from the printed one.
"""

from __future__ import annotations

import statistics

from _cells import SAME
from _runner import Rows, results
from _tables_heuristics import gap, matrices_verdict, of_printed
from _tables_memetic import gaps_by_file
from _tables_soft import LIMIT_S, by_cell
from papers_columns import LIMIT_S as PROOF_S
from printed import COLUMNS, MEMETIC
from scipy.stats import binomtest

IPC_SETS = ("iris", "wine", "seeds", "connectionist")
ALPHA = 0.05


def sentences(published: Rows) -> dict[str, str]:
    """Return the verdicts; ``published`` are the printed figures of soft links."""
    return {
        "printed_ipc": ipc(),
        "printed_mde": memetic(),
        "printed_lp": lp_box(),
        "printed_columns": from_cop(),
        "printed_bh": soft(published),
    }


def verdict(hits: int, runs: int, printed_pct: float) -> str:
    """Return whether the number of hits agrees with the printed share."""
    apart = binomtest(hits, runs, printed_pct / 100).pvalue < ALPHA
    return "**outside the spread**" if apart else "**within the spread**"


def hits(rows: Rows) -> int:
    return sum(gap(row) <= SAME for row in rows)


def ipc() -> str:
    own = results("papers_exact", part="heuristics", method="IPC-k-means")
    four = [row for row in own if row["dataset"] in IPC_SETS]
    sets = {row["dataset"] for row in own}
    printed, shares = (
        statistics.mean(of_printed(name, "IPC-k-means") for name in names)
        for names in (IPC_SETS, sets)
    )
    return (
        f"{verdict(hits(four), len(four), printed)} on iris, wine, seeds and connectionist: "
        f'`ipc-kmeans` with `algorithm="printed"`, run once a file as in the paper, ends at the '
        f"optimum of {hits(four)} of {len(four)} link files; printed is {printed:.1f} % of 120. On "
        f"all {len(sets)} sets it is {verdict(hits(own), len(own), shares)}, with {hits(own)} of "
        f"{len(own)} files ({100 * hits(own) / len(own):.1f} %) against {shares:.1f} %, because "
        f"our relaxation is tighter. From a bound as tight as theirs glass, accent and ecoli have "
        f"{matrices_verdict()}."
    )


def memetic() -> str:
    """SG as its authors run it: the mean of five seeds, by link file."""
    coded, parts = results("papers_memetic", part="exact"), []
    blocks = [row for row in results("memetic_additions") if row["variant"] == "authors' SG"]
    shares: list[list[str]] = [[], []]
    for dataset in ("glass", "accent", "ecoli"):
        files = gaps_by_file(coded, dataset)
        good = sum(statistics.mean(gaps) <= SAME for gaps in files.values())
        single = [gap for gaps in files.values() for gap in gaps]
        drawn = [row for row in blocks if row["instance"].startswith(f"{dataset}/")]
        for into, gaps in zip(shares, (single, [float(r["gap"]) for r in drawn]), strict=True):
            into.append(f"{100 * statistics.mean(gap <= SAME for gap in gaps):.0f}")
        printed = MEMETIC[dataset][0][0]
        parts.append(
            f"{dataset} {good} of {len(files)}, printed {printed:g} %: "
            f"{verdict(good, len(files), printed)}"
        )
    return (
        f"{'; '.join(parts)}. Of single runs {', '.join(shares[0])} % are as good, and "
        f"{', '.join(shares[1])} % with centres drawn at blocks and parents matched to the first."
    )


def lp_box() -> str:
    holds, tables = results("lp_box_holds", rho="20.0", way="printed"), results("lp_box_table2")
    moved = max(int(row["moved"]) for row in holds)
    ari = statistics.mean(float(row["ari"]) for row in holds)
    known = [row for row in tables if row["paper_ari_pct"]]
    near = [row for row in known if abs(deviations(row)) <= 2]
    apart = [
        f"{row['dataset'].lower()} is {deviations(row):+.1f}" for row in known if row not in near
    ]
    others = f"; {', '.join(apart)} of them away" if apart else ""
    return (
        f"**outside the spread, and explained**. With the printed penalty and coupling at most "
        f"{moved} points of a set leave the random start ({len(holds)} runs on "
        f"{len({row['dataset'] for row in holds})} sets, mean ARI {100 * abs(ari):.0f} %, printed "
        f"15 to 87 %): [the derivation and the experiment](mathematics.md). With means that "
        f"follow the assignment at once and a smaller penalty (our default) {len(near)} of "
        f"{len(known)} sets of table 2, in the mean of {known[0]['runs']} starts, have an ARI "
        f"within two of its standard deviations{others}."
    )


def deviations(row: dict[str, str]) -> float:
    """Return how many printed standard deviations our ARI is above the printed one."""
    return (float(row["ari_pct"]) - float(row["paper_ari_pct"])) / float(row["paper_std"])


def from_cop() -> str:
    begun, own = (
        {(row["case"], row["k"], row["links"], row["draw"]): row
         for row in results("papers_columns", part=part) if row["case"] != "like soybean"}
        for part in ("start", "own")
    )  # fmt: skip
    proved = [key for key, row in begun.items() if row["status"] == "optimal"]
    same = sum(
        abs(float(begun[key]["objective"]) / float(own[key]["objective"]) - 1) <= SAME
        for key in proved
        if key in own
    )
    printed = [case for cases in COLUMNS.values() for case in cases.values()]
    draws = len({key[-1] for key in begun})
    return (
        f"**within, and beyond**. From the best of 500 runs of COP-k-means `colgen` proves "
        f"{len(proved)} of {len(begun)} cases of tables 6 and 7 in {PROOF_S:.0f} CPU seconds each "
        f"({draws} draws of links), {same} with the optimum that it finds from its own start; the "
        f"paper proves {sum(bool(case[3]) for case in printed)} of its {len(printed)}, with one "
        f"draw, in half an hour each."
    )


def soft(published: Rows) -> str:
    above, below = apart(published, "bh-kmeans", "bh")
    more, fewer = apart(published, "dils", "dils")
    ours, cells = by_cell("bh-kmeans"), len(by_cell("bh-kmeans"))
    short = [
        f"{name} {fraction} %{' (ended by the limit)' if ended(ours[name, fraction]) else ''}"
        for name, fraction in below
    ]
    return (
        f"**within the spread in {cells - len(above) - len(below)} of {cells} cells**: the "
        f"printed ARI lies between our worst and our best of six draws of links (Iris and Wine: "
        f"six seeds on the authors' links), give or take 0.02. In {len(above)} cells ours is above "
        f"({', '.join(map(' '.join, above))} %), in {len(below)} below ({', '.join(short)}): see "
        f"`results/soft.md`. Of its rival DILS, which has {LIMIT_S} CPU seconds here and 1,800 in "
        f"the paper, and as many runs, "
        f"{cells - len(more) - len(fewer)} cells are within, {len(more)} above and {len(fewer)} "
        f"below."
    )


def apart(
    published: Rows, method: str, printed: str
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the cells where all draws are above the printed ARI, and where all are below."""
    ours = by_cell(method)
    above, below = [], []
    for row in published:
        key, value = (row["dataset"], row["fraction_pct"]), float(row[f"ari_{printed}"])
        aris = [float(each["ari"]) for each in ours.get(key, [])]
        if aris and min(aris) - 0.02 > value:
            above.append(key)
        elif aris and max(aris) + 0.02 < value:
            below.append(key)
    return above, below


def ended(rows: Rows) -> bool:
    """Whether the draws of a cell took the CPU seconds that they had."""
    return statistics.median(float(row["cpu_s"]) for row in rows) >= LIMIT_S
