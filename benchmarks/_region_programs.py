"""Areas of libpysal, and the programs of spopt and pygeoda that make k regions of them.

    PYTHON benchmarks/_region_programs.py SET [K SEEDS LIMIT]

Runs in an environment with geopandas, libpysal, spopt and pygeoda. Without K a line of JSON has the
areas: three columns, standardised; the pairs whose shapes touch (queen contiguity); and a column
that stands in for the population. With K a line a program and seed follows, as soon as it is known:
package, program, labels and CPU seconds. The labels are null where it fails, or has not ended after
LIMIT CPU seconds. Programs that draw nothing run once. Nothing here imports ccviz.
"""

import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import geopandas  # noqa: E402
import numpy as np  # noqa: E402
import pygeoda  # noqa: E402
from _peer_programs import out_of_time  # noqa: E402
from libpysal.examples import get_path  # noqa: E402
from libpysal.weights import Queen  # noqa: E402
from spopt import region  # noqa: E402

SETS = {
    "mexico": ("mexicojoin.shp", ["PCGDP1940", "PCGDP1970", "PCGDP2000"], "AREA"),
    "columbus": ("columbus.shp", ["INC", "HOVAL", "CRIME"], "AREA"),
    "Chicago77": ("Chicago77.shp", ["AREA", "PERIMETER", "COMPACT"], "AREA"),
    "sids2": ("sids2.shp", ["SIDR74", "SIDR79", "NWR79"], "BIR79"),
    "georgia": ("G_utm.shp", ["PctRural", "PctBach", "PctBlack"], "TotPop90"),
}


def areas(name):
    """Return the standardised columns of a set as a frame, neighbours, and the population."""
    file, columns, mass = SETS[name]
    frame = geopandas.read_file(get_path(file))
    frame["COMPACT"] = 4 * np.pi * frame.geometry.area / frame.geometry.length**2
    neighbors = Queen.from_dataframe(frame, use_index=False)
    X = frame[columns].to_numpy(float)
    frame[columns] = (X - X.mean(axis=0)) / X.std(axis=0)
    return frame, columns, neighbors, frame[mass].to_numpy(float)


def of_spopt(frame, columns, w, k):
    """Yield the programs of spopt, each as a function of the seed."""
    X = frame[columns].to_numpy()

    def solved(kind, **options):
        model = kind(frame, w, columns, n_clusters=k, **options)
        model.solve()
        return model.labels_

    def kmeans(seed):
        model = region.RegionKMeansHeuristic(X, k, w, seed=seed)
        model.solve()
        return model.labels_

    yield "Skater", False, lambda _: solved(region.Skater)
    yield "WardSpatial", False, lambda _: solved(region.WardSpatial)
    yield "RegionKMeans", True, kmeans
    yield "AZP", True, lambda seed: solved(region.AZP, random_state=seed)
    yield "Spenc", True, lambda seed: solved(region.Spenc, random_state=seed)


def of_pygeoda(frame, columns, w, k):
    """Yield the programs of pygeoda, each as a function of the seed."""
    with tempfile.NamedTemporaryFile("w", suffix=".gal") as file:
        lines = [f"0 {w.n} areas id"]
        for area, near in sorted(w.neighbors.items()):
            lines += [f"{area} {len(near)}", " ".join(map(str, near))]
        file.write("\n".join(lines) + "\n")
        file.flush()
        near = pygeoda.read_gal(file.name, [str(area) for area in range(w.n)])
    data = [frame[column].tolist() for column in columns]
    raw = {"scale_method": "raw"}

    def labels(answer):
        return np.array(answer["Clusters"]) if isinstance(answer, dict) else np.array(answer)

    def tree(kind, *more):
        return lambda _: labels(kind(k, near, data, *more, cpu_threads=1, **raw))

    def zones(kind, *more):
        return lambda seed: labels(
            kind(k, near, data, *more, inits=50, random_seed=seed + 1, **raw)
        )

    yield "skater", False, tree(pygeoda.skater)
    for linkage in ("complete", "average", "ward"):
        yield f"redcap {linkage}", False, tree(pygeoda.redcap, f"fullorder-{linkage}linkage")
    yield "schc ward", False, lambda _: labels(pygeoda.schc(k, near, data, "ward", **raw))
    yield "azp_greedy", True, zones(pygeoda.azp_greedy)
    yield "azp_sa", True, zones(pygeoda.azp_sa, 0.85)
    yield "azp_tabu", True, zones(pygeoda.azp_tabu, 10)


def main():
    warnings.filterwarnings("ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print is no answer
    name, *asked = sys.argv[1:]
    frame, columns, w, mass = areas(name)
    pairs = sorted({(min(i, j), max(i, j)) for i in w.neighbors for j in w.neighbors[i]})
    about = {"X": frame[columns].to_numpy().tolist(), "pairs": pairs, "mass": mass.tolist()}
    print(json.dumps(about | {"columns": columns}), file=answers, flush=True)
    if not asked:
        return
    k, seeds, limit = map(int, asked)
    signal.signal(signal.SIGVTALRM, out_of_time)
    for package, programs in (("spopt", of_spopt), ("pygeoda", of_pygeoda)):
        for program, draws, fit in programs(frame, columns, w, k):
            for seed in range(seeds if draws else 1):
                random.seed(seed)
                np.random.seed(seed)  # noqa: NPY002, the programs draw from it
                began, labels = time.process_time(), None
                signal.setitimer(signal.ITIMER_VIRTUAL, limit)
                with contextlib.suppress(Exception):  # of any kind; it is then no answer
                    labels = [int(label) for label in fit(seed)]
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                spent = time.process_time() - began
                print(json.dumps([package, program, labels, spent]), file=answers, flush=True)


if __name__ == "__main__":
    main()
