"""The documentation's page "The papers, table by table": `papers_page.md`, filled from `results`.

Every cell stands beside the printed one (`printed.py`, and `bh-kmeans/published.csv` in the bench
folder). A cell without a figure of ours has the letter of its reason. The scripts that measure are
`papers_*.py`, `colgen_protocol.py`, `soft_published.py`, `lp_box.py` and `memetic_*.py`;
`_tables_*.py` lay out one paper each, and `_as_printed.py` sums up the solvers as printed.
"""

from __future__ import annotations

from pathlib import Path

import _as_printed
import _pccc_page
import _tables_columns
import _tables_exact
import _tables_heuristics
import _tables_lp_box
import _tables_memetic
import _tables_soft
from _cells import NO_TIME, owing
from _runner import BENCH, RESULTS, parse, read_rows, results
from gene import page as gene_table

from ccviz.solvers import SOLVERS

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
TEMPLATE = Path(__file__).with_name("papers_page.md")


def page(bench: Path) -> str:
    published = read_rows(bench / "bh-kmeans" / "published.csv")
    pccc_published = read_rows(bench / "pccc" / "published.csv")
    return TEMPLATE.read_text(encoding="utf-8").format(
        branch_and_bound=_tables_exact.branch_and_bound(),
        branching_ML=_tables_exact.branching("ML"),
        branching_CL=_tables_exact.branching("CL"),
        branching_both=_tables_exact.branching("both"),
        heuristics=_tables_heuristics.optima(),
        heuristics_best=_tables_heuristics.best(),
        heuristics_matrices=_tables_heuristics.matrices(),
        heuristics_cop=_tables_heuristics.cop(),
        starts=_tables_heuristics.starts(),
        violated=_tables_exact.violated(),
        violated_large=_tables_memetic.violated(),
        scores_ML=_tables_exact.agreement("ML"),
        scores_CL=_tables_exact.agreement("CL"),
        scores_both=_tables_exact.agreement("both"),
        soft_ari=_tables_soft.values(published, "ari"),
        soft_wcss=_tables_soft.values(published, "wcss"),
        penalty_seeds=_tables_soft.sweep_seeds(),
        penalty_verdict=_tables_soft.penalty_verdict(),
        soft_totals=_tables_soft.totals(),
        soft_penalty=_tables_soft.penalty(),
        pccc=_pccc_page.overview(results("papers_pccc"), pccc_published),
        pccc_unlinked=_pccc_page.without_links(results("papers_pccc"), pccc_published),
        pccc_here=_pccc_page.on_same_links(results("papers_pccc"), pccc_published),
        columns=_tables_columns.columns(),
        soybean=_tables_columns.soybean(),
        soybean_draws=_tables_columns.soybean_draws(),
        rivals=_tables_lp_box.rivals(),
        rivals_indices=_tables_lp_box.indices(),
        rivals_broken=_tables_lp_box.broken(),
        made=_tables_lp_box.made(),
        ionosphere=_tables_lp_box.ionosphere(),
        plain=_tables_lp_box.plain(),
        mixed=_tables_lp_box.mixed(),
        more=_tables_lp_box.more(),
        descent=_tables_lp_box.descent(),
        variants=_tables_memetic.variants(),
        variant_seeds=_tables_memetic.variant_seeds(),
        additions=_tables_memetic.additions(),
        synthetic=_tables_memetic.synthetic(),
        synthetic_short=_tables_memetic.synthetic_short(),
        large=_tables_memetic.large(),
        beside_exact=_tables_memetic.beside_exact(),
        hg_means=_tables_memetic.hg_means(),
        gene=gene(),
        picture_gaps=picture("papers_gaps", "papers_exact"),
        picture_grid=picture("soft_grid", "soft_grid"),
        picture_variants=picture("memetic_variants", "memetic_variants"),
        picture_large=picture("papers_memetic", "papers_memetic"),
        **_as_printed.sentences(published),
    )


def picture(name: str, table: str) -> str:
    """Return where a picture is, if it and the table that it shows are there."""
    there = (RESULTS / f"{name}.png").exists() and (RESULTS / f"{table}.csv").exists()
    return f"`results/{name}.png`" if there else NO_TIME


def gene() -> str:
    """Return the table of points of the gene data's shape."""
    done = {row["solver"]: row for row in results("gene")}
    names = [solver.name for solver in SOLVERS if solver.name != "regions"]  # which needs a map
    left = [name for name in names if name not in done]
    rows = [done[name] for name in names if name in done]
    if left:
        text = f"{NO_TIME}: {', '.join(left)}.\n\n" + (gene_table(rows) if rows else "")
        return owing(text, "gene.py", len(left), 60)
    return gene_table(rows)


if __name__ == "__main__":
    PAGE.write_text(page(parse(__doc__, bench=BENCH).bench), encoding="utf-8")
