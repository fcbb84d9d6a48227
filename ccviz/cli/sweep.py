"""`ccviz sweep`: how the penalty of broken links fares under noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ccviz.cli.common import err, out, tell
from ccviz.cli.parameters import Argument, option
from ccviz.cli.reading import find_data
from ccviz.cli.report import check_writable
from ccviz.data.datasets import Dataset
from ccviz.errors import ParameterError
from ccviz.studies.sweep import (
    NOISES,
    PENALTIES,
    Curve,
    append_row,
    common_range,
    curves,
    read_rows,
    sweep,
)


def sweep_command(
    data: Annotated[list[str], Argument(help="Files or names of data sets with classes.")],
    out_file: Annotated[str, option("--out", help="CSV file; it goes on where it stopped.")],
    plot: Annotated[str | None, option(help="HTML file for the plots.")] = None,
    noise: Annotated[str | None, option(help="Noise rates, A,B,...; 0 to 0.4.")] = None,
    p: Annotated[str | None, option("-p", help="Penalties, A,B,...; 60 up to 0.95.")] = None,
    seeds: Annotated[int, option(help="Seeds for each combination.", min=1)] = 3,
    label: Annotated[str | None, option(help="Name of the files' class column.")] = None,
    step_limit: Annotated[float, option(help="Seconds for one assignment.")] = 200.0,
) -> None:
    """Run BH-kmeans over noise rates and penalties; write ARI and time, draw the good range."""
    check_writable(out_file, plot)
    datasets = [_named(each, label) for each in data]
    rows = read_rows(out_file)
    noises, penalties = _numbers("--noise", noise, NOISES), _numbers("-p", p, PENALTIES)
    total = len(datasets) * len(noises) * len(penalties) * seeds
    tell(f"runs: {total}, rows in the file before: {len(rows)}.")
    left = sweep(datasets, noises, penalties, range(seeds), step_limit, tuple(rows))
    with threadpool_limits(1):
        for row in tqdm(left, total=total, unit=" runs", disable=not err.is_terminal, leave=False):
            append_row(out_file, row)
            rows.append(row)
    found = curves(rows)
    for curve in found:
        out.print(_line(curve), markup=False)
    shared = common_range(found)
    where = "nowhere" if shared is None else f"from p = {shared[0]:g} to {shared[1]:g}"
    out.print(f"good at every noise rate: {where}", markup=False)
    if plot is not None:
        from ccviz.views.figures.sweep import save_sweep

        save_sweep(found, plot)


def _named(word: str, label: str | None) -> Dataset:
    return replace(find_data(word, label=label), name=word)


def _numbers(option: str, text: str | None, default: tuple[float, ...]) -> tuple[float, ...]:
    if text is None:
        return default
    try:
        return tuple(float(item) for item in text.split(","))
    except ValueError:
        raise ParameterError(f"{option} {text} is not numbers joined by commas.") from None


def _line(curve: Curve) -> str:
    best = int(curve.ari.argmax())
    low, high = curve.good_range
    return (
        f"q {curve.noise:<5g} best p {curve.p[best]:<5g} ARI {curve.ari[best]:.3f}  "
        f"good from {low:g} to {high:g}  {curve.time_s.mean():.3f} s a run"
    )
