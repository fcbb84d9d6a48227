"""Pictures and the laboratory in a notebook cell, drawn by `ccviz.views` once they are asked for.

The core draws nothing and imports nothing that does: the views are looked up by name, when called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ccviz.distribution import install_command
from ccviz.errors import CcvizError
from ccviz.events import Record
from ccviz.runs.run import Result, Run
from ccviz.runs.stepper import Stepper


class Plots:
    """Pictures of a run: HoloViews objects, which ``+`` puts side by side and ``*`` over another.

    Each has ``save(path, width=None, dpi=300)``, which writes PDF, SVG or PNG without a browser.

    Parameters
    ----------
    records : callable, optional
        Returns the records of the run; without them its state alone can be drawn.

    Raises
    ------
    CcvizError
        By a picture of what the run lacks: a tree, columns priced, residuals, a population, cuts,
        parts, prices or a matrix; and by one of its events where these were not kept.

    Examples
    --------
    >>> from ccviz import Problem, start
    >>> run = start(Problem([[0.0], [1.0], [5.0]], k=2))
    >>> picture = run.plot.scatter() + run.plot.bounds()  # doctest: +SKIP
    """

    def __init__(self, run: Run, records: Callable[[], Sequence[Record]] = tuple) -> None:
        self._run, self._records = run, records

    def scatter(self, x: int | None = None, y: int | None = None) -> Any:
        """Draw the points in their clusters, the centres and the links.

        Parameters
        ----------
        x, y : int, optional
            Features along the axes; principal components if there are more than two features.
        """
        return _drawn("scatter", self._run, x, y)

    def bounds(self, against: str = "time") -> Any:
        """Draw both bounds over the seconds of the run, or over its nodes."""
        return _drawn("bounds", self._run, against)

    def tree(self, axis: str = "bound") -> Any:
        """Draw the search tree; large ones with subtrees folded away.

        Parameters
        ----------
        axis : {"bound", "depth"}
            How high a node is drawn.
        """
        return _drawn("tree", self._run, axis)

    def columns(self) -> Any:
        """Draw the master and the lower bound of a column generation, round by round."""
        return _drawn("columns", self._kept())

    def residuals(self) -> Any:
        """Draw the residuals of a splitting method, iteration by iteration."""
        return _drawn("residuals", self._kept())

    def population(self) -> Any:
        """Draw the members of a memetic search, generation by generation."""
        return _drawn("population", self._kept())

    def cuts(self) -> Any:
        """Draw what separation found, round by round, and how many cuts were active."""
        return _drawn("cuts", self._kept())

    def parts(self) -> Any:
        """Draw the relative gap of each part of a divided problem, the largest first."""
        return _drawn("parts", self._kept())

    def prices(self, prices: Sequence[Any]) -> Any:
        """Draw the price of each link, from its lower to its upper limit if both are known.

        Parameters
        ----------
        prices : sequence of ccviz.studies.link_prices.LinkPrice
            What `Result.link_prices` returned.
        """
        return _drawn("prices", prices)

    def race(self, *others: Run | Result, against: str = "time") -> Any:
        """Draw the bounds of this run and of others over one another."""
        runs = [self._run, *(each if isinstance(each, Run) else each.run for each in others)]
        return _drawn("race", _named(runs), against)

    def _kept(self) -> Sequence[Record]:
        records = self._records()
        if not records:
            raise CcvizError(_NOT_KEPT)
        return records

    def matrix(self) -> Any:
        """Draw the newest matrix of the relaxation, its blocks ordered by the incumbent.

        The solver `sdp` shows it with ``show_relaxation=True``.
        """
        return _drawn("matrix", self._run)


_NOT_KEPT = (
    "the events of this run were not kept: use the result of solve(), or a run that was not "
    "stepped through before."
)


def _named(runs: Sequence[Run]) -> list[tuple[str, Run]]:
    """Return each run with its solver, numbered where two have the same."""
    solvers = [run.started.solver if run.started else "not started" for run in runs]
    return [
        (f"{name} ({place})" if solvers.count(name) > 1 else name, run)
        for place, (name, run) in enumerate(zip(solvers, runs, strict=True), 1)
    ]


def _plots(self: Run | Result | Stepper) -> Plots:
    """Return pictures of the run; see `Plots`."""
    if isinstance(self, Result):
        return Plots(self.run, self.records)
    return Plots(self if isinstance(self, Run) else self.run)


def _save_html(self: Result, path: str | Path, title: str = "") -> None:
    """Write the run as one HTML file: a page to replay it on, with neither server nor network.

    Parameters
    ----------
    title : str, optional
        Title of the page; by default the solver's name.

    Raises
    ------
    CcvizError
        If the events of the run were not kept, or the file cannot be written.
    """
    page, story = (import_module(f"ccviz.views.export.{name}") for name in ("page", "story"))
    records = self.records()
    if not records:
        raise CcvizError(_NOT_KEPT)
    play = story.Play(title or self.solver, self.run.problem, records, len(records))
    page.save_html(path, [play])


def _save_tree(self: Result, path: str | Path) -> None:
    """Write the search tree to a file, for Graphviz (``.dot``, ``.gv``) or LaTeX (``.tex``).

    Raises
    ------
    CcvizError
        If the run has no tree, the suffix is another one, or the file cannot be written.
    """
    import_module("ccviz.views.export.tree_text").save_tree(path, self.run)


def _link_prices(
    self: Result, *, prove: bool = True, solver: str = "sdp", time_limit: float | None = None
) -> Any:
    """Return the price of each hard link: the rise of the optimum that it causes, by two bounds.

    Parameters
    ----------
    prove : bool
        Whether to prove both limits; otherwise the lower ones come from descents, at once.
    solver : str
        The exact solver that proves them.
    time_limit : float, optional
        Seconds for each proof.

    Returns
    -------
    tuple of ccviz.studies.link_prices.LinkPrice
        The highest first.

    Raises
    ------
    CcvizError
        If there is no clustering that keeps the links, no lower bound, or links are soft.
    """
    prices = import_module("ccviz.studies.link_prices")
    return prices.link_prices(self.run, prove=prove, solver=solver, time_limit=time_limit)


def _how_sure(
    self: Result,
    pair: tuple[int, int] | None = None,
    *,
    prove: bool = False,
    solver: str = "sdp",
    time_limit: float | None = None,
) -> Any:
    """Return what it costs to part each point from its cluster, or what the opposite of one pair.

    Both limits of a margin are proved: the lower one by a bound, the upper one by a clustering.

    Parameters
    ----------
    pair : (int, int), optional
        Two points, whose decision is to be the opposite; otherwise each point is compared with the
        most central block of its cluster.
    prove : bool
        Whether a whole proof follows where the bound of the root leaves the limits apart.
    solver : str
        The exact solver of these proofs.
    time_limit : float, optional
        Seconds for each of them.

    Returns
    -------
    ccviz.studies.margin_table.Margins or Margin
        For all points, or for the pair.

    Raises
    ------
    CcvizError
        If there is no clustering that keeps the links, no lower bound, or the problem has rules.
    """
    sure = import_module("ccviz.studies.how_sure")
    options = {"prove": prove, "solver": solver, "time_limit": time_limit}
    if pair is not None:
        return sure.pair_margin(self.run, *pair, **options)
    return sure.how_sure(self.run, **options)


def _least_change(self: Result, old: Any, slack: float = 0.01, most: int | None = None) -> Any:
    """Return a clustering near to an old one that costs little more than this result.

    Few points move; it is a descent, so that fewer may do. The clusters have their old numbers.

    Parameters
    ----------
    old : (n,) int or Result
        The clustering to stay near to; -1 for new points.
    slack : float
        Share by which its cost may exceed that of this result.
    most : int, optional
        The most points that may move, whatever that costs; ``slack`` does not count then.

    Raises
    ------
    CcvizError
        If one of the two has no clustering, this one breaks a hard constraint, or the labels are
        not one a point.
    """
    before = old.labels if isinstance(old, Result) else old
    if self.labels is None or before is None:
        raise CcvizError("Both results need a clustering.")
    study = import_module("ccviz.studies.least_change")
    return study.least_change(self.run.problem, self.labels, before, slack, most)


def _model(self: Result, model: str = "relaxation") -> str:
    """Return the lines that state a model of the problem in cvxpy and solve it.

    They read ``problem`` and ``result``, this one.

    Parameters
    ----------
    model : {"relaxation", "assignment", "master"}
        The semidefinite relaxation of `sdp`, the assignment step of `blp-kmeans`, or the master
        problem of `colgen`.

    Raises
    ------
    CcvizError
        If the model leaves out something that the problem has, such as rules.
    """
    code: str = import_module("ccviz.studies.model_code").model_code(self.run.problem, model)
    return code


def _why(self: Result, point: int, other: int | None = None, time_limit: float = 10.0) -> str:
    """Return why a point is in its cluster: what the next best costs, and what forbids it.

    A second sentence is on its heaviest soft link that is broken.

    Parameters
    ----------
    point : int
    other : int, optional
        A point that is not with it, or is: what it would cost to have both together, or apart,
        between two limits, and what forbids the move of one of them alone.
    time_limit : float
        Seconds for the proof of these limits.

    Raises
    ------
    CcvizError
        If there is no such point, or no clustering.
    """
    if self.partition is None:
        raise CcvizError("There is no clustering.")
    study = import_module("ccviz.studies.why")
    known = study.Why(import_module("ccviz.studies.moves").Moves(self.partition))
    if other is not None:
        sure = import_module("ccviz.studies.how_sure")
        price = sure.price_of_pair(self.run, point, other, time_limit)
        return str(known.pair(point, other, price))
    return str(known.full(point))


Result.save_html = _save_html
Result.how_sure = _how_sure
Result.why = _why
Result.least_change = _least_change
Result.model = _model
Result.link_prices = _link_prices
Result.save_tree = _save_tree
Run.plot = Result.plot = Stepper.plot = property(_plots)


def explore(X: Any, k: int, **problem: Any) -> Any:
    """Open the laboratory in a notebook cell: click pairs, choose a solver, watch it.

    No cell is blocked: the run is a process of its own, which ends with the kernel. Keys act once
    you have clicked in the cell: M for a must-link, C for a cannot-link, ``?`` for the others; the
    notebook gets none of them.

    Parameters
    ----------
    X : (n, d) array of float or data frame
        The columns and the index of a frame are the names of features and points.
    **problem
        ``must_link``, ``cannot_link``, ``sizes``, ``truth``, ``weights`` and ``outliers``
        as for `ccviz.Problem`, sizes also as ``"equal"`` or ``"40-60"``; ``rules`` as texts such as
        ``"size<=50"``; ``names`` of the points; ``scaling`` of the features (``"none"``,
        ``"standard"``, ``"range"``), and the ``axes`` that are drawn, such as ``("x0", "PC 2")``.

    Returns
    -------
    ccviz.views.notebook.laboratory.Laboratory
        A widget: show it as the last value of a cell. Its traits ``links``, ``labels`` and
        ``result`` can be read and observed, and ``links`` can be set.

    Raises
    ------
    CcvizError
        If anything given is malformed.
    """
    return _views("laboratory").explore(X, k, **problem)


def _drawn(name: str, *arguments: Any) -> Any:
    plots = _views("plots")
    plots.load_once()
    return getattr(plots, name)(*arguments)


def _views(name: str) -> Any:
    try:
        return import_module(f"ccviz.views.notebook.{name}")
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("ccviz"):
            raise  # a mistake of ours, not something to install
        raise CcvizError(
            f"pictures need {missing.name}, which is not installed: {install_command('notebooks')}."
        ) from None
