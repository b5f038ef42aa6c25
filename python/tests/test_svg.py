"""Images of positions."""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml
from typing import Any

import pytest
from common import GAMES, ROOT, random_game

import labrys
from labrys import svg

SVG = "{http://www.w3.org/2000/svg}"


def squares_in(colour: str, picture: str, board: str) -> set[str]:
    """The squares with a rectangle of a colour, White at the bottom."""
    files, ranks = (int(side) for side in board.split("x"))
    rects = [rect for rect in xml.fromstring(picture).iter(f"{SVG}rect") if rect.get("fill") == colour]
    places = [(int(rect.attrib["x"]) // 45, int(rect.attrib["y"]) // 45) for rect in rects]
    assert all(0 <= x < files and 0 <= y < ranks for x, y in places)
    return {f"{chr(ord('a') + x)}{ranks - y}" for x, y in places}


def pieces_in(picture: str) -> int:
    """The number of drawings of pieces."""
    return len([part for part in xml.fromstring(picture) if part.tag == f"{SVG}g"])


def test_every_position_has_an_image(name: str) -> None:
    for seed in range(3):
        position = random_game(labrys.Game(name).start(), seed, plies=20)
        picture = position._repr_svg_()
        root = xml.fromstring(picture)
        assert root.tag == f"{SVG}svg" and position.fen in root.attrib["aria-label"]
        ranks, files = position.game.planes_shape[1:]
        rects = [part for part in root if part.tag == f"{SVG}rect" and "fill-opacity" not in part.attrib]
        assert len(rects) == ranks * files
        board = position.fen.split()[0]
        assert pieces_in(picture) == len(re.sub(r"[/\d]", "", board))
        # Neither ids nor styles: they would clash with those of the page around it.
        assert not re.search(r"\b(id|class|style)=", picture)


def test_sizes() -> None:
    position = labrys.Game("tucchess").start()
    root = xml.fromstring(position.svg(size=700))
    assert (root.get("width"), root.get("height")) == ("500", "700")
    assert svg.board(position, size=700) == position.svg(size=700)
    with pytest.raises(ValueError):
        position.svg(size=0)


def test_the_last_move() -> None:
    chess = labrys.Game("chess").start().play("e4")
    assert squares_in("#d6bc28", chess.svg(), "8x8") == {"e2", "e4"}
    assert squares_in("#d6bc28", chess.svg(last_move=False), "8x8") == set()
    amazons = labrys.Game("amazons").start().play("d1d9,d9j3")
    assert squares_in("#d6bc28", amazons.svg(), "10x10") == {"d1", "d9", "j3"}
    prize = labrys.Game("tucchess").position("5/2k1p/5/2*2/2K2/4P/5 w 0 0 1").play("c3c4=1+a1")
    assert squares_in("#d6bc28", prize.svg(), "5x7") == {"c3", "c4", "a1"}


def test_arrows() -> None:
    position = labrys.Game("chess").start()

    def arrows(picture: str) -> list[str]:
        return [part.attrib["transform"] for part in xml.fromstring(picture) if part.tag == f"{SVG}path"]

    assert arrows(position.svg()) == []
    straight = arrows(position.svg(arrows=["e2e4"]))
    assert straight == ["translate(202.5 292.5) rotate(-90.00)"]
    for same in ("e4", position.move("e4")):
        assert arrows(position.svg(arrows=[same])) == straight
    # A move of a later position, by its squares.
    assert len(arrows(position.svg(arrows=["e2e4", "e7e5"]))) == 2
    assert len(arrows(labrys.Game("amazons").start().svg(arrows=["d1d9,d9j3"]))) == 2
    for wrong in ("e5", "e2e9", "nonsense"):
        with pytest.raises(ValueError, match="e5|e9|nonsense"):
            position.svg(arrows=[wrong])


def test_a_flipped_board() -> None:
    position = labrys.Game("chess").start().play("e4")
    turned = position.svg(flipped=True)
    assert turned == svg.board(position, flipped=True)
    assert squares_in("#d6bc28", turned, "8x8") == {"d7", "d5"}
    assert pieces_in(turned) == 32


def test_colours() -> None:
    picture = xml.fromstring(labrys.Game("chess").position("k7/8/8/8/8/8/8/7K w - - 0 1").svg())
    kings = {part.attrib["transform"]: part[0].get("fill") for part in picture if part.tag == f"{SVG}g"}
    assert kings == {"translate(0 0)": "#2b2622", "translate(315 315)": "#fffdf8"}


def test_a_piece_without_a_drawing_shows_its_letter() -> None:
    assert "<text" in svg._drawing("x", "") and ">x<" in svg._drawing("x", "no such drawing")
    xml.fromstring(svg._drawing("&", ""))


def test_a_game_without_drawings_shows_its_diagram() -> None:
    class Game:
        title: str = "Nim & more"
        pieces: tuple[()] = ()

    class Position:
        game, last_move = Game(), None
        # No board with a billion squares.
        fen = "1000000000 <\x00>"

        def diagram(self) -> str:
            return "a  <b>\n\x07c"

    position: Any = Position()
    root = xml.fromstring(svg.board(position, size=100))
    assert [text.text for text in root.iter(f"{SVG}text")] == ["a\xa0\xa0<b>", "\ufffdc"]
    assert root.attrib["aria-label"] == "Nim & more: 1000000000 <\ufffd>"
    assert max(int(root.attrib["width"]), int(root.attrib["height"])) == 100


def test_the_drawings_agree_with_the_web_board() -> None:
    page = (ROOT / "crates" / "web" / "src" / "page" / "looks.js").read_text()
    base = re.search(r'const BASE = "(.*)";', page)
    assert base and base[1] == svg._BASE
    pieces = {
        name: (body.replace("${BASE}", svg._BASE), lines or "")
        for name, body, lines in re.findall(
            r'^  (\w+): \{ body: [`"]([^`"]+)[`"](?:, lines: "([^"]+)")? \}', page, re.MULTILINE
        )
    }
    assert pieces == svg._PIECES
    for name, drawing in svg._OBJECTS.items():
        assert name in page
        for path in re.findall(r' d="([^"]+)"', drawing):
            assert f'd: "{path}"' in page
    used = {drawing for name in GAMES for *_, drawing in labrys.Game(name).pieces}
    assert used <= svg._PIECES.keys() | svg._OBJECTS.keys()
