"""The figures of README and docs, by name, computed from the tables of `benchmarks/results`.

`docs/fill.py` writes them into the pages. A new figure is a new key in one of these functions.
"""

import ast
import re
from functools import cache
from pathlib import Path
from statistics import mean, median

from result_tables import (
    Rows,
    at_least,
    at_most,
    cells,
    chosen,
    percent,
    row,
    table,
    text,
    total,
    whole,
)

from ccviz.solvers import SOLVERS
from ccviz.solvers import advice as rules
from ccviz.solvers.advice import matrix
from ccviz.views.lessons.catalogue import LESSONS

ROOT = Path(__file__).parents[1]
_PRINTED_ACCURACY = 1e-4  # relative; an objective farther from the printed one is of other links
_WORDS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen",
)  # fmt: skip


def sdp_published() -> dict[str, str]:
    """Return what `sdp` proves of the published instances."""
    rows = table("sdp_published")
    vertebral = chosen(rows, dataset="vertebral")
    others = [row for row in vertebral if abs(float(row["f_difference"])) > _PRINTED_ACCURACY]
    return {
        "vertebral": f"{len(vertebral)}",
        "vertebral-not-printed": f"{len(others)}",
        "sdp-proved": f"{len(rows)}",
        "sdp-cpu": whole(total(rows, "cpu_s")),
        "sdp-published-cpu": whole(total(rows, "published_time_s")),
    }


def divide() -> dict[str, str]:
    """Return what `divide` certifies of many points."""
    found = {}
    for name, instance in (
        ("three", "gaussians-210000"),
        ("ten", "gaussians-210000-k10"),
        ("million", "gaussians-1000000"),
    ):
        line = row(table("divide"), set=instance, links="no")
        found |= {
            f"divide-{name}-points": f"{int(line['n']):,}",
            f"divide-{name}-gap": percent(float(line["verified_gap"])),
            f"divide-{name}-cpu": whole(float(line["cpu_s"])),
            f"divide-{name}-verify": at_most(float(line["verify_s"])),
        }
    return found | {
        f"divide-{name.lower()}-gap": percent(
            float(row(table("divide"), set=name, links="no")["verified_gap"]), 2
        )
        for name in ("letter", "shuttle", "urbanGB", "Electric", "NORM-25-k10")
    }


def classes_proved() -> dict[str, str]:
    """Return what is proved of sets whose classes are known."""
    found = {}
    for name, instance in (("abalone", "Abalone"), ("digits", "digits")):
        line = row(table("classes_proved"), set=instance)
        found |= {
            f"{name}-points": f"{int(line['n']):,}",
            f"{name}-links": line["links"],
            f"{name}-cpu": whole(float(line["cpu_s"])),
        }
    return found


def forecasts() -> dict[str, str]:
    """Return the held-out error of forecasts of the time to a proof."""
    rows = table("forecast")
    found = {"forecast-runs": whole(total(rows, "runs"))}
    for line in rows:
        found |= {
            f"forecast-inside-{line['solver']}": whole(float(line["in_range_percent"])),
            f"forecast-factor-{line['solver']}": f"{float(line['median_factor']):.1f}",
        }
    return found


def sizes_proved() -> dict[str, str]:
    """Return what `sdp` proves under cluster sizes, without links and with some."""
    every = table("sizes_proved")
    rows = [row for row in every if row["links"] == "none"]
    linked = [row for row in every if row["links"] != "none" and row["status"] != "infeasible"]
    done = [row for row in rows if row["status"] == "optimal"]
    small = sorted(
        float(row["cpu_s"]) if row["status"] == "optimal" else float("inf")
        for row in rows
        if int(row["n"]) <= 340
    )
    rest = [float(row["gap"]) for row in rows if row["status"] != "optimal"]
    open_gaps = sorted(float(row["gap"]) for row in linked if row["status"] != "optimal")
    return {
        "sizes-instances": f"{len(rows)}",
        "sizes-proved": f"{len(done)}",
        "sizes-median-cpu": f"{small[len(small) // 2]:.1f}",
        "sizes-best-rest": percent(min(rest), 3),
        "sizes-worst-rest": percent(max(rest), 1),
        "sizes-linked": f"{len(linked)}",
        "sizes-linked-proved": f"{sum(row['status'] == 'optimal' for row in linked)}",
        "sizes-linked-median-rest": percent(open_gaps[len(open_gaps) // 2], 1),
        "sizes-linked-worst-rest": percent(open_gaps[-1], 1),
        "sizes-infeasible": f"{len(every) - len(rows) - len(linked)}",
        "sizes-iris-cpu": next(row["cpu_s"] for row in rows if row["set"] == "iris"),
    }


def soft_proved() -> dict[str, str]:
    """Return what `sdp` proves under soft links, and how far above it the heuristics end."""
    rows = table("soft_proved")
    found = {
        "soft-instances": f"{len(rows)}",
        "soft-proved": f"{sum(row['status'] == 'optimal' for row in rows)}",
        "soft-most-cpu": at_most(max(float(r["cpu_s"]) for r in rows if r["status"] == "optimal")),
        "soft-worst-rest": percent(max(float(row["gap"]) for row in rows), 1),
    }
    for solver in ("bh-kmeans", "pccc"):
        above = sorted(float(row[f"{solver}_above"]) for row in rows)
        found[f"soft-{solver}-median"] = percent(above[len(above) // 2], 1)
        found[f"soft-{solver}-most"] = percent(above[-1], 0)
    return found


def sizes_large() -> dict[str, str]:
    """Return the certified gap under equal sizes of many points."""
    (blobs,) = (row for row in table("sizes_large") if (row["set"], row["n"]) == ("blobs", "20000"))
    return {"sizes-large-blobs": percent(float(blobs["verified_gap"]), 1)}


def memetic_published() -> dict[str, str]:
    """Return how often `s-mdeclust` finds a proved optimum."""
    reached = {
        (row["dataset"], row["ml"], row["cl"], row["links"])
        for row in table("memetic_published")
        if row["dataset"] != "vertebral" and float(row["gap"]) <= 1e-5
    }
    return {"memetic-optima": f"{len(reached)}"}


def colgen() -> dict[str, str]:
    """Return what `colgen` proves of cases like those of its paper."""
    rows = [row for row in table("colgen") if row["part"] in {"iris", "wine"}]
    return {
        "colgen-cases": f"{len(rows)}",
        "colgen-most-cpu": at_most(max(float(row["cpu_s"]) for row in rows)),
    }


def plane() -> dict[str, str]:
    """Return what `colgen` proves in the plane."""
    proved = chosen(table("plane"), status="optimal")
    free, linked = (chosen(proved, links=links) for links in ("no", "yes"))
    large, large_linked = (
        [
            row
            for row in chosen(table("plane"), links=links, tolerance="0.001")
            if row["verified_gap"][0].isdigit()
        ]
        for links in ("no", "yes")
    )
    return {
        "plane-proved": f"{len(free)}",
        "plane-proved-linked": f"{len(linked)}",
        "plane-cpu": whole(total(free, "cpu_s")),
        "plane-published-cpu": whole(total(free, "cg_dca_s")),
        "plane-u2152-cpu": whole(float(row(free, set="u2152", k="60")["cpu_s"])),
        "plane-large-proved": f"{len(large)}",
        "plane-large-proved-linked": f"{len(large_linked)}",
        "plane-large-cpu": whole(total(large, "cpu_s")),
        "plane-large-published-cpu": whole(total(large, "cg_dca_s")),
        "plane-large-linked-cpu": whole(total(large_linked, "cpu_s")),
    }


def assignment() -> dict[str, str]:
    """Return how much faster the exact assignment is than HiGHS."""
    rows = chosen(table("assignment"), instance="n20000_k20_c1000")
    return {"assignment-ratio": at_least(min(float(row["ratio"]) for row in rows), digits=2)}


def questions() -> dict[str, str]:
    """Return how well *Ask me* and COBRAS find the classes."""
    rows = table("questions")
    found = agreements(chosen(rows, noise="0.0"), "") | agreements(
        chosen(rows, noise="0.2"), "-wrong"
    )
    for method in ("fields", "prototypes"):
        letter = chosen(rows, noise="0.0", set="letter", method=method)
        found[f"letter-{method}"] = f"{mean(float(row['ari_200']) for row in letter):.2f}"
    return found


def agreements(rows: Rows, ending: str) -> dict[str, str]:
    """Return the agreement of *Ask me* and of COBRAS with the classes, over the same seeds."""
    ours, theirs = (
        {(row["set"], row["seed"]): row for row in chosen(rows, method=method)}
        for method in ("fields", "cobras_ts")
    )
    both = ours.keys() & theirs.keys()
    sets = {name for name, _ in both}

    def agreement(of: dict[tuple[str, str], dict[str, str]], asked: int) -> str:
        means = [mean(float(of[key][f"ari_{asked}"]) for key in both if key[0] == s) for s in sets]
        return f"{mean(means):.2f}"

    counts = {
        f"ask{ending}-sets": f"{len(sets)}",
        f"ask{ending}-seeds": f"{len(both) // len(sets)}",
    }
    return counts | {
        f"{name}{ending}-ari-{asked}": agreement(of, asked)
        for name, of in (("ask", ours), ("cobras", theirs))
        for asked in (25, 100)
    }


def questions_beside() -> dict[str, str]:
    """Return how *Ask me* compares with REACT, by ARI: quality, then similarity."""
    found: dict[str, str] = {}
    _, *parts = text("living_questions").split("## ")
    for kind, part in zip(("quality", "similarity"), parts, strict=True):
        for method, won, sets, lead in re.findall(
            r"^- `(\w+)` .*? by ARI on (\d+) of (\d+) sets \(([+-][\d.]+) ", part, re.MULTILINE
        ):
            found[f"react-{method}-{kind}-sets"] = f"{won} of {sets}"
            found[f"react-{method}-{kind}"] = lead.replace("-", "\N{MINUS SIGN}")
    return found


def edits() -> dict[str, str]:
    """Return what a proof takes after one more link, as a share of one from nothing."""
    rows = table("living_edits")
    sets = {row["set"]: [] for row in rows}
    for each in rows:
        sets[each["set"]].append(float(each["share"]))
    right = chosen(rows, same="True", verified="True", verified_again="True")
    return {
        "edits-sets": f"{len(sets)}",
        "edits-links": f"{len(rows)}",
        "edits-kept": percent(sum(each["reopened"] == "0" for each in rows) / len(rows), 0),
        "edits-median": percent(median(share for each in sets.values() for share in each), 1),
        "edits-worst-set": percent(max(map(median, sets.values())), 0),
        "edits-worst": at_most(max(map(max, sets.values())), 2),
        "edits-cpu": whole(total(rows, "warm_s")),
        "edits-cold-cpu": whole(total(rows, "cold_s")),
        "edits-verified": f"{len(right)}",
    }


def wrong_links() -> dict[str, str]:
    """Return what prices of links take, and how often wrong ones are among the ten highest."""
    rows = table("living_wrong")
    proved = table("living_prices")
    found = {
        "wrong-draws": f"{len(rows)}",
        "prices-proved": f"{sum(int(each['proved']) for each in proved)}",
        "prices-cold": at_most(max(float(r["all_s"]) / float(r["cold_s"]) for r in proved)),
        "prices-first": at_most(max(float(each["first_s"]) for each in proved), 2),
    }
    for name, wrong in (("few", "0.05"), ("more", "0.1")):
        sets = {each["set"] for each in chosen(rows, wrong=wrong)}
        drawn = [chosen(rows, wrong=wrong, set=each) for each in sets]
        rates = [10 * total(each, "price") / total(each, "wrong_links") for each in drawn]
        found[f"wrong-{name}"] = f"{sum(rate >= 3.0 for rate in rates)} of {len(sets)}"
        found[f"wrong-{name}-rate"] = f"{median(rates):.1f}"
    return found


def scale() -> dict[str, str]:
    """Return what a million points take."""
    rows = {row["case"]: row for row in table("scale")}
    plain, some, many = (
        rows[f"blobs 1,000,000 x 10, k = 20, {links} links"]
        for links in ("0", "100,000", "1,000,000")
    )
    (soft,) = [row for case, row in rows.items() if case.startswith("pccc: blobs")]
    return {
        "scale-ratio": plain["ratio"],
        "scale-rival-cpu": whole(float(plain["rival_s"])),
        "scale-100000-links-cpu": whole(float(some["cpu_s"])),
        "scale-million-links-cpu": whole(float(many["cpu_s"])),
        "scale-memory": many["memory_in_points"],
        "scale-pccc-cpu": whole(float(soft["cpu_s"])),
    }


def page_load() -> dict[str, str]:
    """Return how quickly the page opens and answers."""
    load = {
        name: float(line[0]) for name, line in cells("page_load").items() if line[0][0].isdigit()
    }
    slower = [100 * ratio - 100 for name, ratio in load.items() if name.endswith("median ratio")]
    return {
        "page-first-paint": f"{load['first paint, median, ms'] / 1000:.1f}",
        "page-updates": whole(load["updates a second, sdp running"]),
        "page-click": at_most(load["click, sdp running, median, ms"] / 1000, 2),
        "page-slows": at_most(max(slower)),
    }


def page_million() -> dict[str, str]:
    """Return how quickly the page of a million points answers."""
    page = {name: line[1] for name, line in cells("page_million").items()}
    return {
        "million-picture": page["first picture, s"],
        "million-click": at_most(float(page["click, median, ms"]) / 1000, 2),
        "million-memory": page["server at most, MB"],
    }


def page_embeddings() -> dict[str, str]:
    """Return what the page of 100,000 points with 384 features takes."""
    page = cells("page_embeddings")
    return {
        "wide-page-load-cpu": page["from the drop to the picture"][0],
        "wide-page-load": page["from the drop to the picture"][1],
        "wide-page-clusters-cpu": page["tab *Clusters*"][0],
        "wide-page-click": at_most(float(page["a click's ring, median"][1]), 2),
        "wide-page-memory": page["server at most, MB"][0],
    }


def memory_left() -> dict[str, str]:
    """Return by how much the server grows with people who have gone."""
    (crowd,) = [line for name, line in cells("page_soak").items() if name.startswith("20 sessions")]
    rows = table("session_memory")
    alone, classes = (
        [row for row in rows if row["what"] == what] for what in ("sessions", "classes")
    )
    grown = float(classes[-1]["rss_mb"]) / float(classes[1]["rss_mb"]) - 1.0
    return {
        "memory-sessions": crowd[2].lstrip("+"),
        "memory-half": alone[len(alone) // 2 - 1]["rss_mb"],
        "memory-whole": alone[-1]["rss_mb"],
        "memory-alone": alone[-1]["sessions"],
        "memory-class": f"{100 * grown:+.1f} %",
        "memory-classes": f"{len(classes)}",
        "memory-objects": whole(float(classes[1]["objects"])),
        "memory-objects-after": whole(float(classes[-1]["objects"])),
    }


def peers() -> dict[str, str]:
    """Return how far defaults are above the best known, ours and those of other programs."""
    found = {}
    for solver, program in (
        ("k-means", "scikit_learn"), ("s-mdeclust", "hgmeans"), ("pck-means", "active_pck"),
    ):  # fmt: skip
        rows = [row for row in chosen(table("peer_defaults"), solver=solver) if row["wcss"]]
        best = {
            name: min(float(row["wcss"]) for row in chosen(rows, set=name))
            for name in {row["set"] for row in rows}
        }
        found[f"peers-{solver}-sets"] = f"{len(best)}"
        for who in ("ccviz", program):
            over = [float(row["wcss"]) / best[row["set"]] - 1 for row in chosen(rows, program=who)]
            name = f"peers-{solver}-{'ours' if who == 'ccviz' else 'theirs'}"
            found |= {name: percent(mean(over), 2), f"{name}-worst": percent(max(over), 1)}
    return found


def embeddings() -> dict[str, str]:
    """Return what k-means of points with 384 features takes, beside other programs."""
    found = {}
    for name, points, k in (
        ("100", "decaying", "100"), ("1000", "decaying", "1000"), ("words", "words", "1000"),
        ("few-words", "words", "100"),
    ):  # fmt: skip
        rows = chosen(table("embeddings"), points=points, d="384", k=k)
        for program in {each["program"] for each in rows}:
            seconds = median(float(each["cpu_s"]) for each in chosen(rows, program=program))
            found[f"wide-{name}-{program.replace(' ', '-')}"] = f"{seconds:.1f}"
    return found


def question_sets() -> dict[str, str]:
    """Return what an answer over a set of five gives beside one about a pair."""
    found = {}
    for size in ("2", "5"):
        rows = chosen(table("question_sets"), size=size)
        for mark in ("5", "10", "25", "50"):
            values = mean(float(row[f"ari_{mark}"]) for row in rows)
            found[f"sets-{size}-ari-{mark}"] = f"{values:.2f}"
        found[f"sets-{size}-links"] = f"{mean(float(row['links_per_answer']) for row in rows):.1f}"
    return found


def installing() -> dict[str, str]:
    """Return what it takes from a wheel to a page."""
    return {
        f"install-{line['way']}-{name}": line[column]
        for line in table("install")
        for name, column in (("cpu", "cpu_s"), ("packages", "packages"), ("mb", "megabytes"))
        if line[column]
    }


def first_solving() -> dict[str, str]:
    """Return the CPU seconds of the first solves from a wheel, and of later ones."""
    return {
        f"{which}-{line['label'].replace(' ', '-')}-{line['solver']}": line[column]
        for line in table("first_solve")
        for which, column in (("first", "first_cpu_s"), ("again", "warm_cpu_s"))
    }


def areas() -> dict[str, str]:
    """Return how near regions of real areas are to their optimum, and other programs to ours."""
    rows = table("regions")
    names = [name for name in rows[0] if name.startswith(("spopt ", "pygeoda "))]
    best = [min(float(row[name]) for name in names) for row in rows]
    above = [other / float(row["objective"]) - 1.0 for other, row in zip(best, rows, strict=True)]
    gaps = [float(row["verified_gap"]) for row in rows]
    return {
        "areas-cases": f"{len(rows)}",
        "areas-proved": f"{sum(gap <= 1e-4 for gap in gaps)}",
        "areas-worst-gap": percent(max(gaps), 1),
        "areas-others-above": f"{sum(each > 1e-6 for each in above)}",
        "areas-others-below": f"{sum(each < -1e-6 for each in above)}",
        "areas-others-median": percent(median(above), 1),
        "areas-others-most": percent(max(above), 0),
    }


def districts() -> dict[str, str]:
    """Return how much of a gap the rows close, and what tables of people's tasks give."""
    found = {}
    for which, share, count in re.findall(
        r"^(\w+).*: the rows close (\d+ %).* the (\d+) problems", text("districts"), re.MULTILINE
    ):
        found |= {f"districts-{which.lower()}": share, f"districts-{which.lower()}-cases": count}
    asked = {row["case"]: row for row in table("asked_for")}
    pupils, stops = asked["pupils"], asked["stops"]
    return found | {
        "pupils-gap": percent(float(pupils["verified_gap"]), 1),
        "pupils-cpu": whole(float(pupils["cpu_s"])),
        "stops-cpu": stops["cpu_s"],
    }


def counted() -> dict[str, str]:
    """Return how many solvers, lessons and notebooks there are."""
    notebooks = len(list((ROOT / "notebooks").glob("*.ipynb")))
    return {
        "solvers": f"{len(SOLVERS)}",
        "lessons": _WORDS[len(LESSONS)],
        "notebooks": _WORDS[notebooks],
    }


def proofs() -> dict[str, str]:
    """Return what both checkers accept, and what altered proofs do to them."""
    rows = table("proofs")
    solving = total(rows, "solve_s")
    accepted = sum(row["first"] == row["second"] == "accepted" for row in rows)
    altered = table("alterations")
    return {
        "proofs": f"{len(rows)}",
        "proofs-accepted": f"{accepted}",
        "proofs-first-share": f"{100 * total(rows, 'first_s') / solving:.1f} %",
        "proofs-second-share": f"{100 * total(rows, 'second_s') / solving:.1f} %",
        "altered": whole(total(altered, "altered")),
        "altered-wrong": whole(total(altered, "wrong")),
    }


def extreme_bounds() -> dict[str, str]:
    """Return how many bounds and statuses are wrong where numbers lie far apart."""
    rows = table("extreme_bounds")
    kinds = ("wrong_status", "wrong_feasible", "wrong_infeasible")
    return {
        "extreme": whole(total(rows, "problems")),
        "extreme-bounds": whole(total(rows, "wrong_bound")),
        "extreme-statuses": whole(sum(total(rows, kind) for kind in kinds)),
    }


def mutants() -> dict[str, str]:
    """Return which changes to the sources the tests notice."""
    lines = re.findall(
        r"^\| `.*?` \| \d+ \| (\d+) \| (\d+) \| (\d+) \|", text("mutants"), re.MULTILINE
    )
    tried, noticed, equivalent = (sum(map(int, column)) for column in zip(*lines, strict=True))
    return {"mutants": f"{tried - equivalent}", "mutants-noticed": f"{noticed}"}


def hostile() -> dict[str, str]:
    """Return what hostile inputs, kills, many features and a hostile class do."""
    kinds = re.findall(r"^\| ([\d,]+) \w+ \| [\d,]+ \| (\d+) \|", text("fuzz"), re.MULTILINE)
    lost = re.search(r"\*\*all\*\* \| (\d+) \| \d+ \| \d+ \| (\d+) \| (\d+) \|", text("chaos"))
    most = re.findall(r"^\| `.*?` \| [\d.]+ \| (\d+) \|", text("wide"), re.MULTILINE)
    crowd = re.findall(
        r"^\| .+? \| \d+ \| (\d+) \| (\d+) \| \d+ \|$", text("class_server"), re.MULTILINE
    )
    (alone, alone_most), (beside, beside_most) = (map(int, line) for line in crowd)
    return {
        "fuzz-inputs": whole(sum(int(inputs.replace(",", "")) for inputs, _ in kinds)),
        "fuzz-wrong": f"{sum(int(wrong) for _, wrong in kinds)}",
        "kills": lost[1],
        "kills-lost": lost[2],
        "kills-elsewhere": lost[3],
        "wide-memory": f"{max(map(int, most))}",
        "class-alone": f"{alone:,}",
        "class-alone-most": f"{alone_most:,}",
        "class-beside": f"{beside:,}",
        "class-beside-most": f"{beside_most:,}",
    }


def workers() -> dict[str, str]:
    """Return what a worker costs."""
    costs = re.findall(
        r"^\| [a-z ]+ \| ([\d.]+) \| [\d.]+ \| (\d+) \|", text("waiting_workers"), re.MULTILINE
    )
    (forked_s, forked_mb), (new_s, new_mb) = costs[:2]
    return {
        "worker-forked-s": forked_s,
        "worker-forked-memory": forked_mb,
        "worker-new-s": new_s,
        "worker-new-memory": new_mb,
    }


def export() -> dict[str, str]:
    """Return the sizes of handouts, in MB."""
    sizes = [line[1] for line in cells("export").values() if line[1][0].isdigit()]
    small, _, large = sizes
    return {"export-small": small, "export-large": large}


def cluster() -> dict[str, str]:
    """Return what the scheduler of a cluster costs, and what it leaves idle."""
    rows = table("divide_workers")
    client, beyond = (
        [
            100 * (float(row["client_cpu_s"]) - idle * float(row["idle_cpu_s"]))
            / float(row["worker_cpu_s"])
            for row in rows
        ]
        for idle in (0, 1)
    )  # fmt: skip
    found = {
        "cluster-share-least": f"{min(client):.1f}",
        "cluster-share-most": f"{max(client):.1f} %",
        "cluster-beyond": f"{max(beyond):.1f} %",
    }
    waits = []
    for which in ("Electric", "gaussians"):
        line = re.search(
            rf"\| {which} \| 64 \| (\S+), .*? \| (\d+) % \| ([\d.]+) \|", text("divide_workers")
        )
        found[f"cluster-{which.lower()}-s"] = f"{float(line[1]):.1f}"
        found[f"cluster-{which.lower()}-used"] = f"{line[2]} %"
        waits.append(float(line[3]))
    return found | {"cluster-wait": f"{max(waits):.1f}"}


def advised() -> dict[str, str]:
    """Return what the advice on solvers rests on."""
    proved = chosen(table("advised"), n="500", solver="sdp")
    seconds = [float(row["cpu_s"]) for row in proved]
    early = {
        solver: [
            100 * float(row["early_gap"])
            for row in chosen(table("advised"), n="1000", solver=solver)
        ]
        for solver in ("divide", "sdp")
    }
    return {
        "advice-500-least": f"{min(seconds):.1f}",
        "advice-500-most": f"{max(seconds):.1f}",
        "advice-divide-gap": f"{max(early['divide']):.2g} %",
        "advice-sdp-gap-least": f"{min(early['sdp']):.2g}",
        "advice-sdp-gap-most": f"{max(early['sdp']):.2g} %",
    }


def constraints() -> dict[str, str]:
    """Return what each solver does with each kind of constraint, a row of cells a solver."""
    return {
        f"can-{name}": " | ".join(_LEVELS.get(cell.level, cell.level) for cell in row.values())
        for name, row in matrix().items()
    }


_LEVELS = {"no": "·", "may break": "may break"}


def advice() -> dict[str, str]:
    """Return the limits of the advice itself."""
    return {
        "advice-sdp-blocks": f"{rules._PROVED_BLOCKS:,}",
        "advice-plane-blocks": f"{rules._PLANE_BLOCKS:,}",
        "advice-tree-s": f"{rules._TREE_S:.0f}",
        "advice-tree-blocks": f"{rules._TREE_BLOCKS:,}",
        "advice-divide-s": f"{rules._DIVIDE_S:.0f}",
        "advice-blocks-a-second": f"{rules._CUT_A_SECOND:,}",
    }


def tests() -> dict[str, str]:
    """Return the hundreds of test functions, and the coverage.

    A function is counted once, however many values it is tried with.
    """
    trees = (ast.parse(path.read_text("utf-8")) for path in (ROOT / "tests").rglob("test_*.py"))
    functions = sum(
        isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for tree in trees
        for node in ast.walk(tree)
    )
    (covered,) = re.findall(r"^\| \*\*TOTAL\*\* .*\*\*(\d+)%\*\*", text("coverage"), re.MULTILINE)
    return {"tests": f"{functions // 100 * 100:,}", "coverage": f"{covered} %"}


SOURCES = [
    sdp_published, divide, classes_proved, sizes_proved, sizes_large, soft_proved,
    memetic_published, colgen, plane, assignment, forecasts, questions, questions_beside,
    edits, wrong_links,
    scale, page_load, page_million, page_embeddings, memory_left, counted, areas, districts,
    proofs,
    extreme_bounds, mutants, hostile,
    peers, embeddings, question_sets, installing, first_solving, workers, export, cluster, advised,
    advice,
    constraints, tests,
]  # fmt: skip


@cache
def figures() -> dict[str, str]:
    """Return every figure by its name, as it is written on a page."""
    found: dict[str, str] = {}
    for source in SOURCES:
        found |= source()
    return found
