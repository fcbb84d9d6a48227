"""The tables of the archive."""

from __future__ import annotations

from typing import Literal, get_args

VERSION = 1
"""Of the tables; stored in the file, and checked when it is opened."""

SCHEMA = """
CREATE TABLE problems (hash TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created REAL NOT NULL,
    dataset TEXT NOT NULL,
    solver TEXT NOT NULL,
    settings TEXT NOT NULL,
    seed INTEGER NOT NULL,
    limits TEXT NOT NULL,
    workers TEXT NOT NULL,
    problem TEXT NOT NULL REFERENCES problems (hash),
    n INTEGER NOT NULL,
    d INTEGER NOT NULL,
    k INTEGER NOT NULL,
    beat REAL NOT NULL,
    pid INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'unknown',
    termination TEXT,
    message TEXT NOT NULL DEFAULT '',
    objective REAL,
    lower_bound REAL,
    gap REAL,
    nodes INTEGER NOT NULL DEFAULT 0,
    time_s REAL NOT NULL DEFAULT 0,
    violations INTEGER,
    ari REAL
);
CREATE TABLE records (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    time_s REAL NOT NULL,
    kind TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run, seq)
);
"""
Study = Literal["prices", "margins"]
"""What is found out about a run after it: its links' prices, its points' margins."""

STUDIES: dict[Study, str] = {
    study: f"""
CREATE TABLE IF NOT EXISTS {study} (
    run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
    data BLOB NOT NULL
)
"""
    for study in get_args(Study)
}
"""A table for each study, made when the first result of its kind is stored."""
ADDED = {
    "owner": "TEXT NOT NULL DEFAULT ''", "shared": "INTEGER NOT NULL DEFAULT 0",
    "boot": "TEXT NOT NULL DEFAULT ''", "tick": "REAL NOT NULL DEFAULT 0",
    "scaling": "TEXT NOT NULL DEFAULT ''", "links": "INTEGER",
}  # fmt: skip
"""Columns of runs that version 0.1 did not have, and does not miss."""
