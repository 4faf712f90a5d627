"""The Kriegspiel board in a real browser: tries by mouse, keys and letters, marks, guesses, and the heat map."""

import pytest
from support.web_site import CHROMIUM, open_browser, open_site

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

DRAW = """async ({ part, choices, key }) => {
    const { drawChess } = await import("/static/chess.js");
    const place = document.createElement("div");
    document.querySelector("main").replaceChildren(place);
    window.tried = [];
    window.draw = (changed, offered) => drawChess(place, { ...part, ...changed }, offered, (a) => tried.push(a), key);
    window.draw({}, choices);
}"""
HEAT = """async ({ part, belief }) => {
    const { drawHeat } = await import("/static/chess.js");
    const place = document.createElement("div");
    document.querySelector("main").replaceChildren(place);
    drawHeat(place, part, belief);
}"""
LABELS = ["d7d8q", "d7d8r", "d7d8b", "d7d8n", "d5e6", "d5c6", "f5e6", "f5g6", "e1d1", "c3d4", "a1d1", "h1f1"]


def men(board):
    """The 64 letters of a board that is written as in a FEN."""
    ranks = reversed(board.split("/"))
    return "".join("." * int(letter) if letter.isdigit() else letter for rank in ranks for letter in rank)


PART = {
    "kind": "chess",
    "men": men("8/3P4/8/3P1P2/8/2B5/PP4PP/R3K2R"),
    "side": 0,
    "turn": True,
    "refused": ["c3h8"],
    "tries": 2,
    "checks": ["file", "knight"],
    "captured": "e5",
    "words": ["White moved.", "Black moved, pawn taken on e5, check on the file, 2 pawn tries."],
    "counts": [["your pawns", 7], ["your pieces", 3], ["the other's pawns", 1], ["the other's pieces", 2]],
    "over": False,
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with open_site(tmp_path_factory.mktemp("site")) as address, open_browser(playwright) as browser:
        page = browser.new_context(base_url=address, viewport={"width": 700, "height": 1100}).new_page()
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.goto("/resistance")
        yield page


@pytest.fixture
def board(page, request):
    """A board of a game of the test's own, and what was tried on it."""
    choices = [{"action": action, "label": label} for action, label in enumerate(LABELS)]
    page.evaluate(DRAW, {"part": PART, "choices": choices, "key": request.node.name})
    yield page
    assert page.troubles == []


def square(page, name):
    return page.locator(f'[data-square="{"abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)}"]')


def tried(page):
    return [LABELS[action] for action in page.evaluate("window.tried")]


def await_tries(page, count):
    """Wait until so much was tried; the page's policy forbids to wait inside of it."""
    for _ in range(200):
        if len(tried(page)) == count:
            return
        page.wait_for_timeout(20)
    pytest.fail(f"{tried(page)} instead of {count} tries")


def drag(page, start, end):
    """Move the mouse with its button down from one place to another."""
    for place, step in ((start, page.mouse.down), (end, page.mouse.up)):
        box = place if isinstance(place, tuple) else place.bounding_box()
        x, y = box if isinstance(box, tuple) else (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(x, y, steps=4)
        step()


def guesses(page):
    labels = page.locator("[data-square][aria-label*='your guess']").evaluate_all(
        "cells => cells.map(cell => cell.getAttribute('aria-label'))"
    )
    return {label.split(", your guess: ")[0]: label.split(", your guess: ")[1] for label in labels}


def test_a_man_is_moved_by_clicks_by_a_drag_and_by_letters(board):
    square(board, "c3").click()
    square(board, "d4").click()
    drag(board, square(board, "a1"), square(board, "d1"))
    board.locator("input[name=move]").fill("H1F1")
    board.keyboard.press("Enter")
    assert tried(board) == ["c3d4", "a1d1", "h1f1"]


def test_a_pawn_on_the_last_rank_is_asked_what_it_becomes(board):
    square(board, "d7").click()
    square(board, "d8").click()
    board.get_by_role("button", name="knight", exact=True).click()
    await_tries(board, 1)
    square(board, "d7").click()
    square(board, "d8").click()
    board.keyboard.press("Escape")
    board.locator("dialog").wait_for(state="detached")
    assert tried(board) == ["d7d8n"]


def test_the_keyboard_is_enough(board):
    square(board, "e2").focus()
    board.keyboard.press("ArrowDown")
    board.keyboard.press("Enter")
    board.keyboard.press("ArrowLeft")
    board.keyboard.press("Enter")
    assert tried(board) == ["e1d1"]


def test_a_drag_to_nowhere_tries_nothing(board):
    drag(board, square(board, "c3"), square(board, "h3"))
    drag(board, square(board, "c3"), (690, 5))
    assert tried(board) == []


@pytest.mark.parametrize(("text", "words"), [("e4", "Write the squares"), ("e2e4", "cannot be"), ("c3h8", "refused")])
def test_what_cannot_be_tried_is_said(board, text, words):
    board.locator("input[name=move]").fill(text)
    board.keyboard.press("Enter")
    assert words in board.locator(".entry-words").inner_text() and tried(board) == []


def test_refusals_checks_captures_and_tries_are_marked(board):
    playwright.expect(board.locator(".overlay .ghost")).to_have_count(1)
    playwright.expect(board.locator(".overlay line.ray")).to_have_count(1)  # up the file: below the king is the edge
    playwright.expect(board.locator(".overlay circle.ray")).to_have_count(3)  # an own pawn stands on the fourth square
    assert square(board, "e5").get_attribute("aria-label").endswith("a piece was captured here last")
    playwright.expect(board.locator(".square.try")).to_have_count(0)
    square(board, "d5").click()  # the tries of the pawn in hand are marked; the button counts all
    playwright.expect(board.locator(".square.try")).to_have_count(2)
    assert board.get_by_role("button", name="Pawn captures: 4").is_visible()
    assert "2 pawn tries" in board.locator(".referee .badge").inner_text()
    assert board.locator(".referee").get_attribute("aria-live") == "polite"


def test_pawn_captures_are_tried_one_after_the_other_until_one_is_accepted(board):
    square(board, "g6").focus()
    board.keyboard.press("p")  # a guess is tried first
    board.get_by_role("button", name="Pawn captures").click()
    assert tried(board) == ["f5g6"]
    rest = [{"action": action, "label": label} for action, label in enumerate(LABELS) if label != "f5g6"]
    board.evaluate("rest => window.draw({ refused: ['c3h8', 'f5g6'] }, rest)", rest)
    await_tries(board, 2)
    board.evaluate("() => window.draw({ turn: false, refused: [], tries: 0 }, [])")
    board.wait_for_timeout(400)
    assert len(tried(board)) == 2


def test_guesses_are_put_moved_undone_and_kept_in_this_browser_only(board):
    square(board, "d6").focus()
    board.keyboard.press("n")
    drag(board, board.get_by_label("Guess a queen"), square(board, "e8"))
    assert guesses(board) == {"d6": "knight", "e8": "queen"}
    assert board.get_by_label("Guess a rook").is_disabled(), "two pieces are left, and both are placed"
    drag(board, square(board, "e8"), square(board, "h8"))
    assert guesses(board) == {"d6": "knight", "h8": "queen"}
    board.get_by_role("button", name="Undo").click()
    drag(board, square(board, "d6"), (690, 5))
    assert guesses(board) == {"e8": "queen"}
    assert "queen" not in board.evaluate("JSON.stringify(localStorage)")
    board.get_by_role("button", name="All at home").click()
    assert len(guesses(board)) == 15  # an own pawn stands on d7
    assert tried(board) == []


def test_a_guess_that_is_proved_wrong_goes_away(board):
    for name in ("d3", "c4", "h6"):
        square(board, name).focus()
        board.keyboard.press("k")
    square(board, "e1").click()
    square(board, "d1").click()
    moved = men("8/3P4/8/3P1P2/8/2B5/PP4PP/R2K3R")
    board.evaluate("moved => window.draw({ men: moved, refused: [] }, [])", moved)
    assert set(guesses(board)) == {"d3", "c4", "h6"}
    rook = men("8/3P4/7R/3P1P2/8/2B5/PP4PP/R2K4")
    board.evaluate("rook => window.draw({ men: rook, refused: [] }, [])", rook)
    assert set(guesses(board)) == {"d3", "c4"}


def test_the_board_can_be_turned(board):
    above = square(board, "e1").bounding_box()["y"]
    board.get_by_role("button", name="Turn the board").click()
    assert square(board, "e1").bounding_box()["y"] < above


def test_a_board_without_a_player_is_only_looked_at(page):
    page.evaluate(DRAW.replace("(a) => tried.push(a)", "null"), {"part": PART, "choices": [], "key": "nobody"})
    playwright.expect(page.locator(".chessboard button, .tray, input[name=move]")).to_have_count(0)


def test_a_belief_is_drawn_with_the_true_men_on_top(page):
    belief = [[0.0] * 64 for _ in range(3)]
    belief[0][60], belief[1][52] = 0.75, 1.0
    whole = PART | {"men": men("4k3/4p3/8/8/8/8/8/4K3")}
    page.evaluate(HEAT, {"part": whole, "belief": belief})
    assert square(page, "e8").get_attribute("aria-label") == "e8, Black king, 75 per cent"
    page.get_by_role("button", name="Pawns").click()
    assert square(page, "e7").get_attribute("aria-label") == "e7, Black pawn, 100 per cent"
    page.evaluate(HEAT, {"part": whole, "belief": None})
    assert "no belief" in page.locator("main").inner_text()
