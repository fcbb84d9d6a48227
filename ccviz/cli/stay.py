"""`ccviz stay`: the clustering nearest to that of an earlier run, within a share of the optimum."""

from __future__ import annotations

from typing import Annotated

from ccviz.cli.common import out
from ccviz.cli.options import LabelsFile
from ccviz.cli.parameters import Argument, option
from ccviz.cli.report import check_writable, write_labels
from ccviz.errors import CcvizError
from ccviz.numbers import count, number
from ccviz.runs.archive import Archive
from ccviz.studies.least_change import LeastChange, least_change


def stay(
    run: Annotated[str, Argument(help="Id, name or end of the id of a run, or 'last'.")],
    near: Annotated[str, Argument(help="The earlier run whose clusters are to stay.")],
    rise: Annotated[
        float, option(min=0.0, help="Share by which the cost may rise, in percent.")
    ] = 1.0,
    top: Annotated[int, option(min=1, help="Number of moved points printed.")] = 20,
    labels: LabelsFile = None,
) -> None:
    """Move as few points as possible from an earlier clustering, at little more than the best cost.

    The answer keeps all hard constraints of the run and costs at most its cost plus the share.
    It is a descent: a clustering with fewer moves may exist.
    """
    check_writable(labels)
    archive = Archive()
    now, before = (archive.load(archive.find(each)) for each in (run, near))
    if now.incumbent is None or before.incumbent is None:
        raise CcvizError("Both runs need a clustering.")
    found = least_change(now.problem, now.incumbent.labels, before.incumbent.labels, rise / 100.0)
    if labels is not None:
        write_labels(labels, found.partition.labels)
    if labels != "-":
        out.print(_words(found, now.objective))
        for point in found.moved[:top].tolist():
            out.print(f"{point}: {found.words(point)}")


def _words(found: LeastChange, best: float) -> str:
    cost = found.partition.objective
    more = f"{100.0 * (cost / best - 1.0):.2g} % more" if best > 0.0 else "as much"
    return (
        f"{count(len(found.moved), 'point')} moved, WCSS {number(cost)}: "
        f"{more} than the clustering of the run"
    )
