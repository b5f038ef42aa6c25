"""SVG images of positions, which a notebook shows for a `Position`.

An image is a complete document, without styles or ids that could clash with those of the page around it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ._arguments import whole_number

if TYPE_CHECKING:
    from ._labrys import MoveLike, Position

__all__ = ["board"]

# The side of a square in units of the image. The drawings are made for it.
_SIDE = 45

# The maximum size of an image, in pixels.
_LARGEST = 100_000

_LIGHT, _DARK = "#f0e0c4", "#b58a62"
_LIGHT_TEXT, _DARK_TEXT = "#7d5833", "#fff3e0"
_LAST = "#d6bc28"
_ARROW, _SECOND = "#1f7a3d", "#2f5fa8"

# The colours of fill, outline and inner lines of White's and Black's pieces.
_WHITE = ("#fffdf8", "#2b2622", "#2b2622")
_BLACK = ("#2b2622", "#14110f", "#e9e3db")

_BASE = "M11 39.5v-3c0-1.7 1.3-3 3-3h17c1.7 0 3 1.3 3 3v3z"

# The pieces of the players by the name of their drawing: the outline and the inner lines.
_PIECES: dict[str, tuple[str, str]] = {
    "pawn": (
        "M22.5 8.5a6.2 6.2 0 0 1 3.9 11h2.4v2.9h-2.7c.5 4.7 2.3 8.2 5 11.1H13.9c2.7-2.9 4.5-6.4 5-11.1h-2.7"
        "v-2.9h2.4a6.2 6.2 0 0 1 3.9-11z" + _BASE,
        "",
    ),
    "rook": (
        "M11.5 9h5v3.5h3.5V9h5v3.5h3.5V9h5v8.5L30 20.5v10l1.5 3h-18l1.5-3v-10l-3.5-3z" + _BASE,
        "M15 20.5h15M15 30.5h15",
    ),
    "knight": (
        "M13.5 33.5c0-6.8 6.8-9 7.3-14-2.7 1.3-3.8 3.9-6.8 4.7-2.7.7-4.6-1.6-3.5-3.9 1.5-3.1 4.4-5.3 5.6-8.6"
        "l.8-5 4 3.2c9 .2 13.6 7 13.6 15.8 0 2.9-.4 5.3-1 7.8z" + _BASE,
        "M17.9 15.2v.1M27 12.5c3 2.3 4.3 6.5 4.2 11.5",
    ),
    "bishop": (
        "M22.5 5.5a2.6 2.6 0 0 1 1.7 4.6c4.3 2.9 7 6.9 7 10.9 0 2.7-1.4 4.9-3.5 6.2l1.7 6.3H15.6l1.7-6.3"
        "c-2.1-1.3-3.5-3.5-3.5-6.2 0-4 2.7-8 7-10.9a2.6 2.6 0 0 1 1.7-4.6z" + _BASE,
        "M22.5 14.5v8M18.5 18.5h8M17.3 27.2h10.4",
    ),
    "queen": (
        "M13 33.5 9.3 15.2l6.5 8.2.9-12.2 5.8 11 5.8-11 .9 12.2 6.5-8.2L32 33.5zM9 15.3a2.4 2.4 0 1 1 .1 0z"
        "M16.6 11.4a2.4 2.4 0 1 1 .1 0zM28.3 11.4a2.4 2.4 0 1 1 .1 0zM35.9 15.3a2.4 2.4 0 1 1 .1 0z" + _BASE,
        "M14 28.5h17",
    ),
    "king": (
        "M21 5h3v2.6h2.7v3H24v5.2c4-3.9 11.1-2.9 11.1 4 0 5.2-4.6 8-5.1 13.7H15c-.5-5.7-5.1-8.5-5.1-13.7"
        " 0-6.9 7.1-7.9 11.1-4v-5.2h-2.7v-3H21z" + _BASE,
        "M22.5 19.5v9.8M16 29.3h13",
    ),
    "disc": ("M22.5 7a15.5 15.5 0 1 1-.1 0z", "M22.5 12.5a10 10 0 1 1-.1 0z"),
}

# Objects that belong to no player.
_OBJECTS: dict[str, str] = {
    "coin": (
        '<circle cx="22.5" cy="22.5" r="11" fill="#f2c230" stroke="#8c650b" stroke-width="1.6"/>'
        '<path d="M22.5 14.6l2.3 5.1 5.5.6-4.1 3.7 1.2 5.4-4.9-2.8-4.9 2.8 1.2-5.4-4.1-3.7 5.5-.6z"'
        ' fill="#fff3c4" stroke="#8c650b" stroke-width="0.8" stroke-linejoin="round"/>'
    ),
    "tile": (
        '<rect x="4" y="4" width="37" height="37" rx="7" fill="#59636b" stroke="#343c42"'
        ' stroke-width="1.6"/>'
        '<path d="M15.5 29.5 27 18M18 27l-5.5.5M18 27l-.5 5.5M21.5 23.5l-5.5.5M21.5 23.5l-.5 5.5"'
        ' fill="none" stroke="#c6d0d6" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>'
        '<path d="M33.5 11.5l-10.5 3.5 7 7z" fill="#c6d0d6"/>'
    ),
}

# Half a move: its squares, and the letter of a promotion. A move of Amazons has two halves and a comma.
_HALF = re.compile(r"([a-z]\d+)([a-z]\d+)[a-z]?")
_MOVE = re.compile(rf"{_HALF.pattern}(?:,{_HALF.pattern})?(?:=[01])?(?:\+([a-z]\d+))?")


def board(
    position: Position,
    *,
    size: int = 400,
    arrows: Iterable[MoveLike] = (),
    last_move: bool = True,
    flipped: bool = False,
) -> str:
    """Draws a position. A game without drawings, such as one in Python, is shown by its text diagram.

    Args:
        position: The position.
        size: The longer side of the image, in pixels.
        arrows: Moves to draw as arrows. They may be illegal here if they are given by their squares, as in
            `e2e4`. In Amazons there is a second arrow for the shot.
        last_move: Whether to highlight the squares of the last move.
        flipped: Whether Black is at the bottom.

    Returns:
        The image as XML.
    """
    pixels = whole_number("size", size)
    if not 1 <= pixels <= _LARGEST:
        raise ValueError(f"size: expected a number of pixels from 1 to {_LARGEST}, not {size}")
    if not position.game.pieces:
        return _text_picture(position, pixels)
    rows = _read_board(position.fen)
    ranks, files = len(rows), max(len(row) for row in rows)
    marked: set[str] = set()
    if last_move and position.last_move is not None:
        marked = {square for half in _squares(str(position.last_move)) for square in half}
    if isinstance(arrows, (str, bytes)):
        raise TypeError(f"arrows: expected a list or another iterable, not the text {arrows!r}")
    if not isinstance(arrows, Iterable):
        raise TypeError(f"arrows: expected a list or another iterable, not {type(arrows).__name__}")
    texts = [_text_of(position, arrow) for arrow in arrows]
    drawings = {letter: drawing for letter, _, drawing in position.game.pieces}
    scale = pixels / max(ranks, files)
    width, height = round(files * scale), round(ranks * scale)

    def corner(square: str) -> tuple[int, int]:
        """The upper left corner of a square, in units of the image."""
        file, rank = ord(square[0]) - ord("a"), int(square[1:]) - 1
        if not (file < files and 0 <= rank < ranks):
            raise ValueError(f"`{square}` is no square of the board")
        column, row = (files - 1 - file, rank) if flipped else (file, ranks - 1 - rank)
        return column * _SIDE, row * _SIDE

    parts = [_head(position, (width, height), (files * _SIDE, ranks * _SIDE))]
    for rank in range(ranks):
        for file in range(files):
            square = f"{chr(ord('a') + file)}{rank + 1}"
            x, y = corner(square)
            light = (file + rank) % 2 == 1
            parts.append(_rect(x, y, _LIGHT if light else _DARK))
            if square in marked:
                parts.append(_rect(x, y, _LAST, opacity=0.5))
            colour = _LIGHT_TEXT if light else _DARK_TEXT
            if y == (ranks - 1) * _SIDE:
                parts.append(_label(x + _SIDE - 2, y + _SIDE - 3, square[0], "end", colour))
            if x == 0:
                parts.append(_label(x + 2, y + 9, square[1:], "start", colour))
            letter = rows[ranks - 1 - rank][file] if file < len(rows[ranks - 1 - rank]) else ""
            if letter:
                drawing = _drawing(letter, drawings.get(letter.lower(), ""))
                parts.append(f'<g transform="translate({x} {y})">{drawing}</g>')
    for text in texts:
        halves = [half for half in _squares(text) if len(half) == 2]
        for colour, (start, end) in zip((_ARROW, _SECOND), halves, strict=False):
            parts.append(_arrow(corner(start), corner(end), colour))
    return "".join(parts) + "</svg>"


def _head(position: Position, pixels: tuple[int, int], units: tuple[int, int]) -> str:
    """The opening tag of an image: its size in pixels and in units, and a text alternative."""
    title = _printable(f"{position.game.title}: {position.fen}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{pixels[0]}" height="{pixels[1]}"'
        f' viewBox="0 0 {units[0]} {units[1]}" role="img" aria-label={quoteattr(title)}>'
    )


def _text_picture(position: Position, size: int) -> str:
    """The diagram of a position as an image."""
    lines = _printable(position.diagram()).split("\n")
    # The width of a character in this font is three fifths of its height.
    width, height = 12 * max(1, *map(len, lines)) + 20, 24 * len(lines) + 20
    scale = size / max(width, height)
    parts = [
        _head(position, (round(width * scale), round(height * scale)), (width, height)),
        f'<rect width="{width}" height="{height}" fill="{_LIGHT}"/>',
    ]
    for number, line in enumerate(lines, 1):
        # XML collapses ordinary spaces.
        text = escape(line.replace(" ", "\N{NO-BREAK SPACE}"))
        parts.append(
            f'<text x="10" y="{24 * number + 4}" font-family="monospace" font-size="20"'
            f' fill="{_WHITE[1]}">{text}</text>'
        )
    return "".join(parts) + "</svg>"


def _printable(text: str) -> str:
    """Replaces characters that XML does not allow; line ends stay."""
    return re.sub(r"[^\n\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\N{REPLACEMENT CHARACTER}", text)


def _read_board(fen: str) -> list[list[str]]:
    """The rows of the board from the highest rank down: a letter or an empty string for each square."""
    rows: list[list[str]] = []
    for text in fen.split()[0].split("/"):
        row: list[str] = []
        for part in re.findall(r"\d+|\D", text):
            row += [""] * int(part) if part.isdecimal() else [part]
        rows.append(row)
    return rows


def _text_of(position: Position, move: MoveLike) -> str:
    """The text of a move by its squares; a move in another notation must be legal."""
    text = str(move)
    return text if _MOVE.fullmatch(text) else str(position.move(move))


def _squares(text: str) -> list[list[str]]:
    """The squares of a move: start and end of each half, then the square of a prize that has appeared."""
    match = _MOVE.fullmatch(text)
    if match is None:
        return []
    start, end, arrow_start, arrow_end, appeared = match.groups()
    halves = [[start, end], [arrow_start, arrow_end], [appeared]]
    return [half for half in halves if half[0] is not None]


def _drawing(letter: str, name: str) -> str:
    """The drawing of a piece, in a box with the size of a square."""
    if name in _OBJECTS:
        return _OBJECTS[name]
    fill, outline, inner = _WHITE if letter.isupper() else _BLACK
    if name not in _PIECES:
        colour = fill if letter.isalpha() else "#59636b"
        return (
            f'<text x="22.5" y="33" text-anchor="middle" font-family="sans-serif" font-size="30"'
            f' font-weight="bold" fill="{colour}" stroke="{outline}" stroke-width="0.8">'
            f"{escape(letter)}</text>"
        )
    body, lines = _PIECES[name]
    strokes = 'stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"'
    drawing = f'<path d="{body}" fill="{fill}" stroke="{outline}" {strokes}/>'
    if lines:
        drawing += f'<path d="{lines}" fill="none" stroke="{inner}" {strokes}/>'
    return drawing


def _rect(x: float, y: float, colour: str, opacity: float = 1) -> str:
    faint = f' fill-opacity="{opacity}"' if opacity < 1 else ""
    return f'<rect x="{x}" y="{y}" width="{_SIDE}" height="{_SIDE}" fill="{colour}"{faint}/>'


def _label(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-family="sans-serif" font-size="8"'
        f' fill="{colour}">{text}</text>'
    )


def _arrow(start: tuple[int, int], end: tuple[int, int], colour: str) -> str:
    """An arrow between the centres of two squares, given by their corners."""
    x, y, to_x, to_y = (value + _SIDE / 2 for value in (*start, *end))
    length = math.hypot(to_x - x, to_y - y)
    angle = math.degrees(math.atan2(to_y - y, to_x - x))
    tip, neck = length - 5, length - 19
    # Along the x axis, then rotated and translated.
    shape = f"M9 -3.5H{neck:.2f}V-9.5L{tip:.2f} 0L{neck:.2f} 9.5V3.5H9z"
    return (
        f'<path d="{shape}" transform="translate({x} {y}) rotate({angle:.2f})" fill="{colour}"'
        ' fill-opacity="0.75"/>'
    )
