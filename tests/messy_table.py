"""A table as people keep them: dates in many ways, amounts, percents, gaps, ids."""

import io

import numpy as np
import pandas as pd

DAYS = {
    "iso_day": "%Y-%m-%d",
    "german_day": "%d.%m.%Y",
    "us_day": "%m/%d/%Y",
    "named_day": "%b %d, %Y",
    "long_day": "%d %B %Y",
}
STAMPS = {"iso_stamp": "%Y-%m-%dT%H:%M:%SZ", "us_stamp": "%m/%d/%Y %I:%M %p"}
AMOUNTS = ("euros", "dollars", "balance", "population")
IDS = ("id", "zip", "version")


def clean_frame(n_rows=120, seed=0):
    """Return the values behind the messy table, as numbers, dates and text."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_rows)

    def noisy(low, high):
        return low + (high - low) * np.clip(
            hidden + 0.1 * rng.normal(size=n_rows), 0, 1
        )

    start = np.datetime64("2020-01-01", "s")
    day = np.timedelta64(86_400, "s")
    minute = np.timedelta64(60, "s")
    frame = pd.DataFrame({"id": [f"{i:05d}" for i in range(n_rows)]})
    for name in DAYS:
        frame[name] = start + noisy(0, 900).astype(int) * day
    for name in STAMPS:
        frame[name] = start + noisy(0, 1_000_000).astype(int) * minute
    frame["iso_stamp"] = frame["iso_stamp"].dt.tz_localize("UTC")
    frame["opens"] = [
        (pd.Timestamp(0) + pd.Timedelta(minutes=int(m))).time() for m in noisy(300, 900)
    ]
    frame["euros"] = np.round(noisy(-500, 90_000), 2)
    frame["dollars"] = noisy(900, 2_000_000).astype(int)
    frame["balance"] = np.round(noisy(-3_000, 3_000), 2)
    frame["population"] = noisy(10, 9_000_000).astype(int)
    frame["share"] = np.round(noisy(0, 1), 3)
    frame["height"] = np.round(noisy(1, 2), 2)
    frame["score"] = pd.array(noisy(0, 60).astype(int), dtype="Int64")
    frame["plain"] = noisy(-1, 1)
    frame["city"] = np.array(["Bonn", "Ulm", "Köln", "Jena"])[
        noisy(0, 3.99).astype(int)
    ]
    frame["zip"] = np.array(["01067", "53111", "89073"])[noisy(0, 2.99).astype(int)]
    frame["version"] = np.array(["1.2.3", "1.10.0", "2.0.1"])[
        noisy(0, 2.99).astype(int)
    ]
    frame["yes"] = noisy(0, 1) > 0.5
    for name in ("german_day", "euros", "score", "city", "opens"):
        frame.loc[rng.random(n_rows) < 0.08, name] = None
    return frame


def messy_words(n_rows=120, seed=0):
    """Return the table as words, in the ways in which people write them."""
    clean = clean_frame(n_rows, seed)
    messy = pd.DataFrame({"id": clean["id"]})
    for name, pattern in (DAYS | STAMPS).items():
        messy[name] = clean[name].dt.strftime(pattern).fillna("")
    messy["opens"] = [t.strftime("%H:%M") if t else "-" for t in clean["opens"]]
    messy["euros"] = ["n.a." if pd.isna(x) else _german(x) for x in clean["euros"]]
    messy["dollars"] = [f"${x:,}" for x in clean["dollars"]]
    messy["balance"] = [
        f"({-x:,.2f})" if x < 0 else f"{x:,.2f}" for x in clean["balance"]
    ]
    messy["population"] = [
        f"{x:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") for x in clean["population"]
    ]
    messy["share"] = [f"{100 * x:.1f}%" for x in clean["share"]]
    messy["height"] = [f"{x:.2f}".replace(".", ",") for x in clean["height"]]
    messy["score"] = ["unknown" if pd.isna(x) else str(x) for x in clean["score"]]
    messy["plain"] = [repr(x) for x in clean["plain"].tolist()]
    messy["city"] = [
        "" if pd.isna(x) else f"{x} " if i % 3 else f" {x}"
        for i, x in enumerate(clean["city"])
    ]
    for name in ("zip", "version", "yes"):
        messy[name] = clean[name].astype(str)
    return messy


def _german(x):
    return f"{x:,.2f} €".translate(str.maketrans(",.", ".,"))


def messy_csv(n_rows=120, seed=0, **options):
    """Return the messy table as the bytes of a CSV file."""
    out = io.StringIO()
    messy_words(n_rows, seed).to_csv(out, index=False, **({"sep": ";"} | options))
    return out.getvalue().encode()


def write_workbook(frame, path):
    """Write a frame as an .xlsx file, with what the standard library has."""
    from workbook import write_xlsx

    write_xlsx(path, {"data": frame})
