"""Which expert was wrong? The highest price of a link shows it."""

from __future__ import annotations

from math import inf

from ccviz.numbers import count, number
from ccviz.studies.price_table import LinkPrice
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Lesson, Memory
from ccviz.views.lessons.needs import cost, has_prices, lacks_highest, proved, takes
from ccviz.views.lessons.steps import remembers, run_step, set_up_and_run, step
from ccviz.views.link_table import KIND_WORDS, Link

_LINKS, _WRONG, _SEED = 30, 3, 3


def _price(session: Session) -> None:
    """Prove the prices, and let the plot show them."""
    session.links_drawn = "price"
    with session.in_words():
        session.pricing.start()


def _highest(session: Session, memory: Memory) -> str:
    """Name the links of the highest prices, remember them, and say which are wrong."""
    rows = session.pricing.known.rows[:_WRONG]
    memory[-1]["highest"] = tuple(Link(row.kind, row.i, row.j) for row in rows)
    wrong = sum(_is_wrong(session, row) for row in rows)
    first = rows[0]
    return (
        f"The highest price has the {KIND_WORDS[first.kind]} {first.i}-{first.j}: it raises the "
        f"optimum by {number(first.lower, 4)}. Of the {_WRONG} highest {wrong} contradict the "
        "known classes."
    )


def _is_wrong(session: Session, price: LinkPrice) -> bool:
    truth = session.draft.data.truth
    assert truth is not None
    return bool((truth[price.i] == truth[price.j]) != (price.kind == "must"))


def _without_highest(session: Session) -> None:
    known = session.pricing.known
    rows = known.rows[:_WRONG] if known is not None else ()
    session.remove_links([Link(row.kind, row.i, row.j) for row in rows])
    session.set_solver("sdp")
    session.start()


def _better(session: Session, memory: Memory) -> str:
    said = remembers("The optimum falls from {first_objective} to {objective}")(session, memory)
    run = session.run
    assert run is not None
    assert run.incumbent is not None
    ari = run.incumbent.scores["ari"]
    left = count(len(session.draft.links), "link")
    return f"{said}, and the agreement with the classes is {ari:.2f} (ARI), with {left}."


LESSON = Lesson(
    "Which expert was wrong?",
    (
        run_step(
            f"Draw {_LINKS} links from iris's classes, a tenth of them wrong, and prove the best "
            "clustering that keeps them all.",
            set_up_and_run("iris", "sdp", links=_LINKS, noise=0.1, seed=_SEED),
            remembers("The optimum is {objective}. It keeps the wrong links as well as the right."),
            "sdp",
            takes("iris", links=_LINKS),
            cost(inf),
            proved,
        ),
        step(
            "Prove what each link costs: press Prices under the list of links, then Highest first.",
            _price,
            _highest,
            has_prices,
        ),
        run_step(
            f"Delete the {_WRONG} links with the highest prices, and run again.",
            _without_highest,
            _better,
            "sdp",
            takes("iris", links=_LINKS - _WRONG),
            lacks_highest,
            proved,
        ),
    ),
    aim="Find the wrong links by what each of them costs, with proof.",
    paper=(
        "The price of a link is the optimum less the optimum without the link. Both are proved by "
        "branch and bound, so a price has two limits that no other clustering can change."
    ),
    look=(
        "Choose By price as the way in which links are drawn: a wide line is a link that the data "
        "resist. Most lines are thin, since most links are kept by the best clustering anyway."
    ),
    exercises=(
        (
            "Why do most links cost nothing?",
            "The best clustering without such a link keeps it all the same.",
        ),
        (
            "Is a link of a high price always wrong?",
            "No: a right link may contradict the geometry, which makes it a useful answer. "
            "These 30 links were chosen so that the three wrong ones have the highest prices; in "
            "other draws they are mixed. The price says which links to ask about again.",
        ),
    ),
)
