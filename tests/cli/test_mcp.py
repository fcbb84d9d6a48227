"""The tools of the Model Context Protocol, by the protocol's own client."""

import json
import os
import sys

import pytest

from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from tests.enumeration import least_wcss

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")

READING = {"describe", "runs", "show", "verify", "why", "solvers", "rules"}
STORING = {"solve", "prices", "margins"}
WRITING = {"json", "labels", "table", "profile", "report_file", "out_file", "delete", "workers"}
"""Parameters of these commands that write files, delete runs or call other machines."""
POINTS = [[0, 0], [0, 1], [4, 0], [4.5, 1], [9, 9], [9, 7]]
TABLE = "name,x,y,kind\nA,0,0,u\nB,0,1,v\nC,4,0,u\nD,4.5,1,v\nE,9,9,u\nF,9,7,v\n"


@pytest.fixture
def served(folder):
    """Return what calls of tools answer; the folder that is served is beside the archive."""
    (folder / "data").mkdir()
    (folder / "data" / "points.csv").write_text(TABLE)
    return lambda *calls: anyio.run(_answers, folder / "data", calls)


async def _answers(folder, calls):
    """Return the tools, and of each call whether it failed and its texts."""
    command = ["-P", "-m", "ccviz", "mcp", str(folder)]
    env = {**os.environ, "CCVIZ_HOME": "home"}  # from the folder that the server is started in
    server = mcp.StdioServerParameters(command=sys.executable, args=command, env=env)
    found = []
    async with mcp.Client(server) as client:
        listed = (await client.list_tools()).tools
        for name, given in calls:
            answer = await client.call_tool(name, given)
            found.append((answer.is_error, [each.text for each in answer.content]))
    return listed, found


def files(folder):
    """Return the content of every file but those of the archive."""
    found = [path for path in folder.rglob("*") if not path.is_relative_to(folder / "home")]
    return {path: path.read_bytes() for path in found if path.is_file()}


def test_the_tools_say_what_they_take(served):
    tools, _ = served()
    reading = {each.name for each in tools if each.annotations.read_only_hint}
    assert (reading, {each.name for each in tools} - reading) == (READING, STORING)
    for tool in tools:
        taken = tool.input_schema["properties"]
        assert not WRITING & taken.keys()
        assert tool.description
        assert all(each["description"] for each in taken.values())
        assert set(tool.input_schema["required"]) <= taken.keys()
    kinds = {each.name: each.input_schema["properties"] for each in tools}
    assert kinds["why"]["points"]["items"] == {"type": "string"}
    assert kinds["prices"]["prove"]["type"] == "boolean"


@pytest.mark.slow
def test_a_table_is_solved_and_the_answer_checked(served, folder):
    before = files(folder)
    given = {"data": "points.csv", "k": 2, "links": "CL 0 1\n", "solver": "sdp", "name": "first"}
    _, answers = served(
        ("solve", given),
        ("verify", {"run": "first"}),
        ("why", {"run": "last", "points": [1, 5], "data": "points.csv"}),
        ("why", {"run": "last", "points": [0], "other": "1"}),
    )
    assert not any(failed for failed, _ in answers)
    (solved, *_), [verdict], [why], [other] = (texts for _, texts in answers)
    result = json.loads(solved)
    best = least_wcss(Problem(POINTS, 2, cannot_link=[(0, 1)]))
    assert (result["status"], result["objective"]) == ("optimal", pytest.approx(best, rel=1e-6))
    assert result["lower_bound"] <= best * (1 + 1e-9)
    assert result["labels"][0] != result["labels"][1]
    assert verdict.startswith("proved within gap")
    assert ["cannot-link" in line for line in why.splitlines()] == [True, False]
    assert other.startswith("No clustering has 0 and 1 together: cannot-link 0-1 contradicts")
    assert [each.name for each in Archive().runs()] == ["first"]
    assert files(folder) == before


@pytest.mark.slow
def test_what_else_an_agent_may_look_at(served, folder):
    (folder / "data" / "links.txt").write_text("ML A C\nCL A B\n")
    given = {"data": "points.csv", "k": "2", "link_file": "links.txt", "solver": "sdp"}
    _, answers = served(
        ("describe", {"data": "points.csv"}),
        ("solve", given),
        ("solve", {**given, "k": 5, "sizes": "3", "rule": ["count(kind=u)<=2"]}),
        ("show", {"run": "last"}),
        ("prices", {"run": "last", "prove": False}),
        ("margins", {"run": "last", "top": 2, "time_limit": None}),
        ("runs", {"words": "sdp"}),
        ("solvers", {"name": "sdp"}),
        ("rules", {}),
        ("solve", {"data": "iris", "k": 3, "solver": "k-means", "time_limit": 5}),
    )
    assert [failed for failed, _ in answers] == [False, False, True, *[False] * 7]
    described, solved, [refused], shown, prices, margins, *_ = (texts for _, texts in answers)
    assert "kind=u" in described[0]
    assert json.loads(solved[0])["violations"]["hard"] == 0
    assert "sizes" in refused
    assert json.loads(shown[0]) == json.loads(solved[0])
    assert "must" in prices[0]
    assert "points proved to stay" in margins[0]


def test_what_is_refused_is_a_sentence_and_leaves_all_as_it_was(served, folder):
    inside = folder / "data"
    (folder / "secret.csv").write_text("x\n1\n2\n3\n")
    (inside / "link.csv").symlink_to(folder / "secret.csv")
    (inside / "loop.csv").symlink_to(inside / "loop.csv")
    (inside / "sub").mkdir()
    before = files(folder)
    table = {"data": "points.csv", "k": 2}
    elsewhere = ["/etc/passwd", "../secret.csv", str(folder / "secret.csv"), "link.csv", ".."]
    nowhere = ["sub", "gone.csv", "loop.csv", "-", "--help", "x" * 5000]
    calls = [
        *(("describe", {"data": name}, "not in") for name in elsewhere),
        *(("describe", {"data": name}, "no file") for name in nowhere),
        ("describe", {"data": "points.csv\0"}, "plain text"),
        ("solve", {**table, "k": 10**30}, "more than the 6 points"),
        ("solve", {**table, "k": {"a": 1}}, "plain text"),
        ("solve", {**table, "k": "--labels=out.txt"}, "no number"),
        ("solve", {**table, "table": "out.csv"}, "does not take 'table'"),
        ("solve", {**table, "time_limit": 1e9}, "up to 600"),
        ("solve", {**table, "time_limit": [float(601)]}, "up to 600"),
        ("solve", {**table, "links": "ML 0 99"}, "99"),
        ("solve", {**table, "link_file": "/etc/passwd"}, "not in"),
        ("solve", {**table, "neighbors": "/etc/passwd"}, "not in"),
        ("solve", {**table, "start_from": "../secret.csv"}, "not in"),
        ("solve", {**table, "fixed_centers": "../secret.csv"}, "not in"),
        ("solve", {**table, "rule": ["size>=1 or overlap(../secret.csv)<=1"]}, "not in"),
        ("solve", {**table, "name": "x" * 3_000_000}, "too long"),
        ("verify", {"run": "--version"}, "no run '--version'"),
        ("verify", {"run": "../run.ccviz"}, "whose files alone may be read"),
        ("shell", {}, "no tool 'shell'"),
    ]
    _, answers = served(*((name, given) for name, given, _ in calls))
    for (name, given, words), (failed, [text]) in zip(calls, answers, strict=True):
        assert failed, (name, given)
        assert words in text, (name, given)
        assert "\n" not in text
    assert files(folder) == before
    assert Archive().runs() == []


def test_no_folder_is_not_served(ccviz, folder):
    assert ccviz("mcp", "gone").sentence == "gone is no folder."
