"""`ccviz stay`: what moves from an earlier clustering, and why."""


def test_few_points_move(ccviz, folder):
    (folder / "a.csv").write_text("x\n0\n1\n2\n5.4\n9\n10\n11\n")
    (folder / "links.txt").write_text("CL 3 2\n")
    assert ccviz("solve", "a.csv", "-k", 2, "--solver", "sdp", "--name", "before").code == 0
    again = ccviz("solve", "a.csv", "-k", 2, "--links", "links.txt", "--solver", "sdp")
    assert again.code == 0
    done = ccviz("stay", "last", "before", "--rise", 0, "--labels", "labels.csv")
    assert done.code == 0
    assert "1 point moved" in done.out
    assert "3: Moved: its old cluster would break a constraint." in done.out
    labels = [int(line) for line in (folder / "labels.csv").read_text().splitlines()]
    assert len(labels) == 7
    assert labels[3] == labels[4] != labels[2]
