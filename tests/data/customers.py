"""Tables as an analyst has them: customers with an id, a text, and twelve numbers each."""

import io

import numpy as np
import pandas as pd

N = 3000
VARIANTS = (
    "plain", "no id", "text in every row", "180 blanks", "decimal commas", "latin-1", "excel",
)  # fmt: skip
CITIES = ("Köln", "Málaga", "Besançon", "Århus")


def customers(n: int = N, blanks: int = 0, seed: int = 0) -> pd.DataFrame:
    """Return customers in four groups that twelve numbers tell apart, and their cities do not."""
    rng = np.random.default_rng(seed)
    group = rng.integers(4, size=n)
    centers = rng.normal(size=(4, 12)) * 5
    X = np.round(centers[group] + rng.normal(size=(n, 12)), 3) * np.geomspace(1, 1000, 12)
    table = pd.DataFrame(X, columns=[f"spent_{j}" for j in range(12)])
    table = table.round(4)
    for _ in range(blanks):
        table.iat[rng.integers(n), rng.integers(12)] = np.nan
    table.insert(0, "customer_id", rng.permutation(10 * n)[:n] + 100_000)
    table.insert(1, "city", np.array(CITIES)[rng.integers(len(CITIES), size=n)])
    return table


def customer_file(variant: str, n: int = N) -> tuple[str, bytes]:
    """Return a table of `VARIANTS` as the name and the bytes of a file."""
    table = customers(n, blanks=n * 180 // N if variant == "180 blanks" else 0)
    if variant == "no id":
        table = table.drop(columns="customer_id")
    if variant == "text in every row":
        table["city"] = [f"{city} {i}" for i, city in enumerate(table["city"])]
    if variant == "excel":
        file = io.BytesIO()
        table.to_excel(file, index=False)
        return "customers.xlsx", file.getvalue()
    style = {"sep": ";", "decimal": ","} if variant == "decimal commas" else {}
    text = table.to_csv(index=False, **style)
    return "customers.csv", text.encode("cp1252" if variant == "latin-1" else "utf-8")
